/** Error codes of Redis that retrying does not change. In its protocol an error answer begins with its code. */
const FINAL_CODES = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'WRONGTYPE'])

/**
 * Tells whether retrying is useless. All other errors may pass: Redis is away, loading its file (LOADING), full (OOM),
 * cannot write to its disk (MISCONF), or another node has become the primary (READONLY).
 */
export function isRefusal(error: Error): boolean {
  return error.name === 'ReplyError' && FINAL_CODES.has(error.message.split(' ', 1)[0] ?? '')
}
