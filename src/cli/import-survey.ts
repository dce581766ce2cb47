import { type CheckContext, checkEvent } from '../event/check-event.ts'
import { EventBatch } from '../event/event-batch.ts'
import { REASONS, type Reason } from '../event/reasons.ts'
import type { ImportedRow } from './import-rows.ts'

/** Most events, and most rejects, that a survey keeps for display. */
const MOST_SHOWN = 10
/** Events checked into one batch. The batch is never landed. */
const BATCH_EVENTS = 10_000

/** The expected outcome of an import. */
export interface Survey {
  rows: number
  /** Rows from which the mapping makes no event, though it does not exclude them. */
  empty: number
  /** File and line of the first of these rows. */
  firstEmpty: string | null
  events: number
  rejected: number
  reasons: Partial<Record<Reason, number>>
  /** Good events from before `oldBefore`. */
  old: number
  first: unknown[]
  firstRejects: { file: string; line: number; reason: Reason; event: unknown }[]
}

/**
 * Reads all rows and checks their events as landing will, without landing anything.
 *
 * @param oldBefore epoch ms
 * @throws CoolerError `bad-request` if a file cannot be read to its end
 */
export async function survey(
  rows: AsyncIterable<ImportedRow>,
  context: CheckContext,
  oldBefore: number,
  onRow: (rows: number) => void,
): Promise<Survey> {
  const counts = new Map<Reason, number>()
  const result: Survey = {
    rows: 0,
    empty: 0,
    firstEmpty: null,
    events: 0,
    rejected: 0,
    reasons: {},
    old: 0,
    first: [],
    firstRejects: [],
  }
  let batch = new EventBatch()
  for await (const { file, line, events, isExcluded } of rows) {
    onRow(++result.rows)
    if (events.length === 0 && !isExcluded) {
      result.empty++
      result.firstEmpty ??= `${file}:${line}`
    }
    for (const event of events) {
      if (batch.landed >= BATCH_EVENTS) batch = new EventBatch(batch)
      const before = batch.count
      const reason = checkEvent(event, context, batch)
      result.events++
      if (result.first.length < MOST_SHOWN && reason === null) result.first.push(event)
      if (batch.count > before && batch.at[before] < oldBefore) result.old++
      if (reason === null) continue
      result.rejected++
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
      if (result.firstRejects.length < MOST_SHOWN) result.firstRejects.push({ file, line, reason, event })
    }
  }
  for (const reason of REASONS) if (counts.has(reason)) result.reasons[reason] = counts.get(reason) as number
  return result
}
