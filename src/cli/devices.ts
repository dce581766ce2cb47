import type { Command } from 'commander'
import { formatLabels, type Labels } from '../base/labels.ts'
import { plainDegrees } from '../base/rounding.ts'
import { instantOrNull } from '../base/time.ts'
import { placementAt } from '../event/placement.ts'
import { changeOf } from '../ingest/device-change.ts'
import { openPipeline, openReadingPipeline, type Pipeline } from '../service/pipeline.ts'
import type { Device } from '../store/registry.ts'
import { noSuchDevice } from '../web/api/access.ts'
import { wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { type CsvOptions, delimiterArgument, encodingArgument } from './csv-options.ts'
import { renderTable } from './output/table.ts'
import { importRegistry, writeRegistry } from './registry-csv.ts'
import { terminal } from './report.ts'

interface DeviceLine {
  id: string
  zone: string | null
  position: string | null
  firstHeardAt: string | null
  lastHeardAt: string | null
  retiredAt: string | null
  labels: Labels
}

interface DevicesOptions {
  limit: number
  after?: string
  json?: boolean
  csv?: boolean
  import?: string
  delimiter?: string
  encoding?: string
  retire?: string
  at?: string
}

/** Adds the command `devices`. */
export function devicesCommand(program: Command): void {
  program
    .command('devices')
    .description('list the registered devices')
    .option('--limit <count>', 'at most so many', wholeNumber(1, 10_000_000), 1000)
    .option('--after <id>', 'from the first id after this one on')
    .option('--json', 'one JSON object a line')
    .option('--csv', 'all of them as CSV, a line for each placement: what --import reads')
    .option(
      '--import <file>',
      'make the registry what a CSV file says of the devices that it names; - is standard input',
    )
    .option(
      '--delimiter <text>',
      'with --import: what stands between two columns; found out unless given',
      delimiterArgument,
    )
    .option(
      '--encoding <name>',
      'with --import: of the file; utf-8 unless given, or its byte order mark',
      encodingArgument,
    )
    .option('--retire <id>', 'retire a device: the reports of all devices leave it out on later days')
    .option('--at <time>', 'with --retire: since when, RFC 3339 with an offset; now unless set')
    .addHelpText(
      'after',
      '\nExamples:\n  cooler devices --csv > registry.csv\n  cooler devices --import registry.csv\n' +
        '  cooler devices --retire CLR-1 --at 2026-11-20T08:00:00+01:00\n',
    )
    .action(async ({ limit, after, json, csv, import: file, retire, at, ...csvOptions }: DevicesOptions) => {
      if (at !== undefined && retire === undefined) throw new UsageError('--at goes with --retire')
      const { config } = commandContext()
      const writes = file !== undefined || retire !== undefined
      const pipeline = await (writes ? openPipeline(config) : openReadingPipeline(config))
      try {
        if (csv) {
          await writeRegistry(pipeline.reader.registry, process.stdout)
          return
        }
        if (file !== undefined) {
          const devices = await importDevices(pipeline, file, csvOptions)
          console.log(json ? JSON.stringify({ devices }) : `devices ${devices.toLocaleString('en')}`)
          return
        }
        if (retire !== undefined) {
          const [line] = await describe(pipeline, [await retireDevice(pipeline, retire, at)])
          console.log(json ? JSON.stringify(line) : `${line.id} retired ${line.retiredAt}`)
          return
        }
        const lines = await describe(pipeline, await pipeline.reader.registry.devicesAfter(after ?? null, limit))
        if (json) for (const line of lines) console.log(JSON.stringify(line))
        else console.log(renderTable(COLUMNS, lines, terminal()))
      } finally {
        await pipeline.close()
      }
    })
}

/** Makes the registry what a file says; returns the number of devices. @throws CoolerError `bad-request` */
const importDevices = ({ reader, ingest, now }: Pipeline, file: string, options: CsvOptions): Promise<number> =>
  importRegistry(file, options, reader.registry, (put) => ingest.run('putDevice', put), now())

/** Retires a device since `at`, or since now. @throws CoolerError `not-found`, `bad-request` */
async function retireDevice(
  { reader, now: storeNow, ingest }: Pipeline,
  id: string,
  at: string | undefined,
): Promise<Device> {
  if ((await reader.registry.device(id)) === null) throw noSuchDevice(id)
  const now = storeNow()
  const change = changeOf(id, at === undefined ? { retired: true } : { retiredAt: at }, now)
  return ingest.run('putDevice', { id, change, now })
}

const COLUMNS = [
  { title: 'device', value: ({ id }: DeviceLine) => id, importance: 9 },
  { title: 'zone', value: ({ zone }: DeviceLine) => zone, importance: 7 },
  { title: 'meant to stand at', value: ({ position }: DeviceLine) => position, importance: 6 },
  { title: 'first heard', value: ({ firstHeardAt }: DeviceLine) => firstHeardAt, importance: 5 },
  { title: 'last heard', value: ({ lastHeardAt }: DeviceLine) => lastHeardAt, importance: 8 },
  { title: 'labels', value: ({ labels }: DeviceLine) => formatLabels(labels).join(' ') || null, importance: 3 },
  { title: 'retired', value: ({ retiredAt }: DeviceLine) => retiredAt, importance: 4 },
]

async function describe({ reader, now }: Pipeline, devices: readonly Device[]): Promise<DeviceLine[]> {
  const numbers = devices.map(({ number }) => number)
  const placements = await reader.registry.placements(numbers)
  const states = await reader.rollups.states(numbers)
  return devices.map(({ id, number, retiredAt, labels }) => {
    const placement = placementAt(placements.get(number) ?? [], now())
    return {
      id,
      zone: placement?.zone || null,
      position: placement ? `${plainDegrees(placement.lat)},${plainDegrees(placement.lon)}` : null,
      firstHeardAt: instantOrNull(states.get(number)?.firstHeardAt),
      lastHeardAt: instantOrNull(states.get(number)?.lastHeardAt),
      retiredAt: instantOrNull(retiredAt),
      labels,
    }
  })
}
