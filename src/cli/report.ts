import type { Command } from 'commander'
import type { DailyEntry, SummaryEntry } from '../summary/report.ts'
import type { Figures } from '../summary/totals.ts'
import { formatDay } from '../time.ts'
import { collect, dayArgument } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { type Column, renderTable } from './output/table.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'

interface ReportOptions {
  to?: number
  id?: string[]
  json?: boolean
}

export function reportCommand(program: Command): void {
  program
    .command('report')
    .description('print the report of one local day, or with --to the summary of a range of at most 31')
    .argument('<day>', 'local day, YYYYMMDD', dayArgument)
    .option('--to <day>', 'last local day of a range, YYYYMMDD', dayArgument)
    .option('--id <id>', 'only this device; may be given again', collect)
    .option('--json', "print the API's answer")
    .addHelpText(
      'after',
      '\nExamples:\n  cooler report 20260601\n  cooler report 20260601 --to 20260607 --id CLR-000001\n',
    )
    .action(async (day: number, options: ReportOptions) => {
      const pipeline = openPipeline(commandContext().config)
      try {
        console.log(await printedReport(pipeline, day, options))
      } finally {
        await pipeline.close()
      }
    })
}

/** The report as a table for people, or as the API's answer. */
export async function printedReport(pipeline: Pipeline, day: number, { to, id, json }: ReportOptions): Promise<string> {
  const text = await answerOf(pipeline, day, to, id)
  if (json) return text
  const { data } = JSON.parse(text) as { data: { deviceStatusList: SummaryEntry[] } }
  const title = to === undefined ? `Day ${formatDay(day)}` : `Range ${formatDay(day)} to ${formatDay(to)}`
  const columns = to === undefined ? FIGURES : [...FIGURES, ...CURRENT]
  const table = renderTable(columns as Column<SummaryEntry>[], data.deviceStatusList, terminal())
  return `${title}, ${data.deviceStatusList.length} devices\n${table}`
}

async function answerOf({ reports }: Pipeline, day: number, to: number | undefined, ids?: string[]): Promise<string> {
  if (to !== undefined && (to < day || to - day > 30))
    throw new UsageError('--to must be the same day or at most 30 days later')
  const task = { fromDay: day, toDay: to ?? day, now: Date.now(), within: null, ...(ids === undefined ? {} : { ids }) }
  const answer = await (to === undefined ? reports.daily(task) : reports.summary(task))
  return typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8')
}

/** The figures of a day or a range, a column each. */
export const FIGURE_COLUMNS: readonly Column<Figures>[] = [
  { title: 'visitors', value: ({ visitorCount }) => visitorCount, importance: 7 },
  { title: 'doors', value: ({ openCloseNum }) => openCloseNum, importance: 7 },
  { title: 'mean °C', value: ({ currTemp }) => currTemp, decimals: 2, importance: 8 },
  { title: 'set °C', value: ({ setTemp }) => setTemp, decimals: 2, importance: 3 },
  { title: 'max °C', value: ({ maxTemp }) => maxTemp, decimals: 2, importance: 5 },
  { title: 'min °C', value: ({ minTemp }) => minTemp, decimals: 2, importance: 5 },
  { title: 'on h', value: ({ powerDuration }) => powerDuration, decimals: 2, importance: 8 },
  { title: 'by day h', value: ({ powerDayDuration }) => powerDayDuration, decimals: 2, importance: 4 },
  { title: 'off by m', value: ({ distance }) => distance, decimals: 2, importance: 6 },
  { title: '>200 m', value: ({ distanceMore }) => (distanceMore === 1 ? 'yes' : ''), importance: 8 },
]

const FIGURES: readonly Column<DailyEntry>[] = [
  { title: 'device', value: ({ assertId }) => assertId, importance: 9 },
  ...FIGURE_COLUMNS,
]

const CURRENT: readonly Column<SummaryEntry>[] = [
  { title: 'location', value: ({ location }) => location, importance: 2 },
  { title: 'placed', value: ({ throwinDate }) => throwinDate, importance: 1 },
  { title: 'address', value: ({ address }) => address, importance: 2 },
]

/** The terminal's width and whether it takes colours; a pipe or a file has no limit. */
export const terminal = (): { width?: number; color: boolean } =>
  process.stdout.isTTY ? { width: process.stdout.columns, color: process.stdout.hasColors() } : { color: false }
