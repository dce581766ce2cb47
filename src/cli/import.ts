import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { newImport } from '../event/import-note.ts'
import { type Mapping, membersOf, readsTopic } from '../ingest/mapping/mapping.ts'
import { storeOptions } from '../service/pipeline.ts'
import { takenFrom } from '../store/archive.ts'
import { isPostgres, openStore, openStoreReader } from '../store/open-store.ts'
import { wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { type CsvOptions, columnsArgument, delimiterArgument, encodingArgument } from './csv-options.ts'
import { type CsvFile, openCsv } from './csv-rows.ts'
import { IMPORT_EXAMPLES } from './import-examples.ts'
import { tellFailure, tellImport, warningsOf } from './import-outcome.ts'
import { type ImportedRow, importRows } from './import-rows.ts'
import { type Survey, survey } from './import-survey.ts'
import { mappingFile } from './mapping-file.ts'
import { createProgress } from './output/progress.ts'
import { openSink, type Sink } from './sink.ts'

/** Events in one batch. */
const BATCH_EVENTS = 5000

export interface ImportOptions extends CsvOptions {
  mapping: string
  dryRun?: boolean
  allowRejects?: boolean
  queue?: boolean
  json?: boolean
}

/** Adds the command `import`. */
export function importCommand(program: Command): void {
  program
    .command('import')
    .description('land the rows of CSV files by a mapping; all files are read and checked before the first row lands')
    .argument('<file...>', 'files, gzip or not; - for standard input')
    .requiredOption('--mapping <file>', 'JSON that says which columns make which events')
    .option('--delimiter <text>', "between two columns: , ; | or '\\t'; found out unless given", delimiterArgument)
    .option(
      '--encoding <name>',
      'of the files, such as windows-1252; utf-8 unless given, or a byte order mark',
      encodingArgument,
    )
    .option('--skip-lines <count>', 'lines above the header', wholeNumber(0, 1_000_000))
    .option('--columns <names>', 'names of the columns, a,b,c, of files without a header', columnsArgument)
    .option('--dry-run', 'read and check everything, print the first events and the counts, and land nothing')
    .option('--allow-rejects', 'exit with 0 also if rows were rejected, or made no event')
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (names: string[], options: ImportOptions) => {
      const mapping = mappingFile(options.mapping)
      if (readsTopic(mapping)) throw new UsageError(`${options.mapping}: files have no topic; that is for the bridge`)
      const files: CsvFile[] = []
      try {
        for (const name of names) files.push(await openCsv(name, options, membersOf(mapping)))
        await importFiles(files, mapping, options)
      } finally {
        for (const file of files) await file.close()
      }
    })
}

/** Checks all rows and then lands them. @throws Error that says how much failed, so that the command fails */
async function importFiles(files: readonly CsvFile[], mapping: Mapping, options: ImportOptions): Promise<void> {
  const { queue = false, dryRun = false, allowRejects = false } = options
  const { config, logger } = commandContext()
  const receivedAt = Date.now()
  const rows = (): AsyncGenerator<ImportedRow> => importRows(files, mapping, receivedAt)
  const purgedBefore = queue ? 0 : await readPurgedBefore(config, dryRun)
  const found = await surveyRows(
    rows(),
    { landedAt: receivedAt, purgedBefore },
    receivedAt - (config.rawRetentionMs ?? Infinity),
  )
  const warnings = warningsOf(found, mapping, config)
  for (const warning of warnings) console.error(`warning: ${warning}`)
  const note = dryRun
    ? null
    : newImport(
        files.map(({ name }) => name),
        receivedAt,
      )
  if (note !== null) {
    // Logged before the first event lands, so that an import that is cut short can still be taken back.
    logger.info({ import: note.id, files: note.files }, 'import begins')
    const sink = await openSink(config, logger, { queue, import: note })
    try {
      await putRows(rows(), sink)
    } finally {
      await sink.close()
    }
    // The checks of the landing are the ones that count. With --queue the workers make these checks later.
    if (!queue) found.rejected = sink.counts.rejected
  }
  console.log(tellImport(found, warnings, { ...options, id: note?.id ?? null }))
  if (!allowRejects && found.rejected + found.empty > 0) throw new Error(tellFailure(found, dryRun))
}

/** Returns the epoch ms before which raw events are deleted. A dry run neither creates nor migrates a store. */
async function readPurgedBefore(config: Config, dryRun: boolean): Promise<number> {
  if (!isPostgres(config.store) && !existsSync(config.store)) return 0
  const store = await (dryRun ? openStoreReader : openStore)(storeOptions(config))
  try {
    return takenFrom(await store.archive.purgedBefore())
  } finally {
    await store.close()
  }
}

async function surveyRows(
  rows: AsyncIterable<ImportedRow>,
  context: Parameters<typeof survey>[1],
  oldBefore: number,
): Promise<Survey> {
  const progress = createProgress({ label: 'check', unit: 'rows' })
  try {
    return await survey(rows, context, oldBefore, (count) => progress.update(count))
  } finally {
    progress.finish()
  }
}

async function putRows(rows: AsyncIterable<ImportedRow>, sink: Sink): Promise<void> {
  const progress = createProgress({ label: 'import', unit: 'rows' })
  let count = 0
  let batch: unknown[] = []
  try {
    for await (const { events } of rows) {
      count++
      batch.push(...events)
      if (batch.length < BATCH_EVENTS) continue
      await sink.put(batch)
      progress.update(count)
      batch = []
    }
    await sink.put(batch)
  } finally {
    progress.finish()
  }
}
