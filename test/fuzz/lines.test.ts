import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchOf } from '../../jobs/ingest.ts'
import { EventBatch } from '../../src/event/event-batch.ts'
import { lineChunks, openLines } from '../../src/ingest/files/line-chunks.ts'
import { checkInto, type ReadableBatch, readBatch } from '../../src/ingest/landing.ts'
import { scanLines } from '../../src/ingest/scan/scan-lines.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { type Damage, damage, damaged, damages } from './damage.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, tellRuns } from './fuzz-runs.ts'
import { batchTexts, bodyOf, bytesOf } from './http-bodies.ts'
import { expand } from './json-text.ts'
import { checkAll, contentsOf, plainly, rejectedTexts } from './ways.ts'

const CONTEXT = { landedAt: Date.now(), purgedBefore: 0 }
const ALL = { most: Number.MAX_SAFE_INTEGER }
const LINE_FEED = 0x0a

interface Lines {
  text: string
  damages: readonly Damage[]
}

const lines: fc.Arbitrary<Lines> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ text: batchTexts.lines, damages }) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => ({ text: Buffer.from(bytes).toString('latin1'), damages: [] })),
  },
)
const bytesOfLines = ({ text, damages: all }: Lines): Buffer => damaged(Buffer.from(expand(text)), all)

function plainOutcome(bytes: Buffer): { result: unknown; contents: unknown; texts: string[] } {
  const batch = new EventBatch()
  const result = plainly(bytes, CONTEXT, batch)
  return { result, contents: contentsOf(batch), texts: rejectedTexts(batch) }
}

test(
  'damaged lines are landed and rejected as the plain path has them',
  () => {
    const startedAt = performance.now()
    fc.assert(
      fc.property(lines, (input) => {
        const bytes = bytesOfLines(input)
        const batch = new EventBatch()
        const result = scanLines(bytes, CONTEXT, batch, ALL)
        expect({ result, contents: contentsOf(batch), texts: rejectedTexts(batch) }).toEqual(plainOutcome(bytes))
      }),
      fuzzed('damaged lines'),
    )
    tellRuns('damaged lines', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

/** The pieces between some places, taken modulo the length. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).sort((one, other) => one - other)
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length))
}

async function* streamOf(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

test(
  'wherever a stream is cut, its chunks are its bytes in their order, end where lines end and land the same',
  async () => {
    const startedAt = performance.now()
    const cuts = fc.array(fc.nat(100_000_000), { maxLength: 6 })
    // Some are long enough to be cut by the reader itself, the others by their stream alone.
    const repeats = fc.oneof({ weight: 60, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3_000_000) })
    await fc.assert(
      fc.asyncProperty(lines, cuts, repeats, async (input, places, size) => {
        const once = Buffer.concat([bytesOfLines(input), Buffer.of(LINE_FEED)])
        const bytes = Buffer.alloc(Math.max(once.length, size), once)
        const chunks: Buffer[] = []
        for await (const chunk of lineChunks(streamOf(cutAt(bytes, places)))) chunks.push(chunk)
        expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
        for (const chunk of chunks.slice(0, -1)) expect(chunk.at(-1)).toBe(LINE_FEED)
        const batch = new EventBatch()
        for (const chunk of chunks.flatMap(halved)) scanLines(chunk, CONTEXT, batch, ALL)
        expectSame(contentsOf(batch), plainOutcome(bytes).contents)
      }),
      fuzzed('chunks of lines'),
    )
    tellRuns('chunks of lines', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

/** As toEqual has it, and fast where they are the same, however long. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** Cut once more where a line ends, so that several chunks make one batch of a small input, too. */
function halved(chunk: Buffer): Buffer[] {
  const feed = chunk.indexOf(LINE_FEED, chunk.length >> 1) + 1
  return [chunk.subarray(0, feed), chunk.subarray(feed)]
}

test(
  'a file of lines that is packed, damaged or both is read to its end or fails',
  async () => {
    const startedAt = performance.now()
    const file = join(temporaryFolder(), 'events')
    const spoiled = fc.array(damage, { minLength: 1, maxLength: 3 })
    const size = fc.constantFrom(0, 100_000, 3_000_000)
    await fc.assert(
      fc.asyncProperty(lines, size, spoiled, fc.boolean(), async (input, length, all, isSpoiled) => {
        const once = Buffer.concat([bytesOfLines(input), Buffer.of(LINE_FEED)])
        const bytes = Buffer.alloc(Math.max(once.length, length), once)
        const packed = gzipSync(bytes, { level: 1 })
        writeFileSync(file, isSpoiled ? damaged(packed, all) : packed)
        const read = await readAll(file)
        if (!isSpoiled) expect(read?.equals(bytes)).toBe(true)
      }),
      fuzzed('gzip of lines'),
    )
    tellRuns('gzip of lines', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)

/** Null where it cannot be read. */
async function readAll(file: string): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of openLines(file)) chunks.push(chunk)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return null
  }
  return Buffer.concat(chunks)
}

test(
  'what an intake accepts and rejects of a batch, a worker lands and rejects of what it put into the queue',
  async () => {
    const startedAt = performance.now()
    const { pipeline } = await temporaryService({ api: false, work: false })
    const receivedAt = CONTEXT.landedAt
    await fc.assert(
      fc.asyncProperty(bodyOf('telemetry'), fc.boolean(), async (body, asJson) => {
        const bytes = bytesOf({ ...body, packing: 'plain' })
        const batch: ReadableBatch = asJson ? { json: bytes } : { ndjson: bytes }
        let events: ReturnType<typeof readBatch>
        try {
          events = readBatch(batch)
        } catch {
          await expect(pipeline.ingest.run('check', { ...batch, receivedAt })).rejects.toThrow()
          return
        }
        const expected = new EventBatch()
        const verdict = checkAll(events, CONTEXT, expected)
        const { result, job } = await pipeline.ingest.run('check', { ...batch, receivedAt })
        expect(result).toEqual(verdict)
        const actual = new EventBatch()
        const { landed, rejected, rejections } = checkInto(actual, batchOf(job), CONTEXT)
        expect({ landed, rejected }).toEqual({ landed: verdict.landed, rejected: verdict.rejected })
        expect(rejections.map(({ reason }) => reason)).toEqual(verdict.rejections.map(({ reason }) => reason))
        expect(contentsOf(actual)).toEqual(contentsOf(expected))
      }),
      fuzzed('lines of a queue'),
    )
    tellRuns('lines of a queue', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
