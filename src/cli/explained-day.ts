import type { Explanation } from '../explain/explanation.ts'
import { FIGURE_NAMES } from '../rollup/figures/figures.ts'
import { originOf } from './explained-figures.ts'
import { readingsTable, spansTable } from './explained-readings.ts'
import { printable } from './output/printable.ts'
import { spanText } from './output/span-text.ts'
import { renderTable } from './output/table.ts'
import { FIGURE_COLUMNS, terminal } from './report.ts'

/** Renders an explanation for people: paragraphs and tables, as wide as the terminal. */
export function explainedDay(day: Explanation): string {
  const parts = [
    heading(day),
    notes(day),
    figuresTable(day),
    coverageTable(day),
    heard(day),
    carriedTable(day),
    eventsLine(day),
    revisionsTable(day),
    spansTable(day),
    readingsTable(day),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const STATUS = {
  provisional: 'provisional, it has not closed yet',
  settled: 'settled',
  revised: 'settled, and revised since',
} as const satisfies Record<Explanation['status'], string>

function heading(day: Explanation): string {
  const zones = day.zones.map(({ zone, from }, index) => (index === 0 ? zone : `${zone} since ${from}`))
  const places = day.places.map(({ lat, lon, by, from }, index) => {
    const since = index === 0 ? '' : ` since ${from}`
    return `${lat},${lon}${by === 'first-fix' ? ' (its first fix: it was never placed)' : ''}${since}`
  })
  const lines = [
    `${printable(day.deviceId)}, day ${day.day}: ${STATUS[day.status]}`,
    `from ${day.start} to ${day.end}${zones.length > 0 ? `, ${zones.join(', ')}` : ''}`,
    day.daytimeStart === null ? '' : `daytime from ${day.daytimeStart} to ${day.daytimeEnd}`,
    day.asOf === null ? 'not rolled up yet' : `as of ${day.asOf}`,
    day.closesAt === null ? '' : `closes at ${day.closesAt}`,
    places.length === 0 ? '' : `meant to stand at ${places.join(', ')}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** Returns notes that a reader must know before trusting the rest. */
function notes({ waiting, due, matches, recomputed, rawPurged }: Explanation): string {
  const lines: string[] = []
  if (waiting > 0) lines.push(`Further events of the day that wait for a rollup: ${waiting}.`)
  if (due !== null) lines.push(`The day is to be computed again${causesText(due.causes)}.`)
  if (rawPurged) lines.push('Raw events of the day have been deleted: what follows is told from its rollup alone.')
  if (matches === false && recomputed !== null) {
    lines.push('What is stored is NOT what the events give. All that follows explains what they give.')
  } else if (matches === false) {
    lines.push('What is stored is of a calendar that the device no longer has: its readings cannot be told.')
  }
  return lines.join('\n')
}

const causesText = (causes: readonly string[]): string => (causes.length === 0 ? '' : ` (${causes.join(', ')})`)

function figuresTable(day: Explanation): string {
  const { figures, recomputed } = day
  const columns = [
    { title: 'figure', value: (name: (typeof FIGURE_NAMES)[number]) => name, importance: 9 },
    { title: 'reported', value: (name: (typeof FIGURE_NAMES)[number]) => figures[name], importance: 9 },
    ...(recomputed === null
      ? []
      : [{ title: 'recomputed', value: (name: (typeof FIGURE_NAMES)[number]) => recomputed[name], importance: 9 }]),
    { title: 'comes from', value: (name: (typeof FIGURE_NAMES)[number]) => originOf(name, day.from), importance: 5 },
  ]
  return renderTable(columns, FIGURE_NAMES, terminal())
}

function coverageTable({ coverage }: Explanation): string {
  const { daytime } = coverage
  const because = Object.entries(coverage.unknownBecause ?? {}).map(
    ([reason, seconds]) => [`  ${reason}`, seconds, null] as const,
  )
  const rows: (readonly [string, number | null, number | null | undefined])[] = [
    ['length', coverage.lengthSeconds, daytime?.lengthSeconds],
    ['passed', coverage.passedSeconds, daytime?.passedSeconds],
    ['on', coverage.onSeconds, daytime?.onSeconds],
    ['off', coverage.offSeconds, daytime?.offSeconds],
    ['unknown', coverage.unknownSeconds, daytime?.unknownSeconds],
    ...because.filter(([, seconds]) => seconds > 0),
  ]
  type Row = (typeof rows)[number]
  const columns = [
    { title: 'time', value: ([name]: Row) => name, importance: 9 },
    { title: 'day s', value: ([, seconds]: Row) => seconds, importance: 8 },
    { title: 'daytime s', value: ([, , seconds]: Row) => seconds, importance: 7 },
  ]
  return renderTable(columns, rows, terminal())
}

function heard({ coverage: { firstHeardAt, lastHeardAt, longestSilence } }: Explanation): string {
  const lines: string[] = []
  if (firstHeardAt !== null) lines.push(`first heard at ${firstHeardAt}`)
  if (lastHeardAt !== null) lines.push(`last heard at ${lastHeardAt}`)
  if (longestSilence !== null) {
    const { seconds, from, to } = longestSilence
    lines.push(`longest silence ${spanText(seconds * 1000)}, from ${from} to ${to}`)
  }
  return lines.join('\n')
}

function carriedTable({ carriedIn, carriedOut }: Explanation): string {
  const rows = [
    ['power', carriedIn.power, carriedOut.power],
    ['door', carriedIn.door, carriedOut.door],
    ['last heard', carriedIn.lastHeardAt, carriedOut.lastHeardAt],
    ['visitor total', carriedIn.visitorTotal, carriedOut.visitorTotal],
  ] as const
  type Row = (typeof rows)[number]
  const from = carriedIn.fromDay === null ? 'carried in' : `carried in from ${carriedIn.fromDay}`
  const columns = [
    { title: 'state', value: ([name]: Row) => name, importance: 9 },
    { title: from, value: ([, before]: Row) => before, importance: 8 },
    { title: 'carried out', value: ([, , after]: Row) => after, importance: 8 },
  ]
  return renderTable(columns, rows, terminal())
}

function eventsLine({ events, repeats, spikes, rejects }: Explanation): string {
  const reasons = Object.entries(rejects).map(([reason, count]) => `${reason} ${count}`)
  const rejected = reasons.length === 0 ? 0 : reasons.join(', ')
  return `events: ${events}; repeats dropped: ${repeats}; spikes left out: ${spikes}; rejected: ${rejected}`
}

function revisionsTable({ revisions }: Explanation): string {
  if (revisions.length === 0) return ''
  type Row = Explanation['revisions'][number]
  const columns = [
    { title: 'revised', value: ({ revisedAt }: Row) => revisedAt, importance: 9 },
    {
      title: 'because of',
      value: ({ causes, figuresErased }: Row) => `${causes.join(', ')}${figuresErased ? ' (figures erased)' : ''}`,
      importance: 9,
    },
    ...FIGURE_COLUMNS.map((column) => ({
      ...column,
      value: ({ figures }: Row) => figures && column.value(figures),
    })),
  ]
  return `Figures before each revision\n${renderTable(columns, revisions, terminal())}`
}
