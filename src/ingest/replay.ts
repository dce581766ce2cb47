import type { Reason } from '../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import type { Reject, RejectReads } from '../store/rejects.ts'
import type { Intake } from './intake.ts'

/** Most bytes of text that one replay takes. */
const MOST_BYTES = 16 * 1024 * 1024

/** Selects rejected events by reason or by ids, only with ids below `before`. */
export interface ReplayRequest {
  reason?: Reason | undefined
  ids?: readonly number[] | undefined
  before?: number | undefined
}

/** The outcome of a replay of rejected events. */
export interface ReplayResult {
  /** Accepted by the intake and removed from the rejected events. */
  accepted: number
  /** Rejected again by today's checks, and kept under a new id. */
  rejected: number
  /** The first events that were rejected again, by their previous id. */
  rejections: { id: number; reason: Reason }[]
  /** Not replayed, because their whole text is not stored: it was cut, or its bytes were not UTF-8. */
  left: number
  /** `before` for the next call if there may be more events, else null. */
  next: number | null
}

export interface ReplayParts {
  rejects: Pick<RejectReads, 'page' | 'counts'>
  intake: Intake
  /** Deletes stored rejected events. */
  forget(ids: readonly number[]): Promise<void>
}

/**
 * Gives rejected events to the intake again, newest first, at most MAX_BATCH_EVENTS of them: for example after a clock
 * was corrected, or when a new version reads more. They are deleted after the intake has answered. If a replay stops in
 * between and is repeated, the same events land again, which count once.
 */
export async function replayRejects(
  { rejects, intake, forget }: ReplayParts,
  { reason, ids, before }: ReplayRequest,
): Promise<ReplayResult> {
  const page = await rejects.page({ limit: MAX_BATCH_EVENTS, before, reason, ids })
  const inHand = withinBytes(page)
  const whole = inHand.filter(isWhole)
  const result = { accepted: 0, rejected: 0, rejections: [] as ReplayResult['rejections'] }
  if (whole.length > 0) {
    const ndjson = Buffer.from(whole.map((reject) => reject.raw).join('\n'))
    const { landed, rejected, rejections } = await intake.accept({ ndjson })
    await forget(whole.map(({ id }) => id))
    Object.assign(result, { accepted: landed, rejected })
    result.rejections = rejections.map(({ index, reason: again }) => ({ id: whole[index].id, reason: again }))
  }
  const isLast = inHand.length === page.length && page.length < MAX_BATCH_EVENTS
  return { ...result, left: inHand.length - whole.length, next: isLast ? null : inHand[inHand.length - 1].id }
}

/** Returns the first events whose texts have at most MOST_BYTES together; at least one event. */
function withinBytes(rejects: readonly Reject[]): readonly Reject[] {
  let bytes = 0
  const end = rejects.findIndex(({ rawBytes }, index) => {
    bytes += Math.min(rawBytes, MOST_BYTES)
    return index > 0 && bytes > MOST_BYTES
  })
  return end < 0 ? rejects : rejects.slice(0, end)
}

/** Tells whether the stored text is complete, unchanged and a single line. */
function isWhole({ raw, rawBytes, reason }: Reject): boolean {
  if (Buffer.byteLength(raw) !== rawBytes || raw.trim() === '' || raw.includes('\n')) return false
  // Bytes that are not UTF-8 were stored as U+FFFD, so the text might now be an event, and of another device.
  return !(reason === 'not-an-object' && raw.includes('\uFFFD'))
}
