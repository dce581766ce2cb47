import type { Reason } from '../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import type { Reject, RejectReads } from '../store/rejects.ts'
import type { Intake } from './intake.ts'

/** Most bytes of text that one replay takes in hand. */
const MOST_BYTES = 16 * 1024 * 1024

/** Which rejected events: of that reason or with these ids, with ids below `before`. */
export interface ReplayRequest {
  reason?: Reason | undefined
  ids?: readonly number[] | undefined
  before?: number | undefined
}

/** What became of rejected events that were given to the intake again. */
export interface ReplayResult {
  /** Taken in, and no rejected events any more. */
  accepted: number
  /** Rejected once more, by today's checks: kept anew, under a new id. */
  rejected: number
  /** The first of those, by the id that they had. */
  rejections: { id: number; reason: Reason }[]
  /** Left where they are, since their whole text is not there: it was cut, or its bytes were no UTF-8. */
  left: number
  /** `before` of the next call where there may be more, else null. */
  next: number | null
}

export interface ReplayParts {
  rejects: Pick<RejectReads, 'page'>
  intake: Intake
  /** Takes rejected events out of those that are kept. */
  forget(ids: readonly number[]): Promise<void>
}

/**
 * Gives rejected events to the intake again, newest first, at most MAX_BATCH_EVENTS of them: after a clock was put
 * right, say, or once a version reads what an earlier one did not. They are forgotten when the intake has answered: who
 * is cut short in between and does it again lands the same events again, which count once.
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

/** As many from the first on as are not too much at once; one at least. */
function withinBytes(rejects: readonly Reject[]): readonly Reject[] {
  let bytes = 0
  const end = rejects.findIndex(({ rawBytes }, index) => {
    bytes += Math.min(rawBytes, MOST_BYTES)
    return index > 0 && bytes > MOST_BYTES
  })
  return end < 0 ? rejects : rejects.slice(0, end)
}

/** Whether the text is what came, all of it, and a line of its own. */
function isWhole({ raw, rawBytes, reason }: Reject): boolean {
  if (Buffer.byteLength(raw) !== rawBytes || raw.trim() === '' || raw.includes('\n')) return false
  // Where bytes were no UTF-8 their text has this in their place: it might be an event by now, of another device.
  return !(reason === 'not-an-object' && raw.includes('\uFFFD'))
}
