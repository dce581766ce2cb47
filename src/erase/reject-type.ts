/**
 * Whether a rejected event, of which a text is kept, is of a type. A text that is cut short or no JSON is of the type if
 * it says so anywhere.
 */
export function isOfType(raw: string, type: string): boolean {
  try {
    const event: unknown = JSON.parse(raw)
    if (typeof event === 'object' && event !== null) return (event as { type?: unknown }).type === type
  } catch {
    // What is no JSON is searched.
  }
  return new RegExp(`"type"\\s*:\\s*"${type}"`).test(raw)
}
