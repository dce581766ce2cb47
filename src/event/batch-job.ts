import type { ImportNote } from './import-note.ts'

/**
 * Data of a job: the events as JSON values, or as text, one JSON event a line. Text is cheaper for the worker: BullMQ
 * parses the data of every job that it fetches, and for text it only builds one string. Only our own programs send
 * `packed`: events that they have checked (src/ingest/packed/batch-codec.ts), in base64, with the others in `ndjson`.
 *
 * `receivedAt` (epoch ms) is when one of our intakes received the batch; absent if a producer enqueued it directly.
 * `import` is the file import that the events belong to; absent if they belong to none.
 */
export type BatchJob = ({ events: unknown[] } | { ndjson: string } | { packed: string; ndjson?: string }) & {
  receivedAt?: number
  import?: ImportNote
}

/** Result of a batch job: how many of its events landed, and how many were rejected. */
export interface BatchResult {
  landed: number
  rejected: number
}

/** Longest JSON text of one event that our producer sends, in bytes of UTF-8. */
export const MAX_EVENT_BYTES = 64 * 1024

/** Most bytes of events (UTF-8) that our producer puts into one job; Redis takes no string above 512 MiB. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024
