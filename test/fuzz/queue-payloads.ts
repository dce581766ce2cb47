import type { JobsOptions } from 'bullmq'
import fc from 'fast-check'
import { MAX_BATCH_EVENTS } from '../../src/enqueue/telemetry-event.ts'
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
const members: fc.Arbitrary<Members> = fc.oneof(
  lines,
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
  let value: { events?: unknown; ndjson?: unknown } | null
  try {
    value = JSON.parse(expand(data))
  } catch {
    return null
  }
  const { events, ndjson } = typeof value === 'object' && value !== null ? value : {}
  const length = typeof ndjson === 'string' ? lineCount(ndjson) : Array.isArray(events) ? events.length : null
  if (length === null) return { fails: /^bad-request: / }
  return length > MAX_BATCH_EVENTS ? { fails: /^batch-too-long: / } : { events: length }
}

const lineCount = (text: string): number => readLines(Buffer.from(text), Number.MAX_SAFE_INTEGER).length
