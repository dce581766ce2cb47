/** The columns of a message, without its id and body. */
export const MESSAGE_COLUMNS = [
  ...['subscription', 'type', 'day', 'to_day', 'version', 'created_at', 'is_stale', 'state', 'attempts', 'next_at'],
  ...['claimed_until', 'done_at', 'hash', 'error'],
]

/** The columns of a message with the length of its body and its last bytes, which are a checksum. */
export type MarkRow = Record<string, unknown> & { id: string; bytes: number; checksum: string }

/** Returns for each message a text that changes with it. */
export const markMessages = (rows: readonly MarkRow[]): Map<string, string> =>
  new Map(
    rows.map((row) => [
      row.id,
      JSON.stringify([...MESSAGE_COLUMNS.map((name) => row[name]), row.bytes, row.checksum.toLowerCase()]),
    ]),
  )
