/** Short texts of a device by key, such as its route, customer and model. Keys are in ascending order. */
export type Labels = Readonly<Record<string, string>>

/** The labels of a device without any. */
export const NO_LABELS: Labels = Object.freeze({})

/** Most labels of one device. */
export const MOST_LABELS = 16
/** Most UTF-16 units of a value. */
export const MOST_VALUE_UNITS = 100

/** What a key looks like, as the source of a regular expression. */
export const LABEL_KEY = '[a-z][a-z0-9_-]{0,31}'
const IS_KEY = new RegExp(`^${LABEL_KEY}$`)

const KEY_RULE = 'a letter from a to z, then at most 31 of a to z, 0 to 9, _ and -'
const VALUE_RULE = `a text of 1 to ${MOST_VALUE_UNITS} characters without control characters, and without blanks at its ends`

/** Tells whether a text can be the key of a label. */
export const isLabelKey = (text: string): boolean => IS_KEY.test(text)

/** Tells whether a text can be the value of a label. */
const isLabelValue = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= MOST_VALUE_UNITS &&
  value === value.trim() &&
  // Lone surrogates are no characters: databases refuse them.
  !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)

/** Checks labels, and returns them with their keys in order. @throws TypeError that says what is wrong */
export function checkLabels(value: unknown): Labels {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('labels must be an object of texts by key')
  const labels = Object.entries(value)
  if (labels.length > MOST_LABELS) throw new TypeError(`a device has at most ${MOST_LABELS} labels`)
  for (const [key, one] of labels) {
    if (!isLabelKey(key)) throw new TypeError(`label key ${JSON.stringify(key.slice(0, 50))} must be ${KEY_RULE}`)
    if (!isLabelValue(one)) throw new TypeError(`label ${key} must be ${VALUE_RULE}`)
  }
  return inOrder(labels)
}

const inOrder = (labels: [key: string, value: string][]): Labels =>
  labels.length === 0 ? NO_LABELS : Object.fromEntries(labels.sort(([one], [other]) => (one < other ? -1 : 1)))

/** Returns the value of a label; null if there is no such label. */
export const labelOf = (labels: Labels, key: string): string | null => (Object.hasOwn(labels, key) ? labels[key] : null)

/** Tells whether labels include all of some others. */
export const includesLabels = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labelOf(labels, key) === value)

/** Returns labels as they are stored: JSON, or null for none. */
export const labelsText = (labels: Labels): string | null =>
  Object.keys(labels).length === 0 ? null : JSON.stringify(labels)

/** Returns stored labels. */
export const parseLabels = (text: string | null): Labels => (text === null ? NO_LABELS : JSON.parse(text))

/** Parses `key:value`. Returns null if the text is no label. */
export function parseLabel(text: string): [key: string, value: string] | null {
  const colon = text.indexOf(':')
  const [key, value] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
  return isLabelKey(key) && isLabelValue(value) ? [key, value] : null
}

/** Formats a label as `key:value`. */
export const formatLabels = (labels: Labels): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}:${value}`)
