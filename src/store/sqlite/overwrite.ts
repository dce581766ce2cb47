import { prepared, type Sqlite, writeTransaction } from './connection.ts'
import { emptyWal } from './wal.ts'

/** Pages that one transaction overwrites, which holds the lock for about ten milliseconds. */
const PAGES_A_STEP = 1024
/** Most pages that a row of the filler needs in addition to the zeros themselves. */
const ROW_PAGES = 2
/** Bytes of each page that SQLite uses for the number of the next page. */
const LINK_BYTES = 4

/** Runs `work`, which deletes rows; the pages that it frees are overwritten with zeros at once. */
export function overwriting<Result>(database: Sqlite, work: () => Result): Result {
  database.pragma('secure_delete = ON')
  try {
    return work()
  } finally {
    database.pragma('secure_delete = FAST')
  }
}

/**
 * Overwrites the pages that deletions have freed: fills them with zeros until none is free, then frees them again.
 * Covers pages that others free meanwhile. Then empties the write-ahead log; returns whether it is empty.
 */
export function overwriteFreed(database: Sqlite): boolean {
  const pageBytes = database.pragma('page_size', { simple: true }) as number
  const fill = prepared(database, 'INSERT INTO filler (zeros) VALUES (zeroblob(?))')
  const isLeft = () =>
    writeTransaction(database, () => {
      const free = database.pragma('freelist_count', { simple: true }) as number
      const pages = Math.min(PAGES_A_STEP, free)
      if (pages > 0) fill.run(Math.max(1, pages - ROW_PAGES) * (pageBytes - LINK_BYTES))
      return pages > 0
    })
  while (isLeft());
  const empty = prepared(database, 'DELETE FROM filler WHERE id = (SELECT max(id) FROM filler)')
  while (writeTransaction(database, () => empty.run().changes > 0));
  return emptyWal(database)
}
