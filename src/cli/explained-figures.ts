import type { Sources } from '../explain/explanation.ts'
import type { FigureName } from '../rollup/figures/figures.ts'

/** In a few words, what a figure comes from. */
export function originOf(figure: FigureName, from: Sources): string {
  switch (figure) {
    case 'visitorCount': {
      const { readings, sum, restarts } = from[figure]
      return `${addUp('reading', readings, String(sum))}${restarts ? `; its counter restarted, ${restarts} in all` : ''}`
    }
    case 'openCloseNum':
      return addUp('reading', from[figure].readings, String(from[figure].sum))
    case 'currTemp':
    case 'setTemp':
      return mean('reading', from[figure].readings, `${from[figure].sumCelsius} °C`)
    case 'maxTemp':
    case 'minTemp':
      return extreme(figure === 'maxTemp' ? 'highest' : 'lowest', from[figure])
    case 'powerDuration':
    case 'powerDayDuration':
      return addUp('span', from[figure].spans, `${from[figure].sumSeconds} s`)
    case 'distance': {
      const { readings, sumMeters, spikes } = from[figure]
      return `${mean('fix', readings, `${sumMeters} m`)}${spikes > 0 ? `; spikes left out: ${spikes}` : ''}`
    }
    case 'distanceMore': {
      const { readings, limitMeters } = from[figure]
      return readings === 0 ? 'no fix' : `whether the mean of ${number(readings, 'fix')} is above ${limitMeters} m`
    }
  }
}

const number = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun === 'fix' ? 'fixes' : `${noun}s`}`

function addUp(noun: string, count: number | null, sum: string): string {
  if (count === null) return `adds up to ${sum}`
  return count === 0 ? `no ${noun}` : `${number(count, noun)}, in all ${sum}`
}

const mean = (noun: string, count: number, sum: string): string =>
  count === 0 ? `no ${noun}` : `mean of ${number(count, noun)}, in all ${sum}`

function extreme(which: string, { readings, celsius, at }: Sources['maxTemp']): string {
  if (readings === 0) return 'no reading'
  return `${which} of ${number(readings, 'reading')}, ${celsius} °C${at === null ? '' : `, first at ${at}`}`
}
