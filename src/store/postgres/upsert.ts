import type { Session } from './session.ts'

/** Rows of one statement; each value of each row is a parameter, of which there may be 65 535. */
const ROWS = 500

/** Inserts rows, or replaces the other columns of those with the same key. */
export async function upsert(
  session: Session,
  table: string,
  { key, others }: { key: readonly string[]; others: readonly string[] },
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const columns = [...key, ...others]
  const set = others.map((name) => `${name} = excluded.${name}`).join(', ')
  for (let from = 0; from < rows.length; from += ROWS) {
    const some = rows.slice(from, from + ROWS)
    const places = some.map((_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`)
    await session.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places.join(', ')}
       ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`,
      some.flat(),
    )
  }
}
