/** Matches `{part}`, a placeholder, and `{part|one|other}`, which gives `one` if the part is 1 and else `other`. */
const PLACE = /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g

export type MessageParts = Record<string, string | number>

/** Returns a message with its parts filled in: texts as they are, numbers as formatted by `written`. */
export function messageText(text: string, parts: MessageParts, written: (value: number) => string): string {
  return text.replace(PLACE, (whole, part: string, one?: string, other?: string) => {
    const value = parts[part] ?? whole
    if (one !== undefined && other !== undefined) return value === 1 ? one : other
    return typeof value === 'number' ? written(value) : value
  })
}
