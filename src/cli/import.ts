import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Command } from 'commander'
import { parse } from 'csv-parse'
import { CoolerError } from '../errors.ts'
import { eventsOfRecord } from '../ingest/apply-mapping.ts'
import { isPacked } from '../ingest/line-chunks.ts'
import type { Mapping } from '../ingest/mapping.ts'
import { commandContext, UsageError } from './context.ts'
import { mappingFile } from './mapping-file.ts'
import { createProgress } from './output/progress.ts'
import { openSink, type Sink } from './sink.ts'

/** Events of one batch. */
const BATCH_EVENTS = 5000

interface ImportOptions {
  mapping: string
  delimiter: string
  queue?: boolean
  json?: boolean
}

/** What an import came to. */
interface Imported {
  rows: number
  /** Rows of which the mapping makes no event. */
  empty: number
  events: number
  rejected: number
}

export function importCommand(program: Command): void {
  program
    .command('import')
    .description('land the rows of CSV files, whose first row names the columns, by a mapping')
    .argument('<file...>', 'files, gzip or not; - for standard input')
    .requiredOption('--mapping <file>', 'JSON that says which columns make which events')
    .option('--delimiter <text>', 'what stands between two columns', ',')
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (files: string[], { mapping, delimiter, queue = false, json }: ImportOptions) => {
      const read = mappingFile(mapping)
      if (delimiter === '') throw new UsageError('--delimiter must not be empty')
      const { config, logger } = commandContext()
      const sink = await openSink(config, logger, { queue })
      const total = { rows: 0, empty: 0, ...sink.counts }
      try {
        for (const file of files) await importFile(file, read, delimiter, sink, total)
      } finally {
        await sink.close()
      }
      Object.assign(total, sink.counts)
      console.log(json ? JSON.stringify(total) : told(total, queue))
    })
}

const EXAMPLE = `
A mapping:
  { "deviceId": "serial",
    "at": { "from": "time", "format": "local", "timezone": "Europe/Berlin" },
    "events": [ { "type": "temperature", "celsius": { "from": "temp", "unit": "fahrenheit" } },
                { "type": "door", "count": "openings" } ] }

Example:
  cooler import readings.csv --mapping mapping.json --delimiter ';'
`

function told({ rows, empty, events, rejected }: Imported, queue: boolean): string {
  const texts = [`rows ${rows}`, `${queue ? 'enqueued' : 'events'} ${events}`]
  if (!queue) texts.push(`rejected ${rejected}`)
  if (empty > 0) texts.push(`rows without an event ${empty}`)
  return texts.join(', ')
}

async function importFile(
  file: string,
  mapping: Mapping,
  delimiter: string,
  sink: Sink,
  total: Imported,
): Promise<void> {
  const progress = createProgress({ label: `import ${file}`, unit: 'rows' })
  const rows = parse({ columns: true, bom: true, delimiter, relax_column_count: true, skip_empty_lines: true })
  const receivedAt = Date.now()
  try {
    const source = file === '-' ? process.stdin : createReadStream(file)
    const unpacked = file !== '-' && (await isPacked(file)) ? [source, createGunzip(), rows] : [source, rows]
    const fed = pipeline(unpacked as [typeof source, typeof rows])
    fed.catch(() => {}) // Told by the rows, which end with it.
    let events: unknown[] = []
    for await (const value of rows) {
      total.rows++
      const own = eventsOfRecord(mapping, { value, receivedAt })
      if (own.length === 0) total.empty++
      events.push(...own)
      if (events.length < BATCH_EVENTS) continue
      await sink.put(events)
      progress.update(total.rows)
      events = []
    }
    await sink.put(events)
    await fed
  } catch (error) {
    if (error instanceof CoolerError) throw error
    throw new CoolerError('bad-request', `${file} cannot be read: ${(error as Error).message}`, { cause: error })
  } finally {
    progress.finish()
  }
}
