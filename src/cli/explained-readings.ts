import type { Explanation, PowerSpan, Reading } from '../explain/explanation.ts'
import { spanText } from './output/span-text.ts'
import { renderTable } from './output/table.ts'
import { terminal } from './report.ts'

/** Renders the power spans of a page as a table; returns the empty text if there are none. */
export function spansTable({ spans }: Explanation): string {
  if (spans === null || spans.length === 0) return ''
  const columns = [
    { title: 'power', value: ({ state }: PowerSpan) => state, importance: 9 },
    { title: 'why', value: ({ why }: PowerSpan) => why ?? '', importance: 8 },
    { title: 'from', value: ({ from }: PowerSpan) => from, importance: 9 },
    { title: 'to', value: ({ to }: PowerSpan) => to, importance: 7 },
    { title: 's', value: ({ seconds }: PowerSpan) => seconds, importance: 8 },
    { title: 'daytime s', value: ({ daytimeSeconds }: PowerSpan) => daytimeSeconds, importance: 6 },
    { title: 'span', value: ({ seconds }: PowerSpan) => spanText(seconds * 1000), importance: 5 },
  ]
  return renderTable(columns, spans, terminal())
}

/** Renders the readings of a page and how to get the next page; returns the empty text if there are none. */
export function readingsTable({ readings, next }: Explanation): string {
  if (readings === null || readings.length === 0) return ''
  const columns = [
    { title: 'at', value: ({ at }: Reading) => at, importance: 9 },
    { title: 'seq', value: ({ seq }: Reading) => seq, importance: 3 },
    { title: 'type', value: ({ type }: Reading) => type, importance: 8 },
    { title: 'reading', value: valuesText, importance: 8 },
    { title: 'what it did', value: effectText, importance: 7 },
    { title: 'figures', value: ({ figures }: Reading) => figures.join(', '), importance: 2 },
  ]
  const more = next === null ? '' : `\nMore readings: --after ${next}`
  return `${renderTable(columns, readings, terminal())}${more}`
}

/** Returns the values of the event itself: all fields that the explanation did not add. */
function valuesText(reading: Reading): string {
  const { at, seq, type, figures, repeat, counts, totalBefore, restarted, ...more } = reading
  const { state, contrary, endsSilence, deviationMeters, spike, ...values } = more
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function effectText(reading: Reading): string {
  const { repeat, counts, totalBefore, restarted, state, contrary, endsSilence, deviationMeters, spike } = reading
  const effects: string[] = []
  if (repeat) effects.push('repeat: counts nothing')
  if (counts !== undefined) effects.push(`counts ${counts}`)
  if (totalBefore === null) effects.push('the first total')
  if (typeof totalBefore === 'number') effects.push(`${totalBefore} before${restarted ? ', restarted' : ''}`)
  if (contrary) effects.push(`contrary to another: still ${state}`)
  else if (state !== undefined) effects.push(`${state} from here on`)
  if (endsSilence) effects.push('ends a silence')
  if (deviationMeters !== undefined) effects.push(`${deviationMeters} m off`)
  if (spike) effects.push('spike: left out')
  return effects.join(', ')
}
