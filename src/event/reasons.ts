/** Why an event is rejected (RULES.md 2), in the order of precedence: where several apply, the first is reported. */
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

/** Tells whether a value is a reason of rejection. */
export const isReason = (name: unknown): name is Reason => REASONS.includes(name as Reason)
