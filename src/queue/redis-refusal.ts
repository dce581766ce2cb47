/** Error codes of Redis that retrying does not change. In its protocol an error answer begins with its code. */
const FINAL_CODES = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'WRONGTYPE', 'MOVED', 'CROSSSLOT'])

/** Errors that mean that the URL is for another kind of server, with what to do about it. */
const WRONG_KINDS: readonly [RegExp, string][] = [
  [/^(MOVED|CROSSSLOT) /, 'this is a node of a Redis Cluster: write redis+cluster:// instead of redis:// into the URL'],
  [/unknown command .?sentinel/i, 'this Redis is no Sentinel: write redis:// instead of redis+sentinel://'],
  [
    /^ERR unknown command/,
    'if this is a Sentinel, write redis+sentinel://HOST:PORT/NAME as the URL, with the name of its master',
  ],
  [/READONLY/, 'this is a replica: write the address of its master into the URL, or that of its Sentinels or cluster'],
  [/cluster support disabled/, 'this Redis is not part of a cluster: write redis:// instead of redis+cluster://'],
]

/**
 * Tells whether retrying is useless. All other errors may pass: Redis is away, loading its file (LOADING), full (OOM),
 * cannot write to its disk (MISCONF), or another node has become the primary (READONLY).
 */
export function isRefusal(error: Error): boolean {
  return error.name === 'ReplyError' && FINAL_CODES.has(error.message.split(' ', 1)[0] ?? '')
}

/** Returns what to change in the URL of a Redis that answers with this error, or null. */
export const adviceOn = ({ message }: Error): string | null =>
  WRONG_KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? null
