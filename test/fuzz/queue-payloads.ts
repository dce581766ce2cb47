import type { JobsOptions } from 'bullmq'
import fc from 'fast-check'
import { MAX_BATCH_EVENTS } from '../../src/event/telemetry-event.ts'
import { decodeBatch } from '../../src/ingest/packed/batch-codec.ts'
import { packLines } from '../../src/ingest/packed/pack-batch.ts'
import { readLines } from '../../src/ingest/read-batch.ts'
import { batchTexts } from './http-bodies.ts'
import { editedObject, expand, jsonText, type Members, ODD_NAMES } from './json-text.ts'

/** A job as some producer may have written it: `data` is the JSON text of its data, with marks (see expand). */
export interface FuzzJob {
  name: string
  options: JobsOptions
  data: string
}

const receivedAt = fc.constantFrom(
  ...['0', '-1', 'null', '"now"', '1e999', '-1e999', '1715335260000.5', '99999999999999', '[]', '9007199254740993'],
)
const lines = batchTexts.lines.map((text): Members => [['ndjson', JSON.stringify(text)]])
const packed = batchTexts.lines.map((text): Members => {
  try {
    const { job } = packLines(Buffer.from(expand(text)), Date.now())
    return Object.entries(job).map(([name, value]) => [name, JSON.stringify(value)])
  } catch {
    return [['packed', '"AQ=="']]
  }
})
const members: fc.Arbitrary<Members> = fc.oneof(
  lines,
  packed,
  batchTexts.array.map((text): Members => [['events', text]]),
  fc.tuple(lines, receivedAt).map(([own, text]): Members => [...own, ['receivedAt', text]]),
)

export const fuzzJob: fc.Arbitrary<FuzzJob> = fc.record({
  name: fc.oneof(fc.constant('batch'), fc.constantFrom(...ODD_NAMES)),
  options: fc.record(
    {
      priority: fc.constantFrom(0, 1, 2_097_151),
      lifo: fc.boolean(),
      attempts: fc.constantFrom(0, 1, 8),
      delay: fc.constantFrom(0, 1, 50),
      removeOnFail: fc.constantFrom(false, 1_000_000),
    },
    { requiredKeys: [] },
  ),
  data: fc.oneof({ weight: 5, arbitrary: editedObject(members) }, { weight: 1, arbitrary: jsonText }),
})

/** What has to become of a job. */
export type Fate = { fails: RegExp } | { events: number }

/** Null where the text is no JSON, so that no producer can have sent it. */
export function fateOf({ data }: FuzzJob): Fate | null {
  let value: { events?: unknown; ndjson?: unknown; packed?: unknown } | null
  try {
    value = JSON.parse(expand(data))
  } catch {
    return null
  }
  const { events, ndjson, packed: bytes } = typeof value === 'object' && value !== null ? value : {}
  if (typeof bytes === 'string') return fateOfPacked(bytes, typeof ndjson === 'string' ? ndjson : '')
  const length = typeof ndjson === 'string' ? lineCount(ndjson) : Array.isArray(events) ? events.length : null
  if (length === null) return { fails: /^bad-request: / }
  return length > MAX_BATCH_EVENTS ? { fails: /^batch-too-long: / } : { events: length }
}

function fateOfPacked(base64: string, ndjson: string): Fate {
  try {
    const { count, placements } = decodeBatch(Buffer.from(base64, 'base64'))
    const events = count + placements.length + lineCount(ndjson)
    return events > MAX_BATCH_EVENTS ? { fails: /^batch-too-long: / } : { events }
  } catch {
    return { fails: /^bad-request: / }
  }
}

const lineCount = (text: string): number => readLines(Buffer.from(text), Number.MAX_SAFE_INTEGER).length
