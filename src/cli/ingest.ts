import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { CoolerError } from '../base/errors.ts'
import { millisecondsInMinute } from '../base/time.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import { type FileRange, rangesOf } from '../ingest/files/file-range.ts'
import { isPacked, openLines } from '../ingest/files/line-chunks.ts'
import { logFindings } from '../service/log-findings.ts'
import { openTraces } from '../service/open-traces.ts'
import { openPipeline } from '../service/pipeline.ts'
import { wholeNumber } from './arguments.ts'
import { commandContext, UsageError } from './context.ts'
import { createProgress } from './output/progress.ts'

/** Parts of files that a thread holds at once, so that it never waits for the next one. */
const PARTS_A_THREAD = 4
/** Most bytes of a part of a plain file; each part has a commit of its own, of some 400,000 events. */
const RANGE_BYTES = 32 * 1024 * 1024
/** A file gets a further thread only if each has at least so many bytes of it. */
const THREAD_BYTES = 4 * 1024 * 1024
const LINE_FEED = 0x0a
/** Default lines of a job. With so many, the fixed cost of a job hardly matters. */
const LINES_OF_JOB = 5000
/** Chunks that are being enqueued at once. */
const CHUNKS_ENQUEUED = 4
/** How long a batch is retried while the queue is full or Redis is away, before it fails. */
const RETRY_FOR_MS = 10 * millisecondsInMinute

/** Adds the command `ingest`. */
export function ingestCommand(program: Command): void {
  program
    .command('ingest')
    .description('land telemetry from files of one JSON event a line, gzip or not; - is standard input')
    .argument('<file...>', 'files, or - for standard input')
    .option('--rollup', 'then roll up all that is due, as cooler rollup does')
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .option('--batch <lines>', 'with --queue: lines that make one job', wholeNumber(1, MAX_BATCH_EVENTS), LINES_OF_JOB)
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', '\nExamples:\n  cooler ingest events.ndjson.gz\n  zcat events.gz | cooler ingest -\n')
    .action(async (files: string[], { queue, rollup, batch, json }: IngestOptions) => {
      if (queue && rollup) throw new UsageError('--rollup is not for --queue: its workers roll up by themselves')
      const outcome = queue ? await enqueueFiles(files, batch) : await landFiles(files, rollup === true)
      console.log(json ? JSON.stringify(outcome) : summaryOf(outcome, queue === true || rollup === true))
    })
}

function summaryOf(outcome: Record<string, number>, isRolledUp: boolean): string {
  const counts = Object.entries(outcome).map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
  const note = isRolledUp ? '' : '\nRepeats of events are among those that landed; the rollup counts each event once.'
  return `${counts.join(', ')}${note}`
}

interface IngestOptions {
  queue?: boolean
  rollup?: boolean
  batch: number
  json?: boolean
}

async function landFiles(files: readonly string[], rollup: boolean): Promise<Record<string, number>> {
  const { config } = commandContext()
  const { threads } = config
  const pipeline = await openPipeline(config, { threads, batchesInHand: PARTS_A_THREAD })
  const total: Record<string, number> = { landed: 0, rejected: 0 }
  try {
    await withProgress(files, async (onBytes) => {
      const land = async (part: Buffer | FileRange): Promise<void> => {
        const { landed, rejected } = Buffer.isBuffer(part)
          ? await pipeline.ingest.run('land', { ndjson: part, mostLines: Number.MAX_SAFE_INTEGER })
          : await pipeline.ingest.run('landRange', part)
        if (!Buffer.isBuffer(part)) onBytes(part.to - part.from)
        total.landed += landed
        total.rejected += rejected
      }
      await eachOf(partsOf(files, threads, onBytes), threads * PARTS_A_THREAD, land)
    })
    // Frees the memory of the landing before the rollup begins.
    await pipeline.ingest.close()
    if (rollup) {
      const { deviceDays, repeats } = await pipeline.runner.run({ now: pipeline.now(), refresh: true })
      Object.assign(total, { deviceDays, repeats })
    }
  } finally {
    await pipeline.close()
  }
  return total
}

