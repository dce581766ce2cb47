import type { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { EXCEPTION_NAMES, type ExceptionName } from '../base/exceptions.ts'
import { formatLabels } from '../base/labels.ts'
import { formatDay } from '../base/time.ts'
import { DAY_STATUSES, type DayStatus } from '../report/day-status.ts'
import { isOrderName, LABEL_PREFIX, ORDER_NAMES, type OrderName } from '../report/fleet/fleet-order.ts'
import type { FleetListTask, FleetRow } from '../report/fleet/fleet-page.ts'
import { requireRules } from '../rollup/rules.ts'
import { openReadingPipeline, type Pipeline, rollupSettings } from '../service/pipeline.ts'
import { collectLabel, dayArgument, wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { type Column, renderTable } from './output/table.ts'
import {
  addFormOptions,
  FIGURE_COLUMNS,
  type Format,
  type FormOptions,
  formatOf,
  requireRange,
  terminal,
} from './report.ts'
import { requireWritable, writeOut } from './report-file.ts'

interface FleetOptions extends FormOptions {
  to?: number
  search?: string
  timezone?: string
  label?: [key: string, value: string][]
  exception?: ExceptionName | 'any'
  status?: DayStatus
  sort: OrderName
  desc?: boolean
  limit: number
}

const EXAMPLES = `
Examples:
  cooler fleet 20260601 --exception moved
  cooler fleet 20260601 --to 20260607 --label route:12 --sort exceptions --desc
  cooler fleet 20260601 --format xlsx --output fleet.xlsx
`

/** Adds the command `fleet`. */
export function fleetCommand(program: Command): void {
  const command = program
    .command('fleet')
    .description(
      'list the devices on a local day, or with --to in a range of at most 31; with what somebody should look at',
    )
    .argument('<day>', 'local day, YYYYMMDD', dayArgument)
    .option('--to <day>', 'last local day of a range, YYYYMMDD', dayArgument)
    .option('--search <text>', 'only devices with this in their id or address, in upper or lower case')
    .option('--timezone <name>', 'only devices placed in this IANA zone')
    .option('--label <key:value>', 'only devices with this label; may be given again', collectLabel)
    .addOption(
      new Option('--exception <name>', 'only devices with this exception, or with any, on a day').choices([
        ...EXCEPTION_NAMES,
        'any',
      ]),
    )
    .addOption(new Option('--status <status>', 'only devices with this status').choices(DAY_STATUSES))
    .option('--sort <column>', `what to sort by: ${ORDER_NAMES.join(', ')}, ${LABEL_PREFIX}KEY`, orderArgument, 'id')
    .option('--desc', 'sort in descending order')
    .option('--limit <count>', 'at most so many, in a table and as JSON', wholeNumber(1, 10_000_000), 1000)
  addFormOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (day: number, options: FleetOptions) => {
      const { config } = commandContext()
      const format = formatOf(options)
      requireRange(day, options.to)
      if (options.output !== undefined) requireWritable(options.output, config.store)
      const pipeline = await openReadingPipeline(config)
      try {
        await requireRules(pipeline.reader.rollups, rollupSettings(config))
        await writeOut(await listAs(pipeline, taskOf(day, options, pipeline.now()), format, options), options.output)
      } finally {
        await pipeline.close()
      }
    })
}

/** @throws UsageError */
function orderArgument(text: string): OrderName {
  if (isOrderName(text)) return text
  throw new UsageError(`${JSON.stringify(text)} must be one of ${ORDER_NAMES.join(', ')}, ${LABEL_PREFIX}KEY`)
}

function taskOf(day: number, options: FleetOptions, now: number): FleetListTask {
  const { to = day, search, timezone, label, exception, status, sort, desc = false, limit } = options
  const which = { search, timezone, labels: label, exception, status }
  return { fromDay: day, toDay: to, now, ...which, within: null, sort, descending: desc, offset: 0, limit }
}

async function listAs(
  { reports }: Pipeline,
  task: FleetListTask,
  format: Format,
  { bom }: FormOptions,
): Promise<string | Readable> {
  if (format !== 'table' && format !== 'json') return reports.fleetFile({ task, format, withMark: bom === true })
  const list = await reports.list(task)
  const { matching, rows } = list
  if (format === 'json') return `${JSON.stringify({ ...list, next: rows.length < matching ? rows.length : null })}\n`
  const { fromDay, toDay } = task
  const days = fromDay === toDay ? `Day ${formatDay(fromDay)}` : `Range ${formatDay(fromDay)} to ${formatDay(toDay)}`
  const shown = rows.length < matching ? `, the first ${rows.length} of them` : ''
  return `${days}, ${matching} of ${list.devices} devices${shown}\n${renderTable(COLUMNS, rows, terminal())}\n`
}

const COLUMNS: readonly Column<FleetRow>[] = [
  { title: 'device', value: ({ id }) => id, importance: 9 },
  { title: 'exceptions', value: ({ exceptions }) => exceptions.join(' ') || null, importance: 8 },
  ...FIGURE_COLUMNS,
  { title: 'off h', value: ({ hoursOff }) => hoursOff, decimals: 2, importance: 5 },
  { title: 'unknown h', value: ({ hoursUnknown }) => hoursUnknown, decimals: 2, importance: 4 },
  { title: 'status', value: ({ status }) => status, importance: 3 },
  { title: 'last heard', value: ({ lastHeardAt }) => lastHeardAt, importance: 6 },
  { title: 'labels', value: ({ labels }) => formatLabels(labels).join(' ') || null, importance: 3 },
  { title: 'zone', value: ({ timezone }) => timezone, importance: 1 },
  { title: 'address', value: ({ address }) => address, importance: 2 },
]
