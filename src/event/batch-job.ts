import type { ImportNote } from './import-note.ts'

/**
 * Data of a job: the events as JSON values, or as text, one JSON event a line. Text is cheaper for the worker: BullMQ
 * parses the data of every job that it fetches, and of text there is only a string to build. `packed` is of our own
 * programs only: events that one of them has checked (src/ingest/packed/batch-codec.ts), in base64; `ndjson` is what else there is.
 *
 * `receivedAt`, epoch ms, is when an intake of ours received the batch; absent where a producer enqueued it itself.
 * `import` is the import of files that the events are of; absent where they are of none.
 */
export type BatchJob = ({ events: unknown[] } | { ndjson: string } | { packed: string; ndjson?: string }) & {
  receivedAt?: number
  import?: ImportNote
}

/** What a batch job returns: how many of its events landed, and how many were rejected. */
export interface BatchResult {
  landed: number
  rejected: number
}

/** Longest JSON text of one event that our producer sends, in bytes of UTF-8. */
export const MAX_EVENT_BYTES = 64 * 1024

/** Most bytes of events (UTF-8) that our producer puts into one job; Redis takes no string above 512 MiB. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024
