import type { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { formatDay } from '../base/time.ts'
import type { ReportName } from '../report/export/report-writer.ts'
import type { DailyEntry, SummaryEntry } from '../report/report.ts'
import type { ReportTask } from '../report/reports.ts'
import { FIGURE_NAMES, FIGURES, type Figures } from '../rollup/figures/figures.ts'
import type { FigureStatement } from '../rollup/figures/statement.ts'
import { requireRules } from '../rollup/rules.ts'
import { openReadingPipeline, type Pipeline, rollupSettings } from '../service/pipeline.ts'
import { collect, dayArgument } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { type Column, renderTable } from './output/table.ts'
import { requireWritable, writeOut } from './report-file.ts'

const FORMATS = ['table', 'json', 'csv', 'xlsx', 'parquet'] as const

export type Format = (typeof FORMATS)[number]

interface ReportOptions {
  to?: number
  id?: string[]
}

/** Options that decide the form of an output. */
export interface FormOptions {
  format?: Format
  output?: string
  bom?: boolean
  json?: boolean
}

type CommandOptions = ReportOptions & FormOptions

/** Adds the command `report`. */
export function reportCommand(program: Command): void {
  const command = program
    .command('report')
    .description(
      'print the report of one local day, or with --to the summary of a range of at most 31; or write a file',
    )
    .argument('<day>', 'local day, YYYYMMDD', dayArgument)
    .option('--to <day>', 'last local day of a range, YYYYMMDD', dayArgument)
    .option('--id <id>', 'only this device; may be given again', collect)
  addFormOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (day: number, options: CommandOptions) => {
      const { config } = commandContext()
      const format = formatOf(options)
      requireRange(day, options.to)
      if (options.output !== undefined) requireWritable(options.output, config.store)
      const pipeline = await openReadingPipeline(config)
      try {
        await requireRules(pipeline.reader.rollups, rollupSettings(config))
        await writeOut(await reportAs(pipeline, day, format, options), options.output)
      } finally {
        await pipeline.close()
      }
    })
}

/** Adds the options that decide the form of an output. */
export const addFormOptions = (command: Command): Command =>
  command
    .addOption(new Option('--format <format>', "what it is written as; json is the API's answer").choices(FORMATS))
    .option('--output <file>', 'where it is written, in the place of what is there; standard output unless given')
    .option('--bom', 'begin CSV with a byte order mark, by which older spreadsheets know UTF-8')
    .option('--json', 'the same as --format json')

const EXAMPLES = `
Examples:
  cooler report 20260601
  cooler report 20260601 --to 20260607 --id CLR-000001
  cooler report 20260601 --to 20260630 --format xlsx --output june.xlsx
  cooler report 20260601 --format csv --bom > day.csv

The chapter "Reports as files" of /docs describes the cells of each format, and the apostrophe that CSV has before a text
that a spreadsheet could take for a formula.
`

/** Returns the format of an output. @throws UsageError if options contradict each other */
export function formatOf({ format, output, bom, json }: FormOptions): Format {
  if (json && format !== undefined && format !== 'json')
    throw new UsageError(`--json and --format ${format}: give one of them`)
  const chosen = json ? 'json' : (format ?? 'table')
  if (bom && chosen !== 'csv') throw new UsageError('--bom is for --format csv')
  if ((chosen === 'xlsx' || chosen === 'parquet') && output === undefined && process.stdout.isTTY)
    throw new UsageError(`${chosen} is not for a terminal: give --output FILE`)
  return chosen
}

/** Limits a range to 31 days. @throws UsageError */
export function requireRange(day: number, to: number | undefined): void {
  if (to !== undefined && (to < day || to - day > 30))
    throw new UsageError('--to must be the same day or at most 30 days later')
}

async function reportAs(
  pipeline: Pipeline,
  day: number,
  format: Format,
  options: CommandOptions,
): Promise<string | Readable> {
  if (format === 'table') return `${await printedReport(pipeline, day, options)}\n`
  if (format === 'json') return `${await answerOf(pipeline, day, options)}\n`
  const { name, task } = asked(day, options, pipeline.now())
  return pipeline.reports.file({ name, task, format, withMark: options.bom === true })
}

/** Returns the report as a table for people. */
export async function printedReport(pipeline: Pipeline, day: number, options: ReportOptions): Promise<string> {
  const { to } = options
  const { data } = JSON.parse(await answerOf(pipeline, day, options)) as { data: { deviceStatusList: SummaryEntry[] } }
  const title = to === undefined ? `Day ${formatDay(day)}` : `Range ${formatDay(day)} to ${formatDay(to)}`
  const columns = to === undefined ? DAILY : [...DAILY, ...CURRENT]
  const table = renderTable(columns as Column<SummaryEntry>[], data.deviceStatusList, terminal())
  return `${title}, ${data.deviceStatusList.length} devices\n${table}`
}

async function answerOf({ reports, now }: Pipeline, day: number, options: ReportOptions): Promise<string> {
  const { name, task } = asked(day, options, now())
  const answer = await reports[name](task)
  return typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8')
}

const asked = (day: number, { to, id }: ReportOptions, now: number): { name: ReportName; task: ReportTask } => ({
  name: to === undefined ? 'daily' : 'summary',
  task: { fromDay: day, toDay: to ?? day, now, within: null, ...(id === undefined ? {} : { ids: id }) },
})

/** Decimals shown in tables: fewer than a figure has, for readability. */
const SHOWN_PLACES = 2

/** The columns of a report's table, one for each figure. */
export const FIGURE_COLUMNS: readonly Column<Figures>[] = FIGURE_NAMES.map((name) => {
  const { kind, heading, importance }: FigureStatement = FIGURES[name]
  const column = { title: heading, importance }
  if (kind === 'flag') return { ...column, value: (figures) => (figures[name] === 1 ? 'yes' : '') }
  return { ...column, value: (figures) => figures[name], ...(kind === 'decimal' ? { decimals: SHOWN_PLACES } : {}) }
})

const DAILY: readonly Column<DailyEntry>[] = [
  { title: 'device', value: ({ assertId }) => assertId, importance: 9 },
  ...FIGURE_COLUMNS,
]

const CURRENT: readonly Column<SummaryEntry>[] = [
  { title: 'location', value: ({ location }) => location, importance: 2 },
  { title: 'placed', value: ({ throwinDate }) => throwinDate, importance: 1 },
  { title: 'address', value: ({ address }) => address, importance: 2 },
]

/** Returns the terminal's width and whether it shows colours. A pipe or a file has no width limit. */
export const terminal = (): { width?: number; color: boolean } =>
  process.stdout.isTTY ? { width: process.stdout.columns, color: process.stdout.hasColors() } : { color: false }
