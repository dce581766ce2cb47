import type { Origin, OriginSources, Sources } from '../explain/explanation.ts'
import { FIGURES, type FigureName } from '../rollup/figures/figures.ts'

/** Returns in a few words what a figure comes from. */
export function originOf(figure: FigureName, from: Sources): string {
  const describe = DESCRIPTIONS[FIGURES[figure].origin] as (source: Sources[FigureName]) => string
  return describe(from[figure])
}

const DESCRIPTIONS: { [By in Origin]: (source: OriginSources[By]) => string } = {
  sum: ({ readings, sum }) => addUp('reading', readings, String(sum)),
  counter: ({ readings, sum, restarts }) =>
    `${addUp('reading', readings, String(sum))}${restarts ? `; its counter restarted, ${restarts} in all` : ''}`,
  mean: ({ readings, sumCelsius }) => mean('reading', readings, `${sumCelsius} °C`),
  highest: (source) => extreme('highest', source),
  lowest: (source) => extreme('lowest', source),
  spans: ({ spans, sumSeconds }) => addUp('span', spans, `${sumSeconds} s`),
  fixes: ({ readings, sumMeters, spikes }) =>
    `${mean('fix', readings, `${sumMeters} m`)}${spikes > 0 ? `; spikes left out: ${spikes}` : ''}`,
  flag: ({ readings, limitMeters }) =>
    readings === 0 ? 'no fix' : `whether the mean of ${number(readings, 'fix')} is above ${limitMeters} m`,
}

const number = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun === 'fix' ? 'fixes' : `${noun}s`}`

function addUp(noun: string, count: number | null, sum: string): string {
  if (count === null) return `adds up to ${sum}`
  return count === 0 ? `no ${noun}` : `${number(count, noun)}, in all ${sum}`
}

const mean = (noun: string, count: number, sum: string): string =>
  count === 0 ? `no ${noun}` : `mean of ${number(count, noun)}, in all ${sum}`

function extreme(which: string, { readings, celsius, at }: OriginSources['highest']): string {
  if (readings === 0) return 'no reading'
  return `${which} of ${number(readings, 'reading')}, ${celsius} °C${at === null ? '' : `, first at ${at}`}`
}
