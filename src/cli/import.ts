import type { Command } from 'commander'
import { newImport } from '../import-note.ts'
import { eventsOfRecord } from '../ingest/apply-mapping.ts'
import type { Mapping } from '../ingest/mapping.ts'
import { commandContext, UsageError } from './context.ts'
import { csvRows } from './csv-rows.ts'
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
  /** The id by which it can be taken back. */
  import: string
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
      const note = newImport(files, Date.now())
      const sink = await openSink(config, logger, { queue, import: note })
      const total = { import: note.id, rows: 0, empty: 0, ...sink.counts }
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

function told({ import: id, rows, empty, events, rejected }: Imported, queue: boolean): string {
  const texts = [`rows ${rows}`, `${queue ? 'enqueued' : 'events'} ${events}`]
  if (!queue) texts.push(`rejected ${rejected}`)
  if (empty > 0) texts.push(`rows without an event ${empty}`)
  return `${texts.join(', ')}; taken back by cooler erase --import ${id}`
}

async function importFile(
  file: string,
  mapping: Mapping,
  delimiter: string,
  sink: Sink,
  total: Imported,
): Promise<void> {
  const progress = createProgress({ label: `import ${file}`, unit: 'rows' })
  const receivedAt = Date.now()
  let events: unknown[] = []
  try {
    for await (const { row } of csvRows(file, delimiter)) {
      total.rows++
      const own = eventsOfRecord(mapping, { value: row, receivedAt })
      if (own.length === 0) total.empty++
      events.push(...own)
      if (events.length < BATCH_EVENTS) continue
      await sink.put(events)
      progress.update(total.rows)
      events = []
    }
    await sink.put(events)
  } finally {
    progress.finish()
  }
}
