/** Reasons to reject an event (RULES.md 2), in order of precedence: if several apply, the first is reported. */
export const REASONS = [
  'bad-row',
  'not-an-object',
  'bad-device-id',
  'bad-at',
  'at-in-seconds',
  'at-too-old',
  'at-in-future',
  'raw-purged',
  'unknown-type',
  'missing-field',
  'one-of-two',
  'not-a-boolean',
  'not-a-number',
  'out-of-range',
  'null-island',
  'coarse-fix',
  'bad-timezone',
] as const

export type Reason = (typeof REASONS)[number]

/** Tells whether a value is a reason for rejection. */
export const isReason = (name: unknown): name is Reason => REASONS.includes(name as Reason)
