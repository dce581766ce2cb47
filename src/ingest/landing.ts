import type { DeviceLimit } from '../base/device-limit.ts'
import type { Commit } from '../base/metrics.ts'
import { type CheckContext, checkEvent, headOf } from '../event/check-event.ts'
import { EventBatch } from '../event/event-batch.ts'
import type { ImportNote } from '../event/import-note.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import type { LandingGroup, Landing as StoreLanding } from '../store/landing.ts'
import { type LandingResult, MAX_REJECTIONS } from './landing-result.ts'
import { addPacked } from './packed/add-packed.ts'
import { decodeBatch } from './packed/batch-codec.ts'
import { eventsOf, formatEvent, type RawEvent, readJsonBatch, readLines, tooLong } from './read-batch.ts'
import { requireWithin } from './require-within.ts'
import { scanLines } from './scan/scan-lines.ts'

export type { LandingResult, Rejection } from './landing-result.ts'

/**
 * A batch as it came in. A packed batch (pack-batch.ts) comes with the lines of further events. `receivedAt` (epoch ms)
 * is when one of our intakes took the batch, if that was not just now. `within` limits the devices that the sender may
 * report: a batch with an event of any other device is refused whole. `import` is the batch's import, if any.
 */
export type IncomingBatch = (
  | { json: Uint8Array }
  | { ndjson: Uint8Array; mostLines?: number }
  | { events: unknown }
  | { packed: Uint8Array; lines: Uint8Array }
) & { receivedAt?: number; within?: DeviceLimit | null; import?: ImportNote | null }

/** A group that holds this many events is committed without waiting for further batches. */
const GROUP_EVENTS = 600_000

export interface LandingOptions {
  now: () => number
  /** Raw events of the days before this instant (epoch ms) may have been deleted; it never decreases. */
  purgedBefore: () => number
  /** The import that all batches belong to; no import unless set. */
  import?: ImportNote | null
  /** Called after each commit. */
  onCommit?: (commit: Commit) => void
}

interface Waiter {
  result: LandingResult
  resolve(result: LandingResult): void
  reject(error: unknown): void
}

/**
 * Lands batches by group commit: all batches that come in while a commit is under way share the next commit. A batch is
 * answered only when its events are durable. If the commit fails, every batch of the group is rejected with its error,
 * and no event of the group has landed.
 */
export class Landing {
  readonly #store: Pick<StoreLanding, 'land'>
  readonly #options: LandingOptions
  #group: EventBatch
  /** The previous group. The next group reuses its columns, since new ones would have to grow to that size again. */
  #landed: EventBatch | null = null
  /** The `purgedBefore` that the first batch of the group was checked against. */
  #checkedFrom = 0
  #waiters: Waiter[] = []
  #scheduled = false
  #isCommitting = false

  constructor(store: Pick<StoreLanding, 'land'>, options: LandingOptions) {
    this.#store = store
    this.#options = options
    this.#group = this.#newGroup()
  }

