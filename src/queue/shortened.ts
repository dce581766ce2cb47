/** Most UTF-16 units of a text, and items of a list, that are shown. */
const MOST_UNITS = 1000
const MOST_ITEMS = 20

/** Returns a job's data shortened for display: a batch may be megabytes, and its beginning shows what it is. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MOST_UNITS ? `${value.slice(0, MOST_UNITS)}${describeLength(value)}` : value
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_ITEMS).map(shortened)
    return value.length > MOST_ITEMS
      ? [...items, `and ${(value.length - MOST_ITEMS).toLocaleString('en')} more`]
      : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]))
}

const describeLength = ({ length }: string): string => `... (${length.toLocaleString('en')} characters)`
