/** What is put where a text has `{part}`; for `{part|one|other}` what is said where it is 1, and what is otherwise. */
const PLACE = /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g

export type MessageParts = Record<string, string | number>

/** The text of a message with its parts put in: texts as they are, numbers as `written`. */
export function messageText(text: string, parts: MessageParts, written: (value: number) => string): string {
  return text.replace(PLACE, (whole, part: string, one?: string, other?: string) => {
    const value = parts[part] ?? whole
    if (one !== undefined && other !== undefined) return value === 1 ? one : other
    return typeof value === 'number' ? written(value) : value
  })
}