/** Enqueues the lines of files. Bad lines are enqueued too: workers reject them, where people look for rejects. */
async function enqueueFiles(files: readonly string[], linesOfJob: number): Promise<Record<string, number>> {
  const { config, logger } = commandContext()
  const { redisUrl, backlogLimit } = config
  if (redisUrl === null) throw new UsageError('--queue needs REDIS_URL')
  const { checkRedis } = await import('../queue/check-redis.ts')
  logFindings(logger)(await checkRedis({ redis: redisUrl, backlogLimit }))
  const { createProducer } = await import('../enqueue/producer.ts')
  const traces = await openTraces(config, logger)
  const producer = createProducer({ connection: redisUrl, backlogLimit, retryForMs: RETRY_FOR_MS, traces })
  let enqueued = 0
  try {
    await withProgress(files, async (onBytes) => {
      const send = async (chunk: Buffer): Promise<void> => {
        await producer.room()
        const sent = batchesOf(chunk, linesOfJob).map((lines) => producer.sendText(lines))
        for (const events of await Promise.all(sent)) enqueued += events
      }
      await eachOf(chunksOf(files, onBytes), CHUNKS_ENQUEUED, send)
    })
  } finally {
    await producer.close()
  }
  return { enqueued }
}

/** Splits a chunk into pieces of at most `linesOfJob` lines. */
function batchesOf(chunk: Buffer, linesOfJob: number): Buffer[] {
  const texts: Buffer[] = []
  let [start, lines] = [0, 0]
  for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, feed + 1)) {
    lines++
    if (lines < linesOfJob) continue
    texts.push(chunk.subarray(start, feed))
    start = feed + 1
    lines = 0
  }
  if (start < chunk.length) texts.push(chunk.subarray(start))
  return texts
}

/** Runs `work` with a progress bar over all bytes of the files. */
async function withProgress(
  files: readonly string[],
  work: (onBytes: (bytes: number) => void) => Promise<void>,
): Promise<void> {
  const progress = createProgress({ label: 'ingest', unit: 'bytes', ...(await totalBytes(files)) })
  let done = 0
  try {
    await work((bytes) => {
      done += bytes
      progress.update(done)
    })
  } finally {
    progress.finish()
  }
}

/** Yields the parts of all files, one file after another, so that many small files are also processed in parallel. */
async function* partsOf(
  files: readonly string[],
  threads: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer | FileRange> {
  for (const file of files) {
    const bytes = await plainBytes(file)
    if (bytes === null) yield* openLines(file, onBytes)
    else yield* rangesOf(file, bytes, RANGE_BYTES, Math.min(threads, Math.ceil(bytes / THREAD_BYTES)))
  }
}

async function* chunksOf(files: readonly string[], onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (const file of files) yield* openLines(file, onBytes)
}

/** Calls `take` for each part, at most `most` of them at once. Stops at the first failure and throws it. */
async function eachOf<Part>(
  parts: AsyncIterable<Part>,
  most: number,
  take: (part: Part) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let failure: unknown
  for await (const part of parts) {
    const task = take(part)
      .catch((error) => void (failure ??= error))
      .finally(() => underWay.delete(task))
    underWay.add(task)
    if (underWay.size >= most) await Promise.race(underWay)
    if (failure !== undefined) break
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure
}

/** Returns the size of a file that threads can read in parts; null if it is a stream or is packed. */
async function plainBytes(file: string): Promise<number | null> {
  if (file === '-' || !(await stat(file)).isFile()) return null
  return (await isPacked(file)) ? null : (await stat(file)).size
}

/** Returns the size of all files; nothing with standard input. @throws CoolerError `not-found` if one is missing */
async function totalBytes(files: readonly string[]): Promise<{ total?: number }> {
  let total = 0
  for (const file of files) {
    if (file === '-') return {}
    try {
      total += (await stat(file)).size
    } catch (error) {
      throw new CoolerError('not-found', `${file} cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }
  return { total }
}
