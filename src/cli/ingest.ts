import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { CoolerError } from '../errors.ts'
import type { LandingResult } from '../ingest/landing.ts'
import { openLines } from '../ingest/line-chunks.ts'
import { queueLine } from '../ingest/queue-line.ts'
import { readLines } from '../ingest/read-batch.ts'
import { millisecondsInMinute } from '../time.ts'
import { commandContext, UsageError } from './context.ts'
import { logFindings } from './log-findings.ts'
import { createProgress } from './output/progress.ts'
import { openPipeline } from './pipeline.ts'

/** Chunks of lines that a thread has in hand at once: those that wait for one commit, and those that come after it. */
const CHUNKS_A_THREAD = 8
/** Chunks on their way into the queue at once. */
const CHUNKS_ENQUEUED = 4
/** How long a batch is held back by a queue that is full, or by a Redis that is away, before it fails. */
const RETRY_FOR_MS = 10 * millisecondsInMinute

export function ingestCommand(program: Command): void {
  program
    .command('ingest')
    .description('land telemetry from files of one JSON event a line, gzip or not; - is standard input')
    .argument('<file...>', 'files, or - for standard input')
    .option('--queue', 'put the events into the queue at REDIS_URL instead of landing them')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', '\nExamples:\n  cooler ingest events.ndjson.gz\n  zcat events.gz | cooler ingest -\n')
    .action(async (files: string[], options: { queue?: boolean; json?: boolean }) => {
      const outcome = options.queue ? await enqueueFiles(files) : await landFiles(files)
      if (options.json) console.log(JSON.stringify(outcome))
      else
        console.log(
          Object.entries(outcome)
            .map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
            .join(', '),
        )
    })
}

async function landFiles(files: readonly string[]): Promise<Record<string, number>> {
  const { config } = commandContext()
  const { threads } = config
  const pipeline = openPipeline(config, { threads, batchesInHand: CHUNKS_A_THREAD })
  const total = { landed: 0, rejected: 0 }
  const add = ({ landed, rejected }: LandingResult): void => {
    total.landed += landed
    total.rejected += rejected
  }
  try {
    await eachChunk(files, threads * CHUNKS_A_THREAD, async (ndjson) =>
      add(await pipeline.ingest.run('land', { ndjson, mostLines: Number.MAX_SAFE_INTEGER })),
    )
  } finally {
    await pipeline.close()
  }
  return total
}

/** Bad lines go into the queue, too, and are rejected by its workers, where people look for them. */
async function enqueueFiles(files: readonly string[]): Promise<Record<string, number>> {
  const { config, logger } = commandContext()
  const { redisUrl, backlogLimit } = config
  if (redisUrl === null) throw new UsageError('--queue needs REDIS_URL')
  const { checkRedis } = await import('../../jobs/check-redis.ts')
  logFindings(logger)(await checkRedis({ redis: redisUrl, backlogLimit }))
  const { createProducer } = await import('../enqueue/producer.ts')
  const producer = createProducer({ connection: redisUrl, backlogLimit, retryForMs: RETRY_FOR_MS })
  let enqueued = 0
  try {
    await eachChunk(files, CHUNKS_ENQUEUED, async (chunk) => {
      const lines = linesOf(chunk)
      await producer.room()
      await producer.sendLines(lines)
      enqueued += lines.length
    })
  } finally {
    await producer.close()
  }
  return { enqueued }
}

/** What is no UTF-8 goes the long way, by which it stays just as wrong. */
const linesOf = (chunk: Buffer): string[] =>
  isUtf8(chunk)
    ? chunk
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
    : readLines(chunk, Number.MAX_SAFE_INTEGER).map(queueLine)

/** Hands the chunks of all files over, so many at once, with a progress bar; the first failure ends it. */
async function eachChunk(
  files: readonly string[],
  most: number,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const progress = createProgress({ label: 'ingest', unit: 'bytes', ...(await totalBytes(files)) })
  let done = 0
  const underWay = new Set<Promise<void>>()
  let failure: unknown
  try {
    for (const file of files) {
      if (failure !== undefined) break
      const chunks = openLines(file, (bytes) => {
        done += bytes
        progress.update(done)
      })
      for await (const chunk of chunks) {
        const task = take(chunk)
          .catch((error) => void (failure ??= error))
          .finally(() => underWay.delete(task))
        underWay.add(task)
        if (underWay.size >= most) await Promise.race(underWay)
        if (failure !== undefined) break
      }
    }
    await Promise.all(underWay)
  } finally {
    progress.finish()
  }
  if (failure !== undefined) throw failure
}

/** Nothing where a size is not known. @throws CoolerError `not-found` where a file is not there */
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
