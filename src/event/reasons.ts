/** Reasons to reject an event (RULES.md 2) and their meanings, in order of precedence: the first that applies is used. */
export const REASON_MEANINGS = {
  'bad-row': 'a row of a file that has more fields than its header',
  'not-an-object': 'not JSON, or not a JSON object',
  'bad-device-id': '`deviceId` is not a string of 1 to 256 UTF-16 units',
  'bad-at': '`at` is neither RFC 3339 with an offset nor an integer',
  'at-in-seconds': '`at` is an integer below 10^11: seconds instead of milliseconds',
  'at-too-old': '`at` is before 2000-01-01T00:00:00Z',
  'at-in-future': '`at` is more than 24 hours after landing',
  'raw-purged': 'the raw events of its day have been deleted',
  'unknown-type': '`type` is not a type of event',
  'missing-field': 'a field that the type needs is absent',
  'one-of-two': 'both fields of a pair that excludes each other are present',
  'not-a-boolean': '`open` or `on` is present and is neither true nor false',
  'not-a-number': 'a string, boolean, null or infinity instead of a number, or a fraction instead of an integer',
  'out-of-range': 'a value is outside its bounds, or an address is too long or not a string',
  'null-island': 'a fix at exactly 0,0',
  'coarse-fix': 'an accuracy worse than 500 m',
  'bad-timezone': '`timezone` is not an IANA zone name; `BST` and `PST`, for example, are none',
} as const

export type Reason = keyof typeof REASON_MEANINGS

export const REASONS = Object.keys(REASON_MEANINGS) as readonly Reason[]

/** Tells whether a value is a reason for rejection. */
export const isReason = (name: unknown): name is Reason => REASONS.includes(name as Reason)
