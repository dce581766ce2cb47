import { checkEvent } from '../check-event.ts'
import { dayFigures, rangeFigures } from '../figures.ts'
import type { KeptEvent } from '../kept-event.ts'
import { DEFAULT_SETTINGS } from '../settings.ts'
import type { Case, Expected, Step } from './case.ts'
import { postedValues } from './posted-values.ts'

/** Something a case expects, under a name that says where, and what the reference makes of it. */
export type Outcome = Record<'expected' | 'actual', Record<string, unknown>>

/** Plays a case against the reference alone; every event lands, and every report is as of, `nowMs`. */
export function playCase(test: Case, nowMs: number): Outcome {
  const outcome: Outcome = { expected: {}, actual: {} }
  const kept: KeptEvent[] = []
  let checked: ReturnType<typeof checkEvent>[] = []
  test.steps.forEach((step, i) => {
    const note = (what: string, expected: unknown, actual: unknown) => {
      if (expected === undefined) return
      outcome.expected[`step ${i + 1}: ${what}`] = expected
      outcome.actual[`step ${i + 1}: ${what}`] = actual
    }
    const values = postedValues(step)
    if (values !== null) {
      checked = values.map((value) => checkEvent(value, nowMs))
      for (const result of checked) if ('event' in result) kept.push(result.event)
    }
    if (step.expectPost !== undefined) notePost(step.expectPost, checked, note)
    const isReport = step.daily !== undefined || step.summary !== undefined
    if (isReport && step.expect?.status === 200) noteReport(step, step.expect, kept, nowMs, note)
  })
  return outcome
}

type Note = (what: string, expected: unknown, actual: unknown) => void

function notePost(
  expected: NonNullable<Step['expectPost']>,
  checked: readonly ReturnType<typeof checkEvent>[],
  note: Note,
): void {
  const rejections = checked.flatMap((result, index) => ('reason' in result ? [{ index, reason: result.reason }] : []))
  // A null reason fits any.
  const reasons = rejections.map(({ reason }, i) => (expected.reasons?.[i] === null ? null : reason))
  const indexes = rejections.map(({ index }) => index)
  note('accepted', expected.accepted, checked.length - rejections.length)
  note('rejected', expected.rejected, rejections.length)
  note('reasons', expected.reasons, reasons)
  note('indexes', expected.indexes, indexes)
}

/** The ids of the entries in the order of the answer (RULES.md section 5). */
function selectedIds({ daily, summary }: Step, kept: readonly KeptEvent[]): string[] {
  const registered = [...new Set(kept.map((event) => event.deviceId))].sort()
  const { assertIds, assertIdsGenerated: rule } = daily ?? summary ?? {}
  const generated = rule && Array.from({ length: rule.count }, (_, i) => `${rule.prefix}${i}`)
  const asked = generated ?? assertIds ?? registered
  return registered.filter((id) => asked.includes(id))
}

function noteReport(step: Step, expect: Expected, kept: readonly KeptEvent[], nowMs: number, note: Note): void {
  const { daily, summary } = step
  const ids = selectedIds(step, kept)
  const entries = Object.entries(expect.entries ?? {})
  note('deviceCount', expect.deviceCount, ids.length)
  note('order', expect.order, ids)
  if (expect.exact) note('ids', entries.map(([id]) => id).sort(), ids)
  for (const [id, fields] of entries) {
    const figures: object | undefined =
      (daily && dayFigures(kept, id, daily.day, DEFAULT_SETTINGS, nowMs)) ??
      (summary && rangeFigures(kept, id, summary.startDay, summary.endDay, DEFAULT_SETTINGS, nowMs))
    const actual = new Map<string, unknown>(Object.entries(figures ?? {}))
    note(`${id} is listed`, true, ids.includes(id))
    for (const [field, value] of Object.entries(fields)) note(`${id} ${field}`, value, actual.get(field))
  }
}
