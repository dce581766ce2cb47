/**
 * Returns a text as every engine can store it: PostgreSQL takes no NUL character, and UTF-8 no half of a surrogate pair.
 * Both become U+FFFD.
 */
export const storableText = (text: string): string => Buffer.from(text.replaceAll('\0', '\ufffd')).toString()