  /**
   * Checks a batch and lands its good events; rejected events are kept with their reason.
   *
   * @throws CoolerError `bad-request` or `batch-too-long` if it is not a valid batch, `forbidden` if an event is not
   * `within` its limit (nothing is kept then), `store-busy` or `store-full` if it could not be made durable.
   */
  land(batch: IncomingBatch): Promise<LandingResult> {
    return new Promise((resolve, reject) => {
      const context = checkContext(batch, this.#options)
      if (this.#waiters.length === 0) this.#checkedFrom = context.purgedBefore
      const result = checkInto(this.#group, batch, context)
      this.#waiters.push({ result, resolve, reject })
      if (this.#group.landed >= GROUP_EVENTS) this.commit()
      else this.#schedule()
    })
  }

  #newGroup(): EventBatch {
    return new EventBatch(this.#landed, this.#options.import)
  }

  /** Schedules a commit in setImmediate, so that batches that are already waiting join the group first. */
  #schedule(): void {
    if (this.#scheduled || this.#isCommitting) return
    this.#scheduled = true
    setImmediate(() => this.commit())
  }

  /**
   * Commits the batches that have come in, without waiting for further ones, then those that came in meanwhile. While a
   * commit is under way, they are committed after it anyway.
   */
  commit(): void {
    this.#scheduled = false
    if (this.#isCommitting || this.#waiters.length === 0) return
    const group = this.#group
    const waiters = this.#waiters
    const checkedFrom = this.#checkedFrom
    this.#group = this.#newGroup()
    this.#landed = null
    this.#waiters = []
    this.#isCommitting = true
    void this.#land(group, checkedFrom, waiters).then(() => {
      this.#landed = group
      this.#isCommitting = false
      this.commit()
    })
  }

  /** Never rejects: success or failure is passed to the promise of each batch. */
  async #land(group: LandingGroup, checkedFrom: number, waiters: readonly Waiter[]): Promise<void> {
    const { now, onCommit } = this.#options
    try {
      const from = performance.now()
      await this.#store.land(group, now(), checkedFrom)
      onCommit?.({ seconds: (performance.now() - from) / 1000, events: eventsIn(group), newestAt: newestOf(group) })
      for (const { resolve, result } of waiters) resolve(result)
    } catch (error) {
      for (const { reject } of waiters) reject(error)
    }
  }
}

const eventsIn = ({ count, placements }: LandingGroup): number => count + placements.length

function newestOf({ at, count }: LandingGroup): number | null {
  let newest = -Infinity
  for (let row = 0; row < count; row++) if (at[row] > newest) newest = at[row]
  return count === 0 ? null : newest
}

/** Returns what the checks of a batch depend on besides its events. */
export function checkContext({ receivedAt }: IncomingBatch, { now, purgedBefore }: LandingOptions): CheckContext {
  // An intake whose clock runs ahead must not let events of the future in.
  return { landedAt: Math.min(receivedAt ?? Infinity, now()), purgedBefore: purgedBefore() }
}

/** Checks a batch and adds it to a group. Adds nothing and throws if it is malformed or not all `within` its limit. */
export function checkInto(
  group: EventBatch,
  batch: IncomingBatch,
  context: CheckContext,
  onRejected?: (event: RawEvent) => void,
): LandingResult {
  if ('packed' in batch) return unpackInto(group, batch, context)
  // A limited batch is parsed with JSON.parse, so that the values compared with the limit are the values that land.
  if ('ndjson' in batch && !batch.within)
    return scanLines(asBuffer(batch.ndjson), context, group, { most: batch.mostLines, onRejected })
  return checkEvents(group, readBatch(batch), context, onRejected)
}

function unpackInto(
  group: EventBatch,
  { packed, lines }: { packed: Uint8Array; lines: Uint8Array },
  context: CheckContext,
): LandingResult {
  const batch = decodeBatch(asBuffer(packed))
  const most = MAX_BATCH_EVENTS - batch.count - batch.placements.length
  if (most < 0) throw tooLong()
  const ofLines = scanLines(asBuffer(lines), context, group, { most })
  const ofPacked = addPacked(batch, context, group)
  return {
    landed: ofLines.landed + ofPacked.landed,
    rejected: ofLines.rejected + ofPacked.rejected,
    rejections: [...ofLines.rejections, ...ofPacked.rejections].slice(0, MAX_REJECTIONS),
  }
}

/** Checks parsed events and adds them to a group. */
function checkEvents(
  group: EventBatch,
  events: readonly RawEvent[],
  context: CheckContext,
  onRejected?: (event: RawEvent) => void,
): LandingResult {
  const result: LandingResult = { landed: 0, rejected: 0, rejections: [] }
  for (const [index, event] of events.entries()) {
    const reason = checkEvent(event.value, context, group)
    if (reason === null) {
      result.landed++
      continue
    }
    group.reject(reason, formatEvent(event), headOf(event.value))
    onRejected?.(event)
    result.rejected++
    if (result.rejections.length < MAX_REJECTIONS) result.rejections.push({ index, reason })
  }
  return result
}

export type ReadableBatch = Exclude<IncomingBatch, { packed: Uint8Array }>

/** Reads the events of a batch. @throws CoolerError `bad-request`, `batch-too-long`, `forbidden` */
export function readBatch(batch: ReadableBatch): RawEvent[] {
  const events = allEvents(batch)
  if (batch.within) requireWithin(events, batch.within)
  return events
}

function allEvents(batch: ReadableBatch): RawEvent[] {
  if ('json' in batch) return readJsonBatch(asBuffer(batch.json))
  if ('ndjson' in batch) return readLines(asBuffer(batch.ndjson), batch.mostLines)
  return eventsOf(batch.events)
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
