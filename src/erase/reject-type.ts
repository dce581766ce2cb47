/**
 * Returns whether the kept text of a rejected event is of a type. A text that was cut short, or is not JSON, is of the
 * type if it names it anywhere.
 */
export function isOfType(raw: string, type: string): boolean {
  try {
    const event: unknown = JSON.parse(raw)
    if (typeof event === 'object' && event !== null) return (event as { type?: unknown }).type === type
  } catch {
    // Text that is not JSON is searched below.
  }
  return new RegExp(`"type"\\s*:\\s*"${type}"`).test(raw)
}
