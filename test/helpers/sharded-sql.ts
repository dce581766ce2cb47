/**
 * Checks SQL against the rules by which a store in PostgreSQL could be distributed over servers by its column `shard`.
 * A statement is split into query blocks (each SELECT by itself), and each block that reads or writes a table with that
 * column has to name it.
 */

/** Tables without the column, with the reason. They are small, and a distributed database would copy them everywhere. */
export const WITHOUT_SHARD: Readonly<Record<string, string>> = {
  guard: 'one row about the whole store',
  rules: 'one row about the whole store',
  setting: 'a row for each setting',
  counter: 'a row for each total and slot of writers',
  import: 'a row for each import, which spreads over all shards',
  reject: 'a limited number of rejected events, most of them of no device',
  subscription: 'a limited number of subscriptions, each for devices of all shards',
  message: 'messages, each about devices of all shards',
  moved_device: 'the progress of a move, gone when it is finished',
  moved_unit: 'the progress of a move, gone when it is finished',
}

/** Statements about tables as a whole, which have no place for a shard. */
const WHOLE_TABLE = /^(CREATE|ALTER|DROP|LOCK) TABLE |^VACUUM /i

/** Statements by which something is decided by the order of ids, with the reason why that is harmless. */
const ORDER_OF_IDS: readonly [RegExp, string][] = [
  [
    /^DELETE FROM reject WHERE id IN \( ?SELECT id FROM reject WHERE id <= /,
    'drops about the oldest of a limited number',
  ],
  [/ FROM reject WHERE id < \$1 .* ORDER BY id DESC LIMIT /, 'pages of a list, newest first'],
  [/ FROM import ORDER BY number DESC LIMIT \$1$/, 'a list, newest first'],
  [/ FROM reject WHERE id > \$1 ORDER BY id LIMIT \$2$/, 'pages of a move, which compares all ids in the end'],
  [/^SELECT id FROM reject ORDER BY id$/, 'the ids that a move compares'],
  [/ FROM segment LEFT JOIN due_segment .* ORDER BY segment\.shard, segment\.utc_day, id$/, 'what a move compares'],
  [/^SELECT setval\(.* max\(number\)\) FROM import /, 'sets the sequence itself'],
]

const FORBIDDEN: readonly [RegExp, string][] = [
  [/\bpg_(try_)?advisory/i, 'an advisory lock'],
  [/^(UN)?LISTEN\b|^NOTIFY\b|\bpg_notify\b/i, 'LISTEN or NOTIFY'],
  [/^(SET(?! LOCAL\b)|RESET|DISCARD)\b|\bset_config\b/i, 'a setting of the session'],
  [/^(PREPARE|EXECUTE|DEALLOCATE)\b/i, 'a named statement'],
  [/\bTEMP(ORARY)?\b|\bpg_temp/i, 'a temporary table'],
  [/\bREFERENCES\b|\bFOREIGN KEY\b/i, 'a foreign key'],
]

export interface Schema {
  /** Tables that have a column `shard`. */
  sharded: ReadonlySet<string>
  /** Columns with ids of a sequence, by table. */
  ids: ReadonlyMap<string, string>
}

/** The ids that a sequence gives without being declared as an identity; see ids.ts. */
const SEQUENCE_IDS: readonly [string, string][] = [
  ['segment', 'id'],
  ['compacted', 'id'],
  ['due_segment', 'segment'],
]

/** Splits SQL at its semicolons; without comments, text literals and line breaks. */
export const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

const TABLE = /^CREATE TABLE (\w+) \((.*)\)/i

export function readSchema(sql: string): Schema {
  const tables = statementsOf(sql).flatMap((statement) => {
    const [, name, body] = TABLE.exec(statement) ?? []
    return name === undefined ? [] : [{ name, body }]
  })
  const identities = tables.flatMap(({ name, body }): [string, string][] =>
    [...body.matchAll(/(\w+) \w+ (?:[A-Z ]+ )?GENERATED ALWAYS AS IDENTITY/g)].map(([, column]) => [name, column]),
  )
  return {
    sharded: new Set(tables.filter(({ body }) => /(^|, | )shard int\b/.test(body)).map(({ name }) => name)),
    ids: new Map([...identities, ...SEQUENCE_IDS]),
  }
}

/** Returns what is wrong with the keys and indexes of a schema, and with its statements. */
export function problemsOfSchema(sql: string): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const [, name, body] = TABLE.exec(statement) ?? []
    const keys = [...statement.matchAll(/(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/gi)].map(([, columns]) => columns)
    const [, table, columns] = /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+) \(([^)]*)\)/i.exec(statement) ?? []
    const inLine = [...(body ?? '').matchAll(/(?:^|, )(\w+)[^,]*?(?:PRIMARY KEY|UNIQUE)(?! \()/gi)].map(
      ([, one]) => one,
    )
    const all = [...keys, ...inLine, ...(columns === undefined ? [] : [columns])]
    if ((name ?? table ?? 'guard') in WITHOUT_SHARD) return forbiddenIn(statement)
    return [
      ...forbiddenIn(statement),
      ...all.filter((key) => !/\bshard\b/.test(key)).map((key) => `key without shard (${key}): ${statement}`),
    ]
  })
}

/** Returns what is wrong with SQL that is complete. */
export function problemsOf(sql: string, schema: Schema): string[] {
  return statementsOf(sql).flatMap((statement) => {
    if (WHOLE_TABLE.test(statement)) return forbiddenIn(statement)
    const unnamed = blocksOf(statement).filter(
      (block) => tablesOf(block).some((table) => schema.sharded.has(table)) && !namesShard(block),
    )
    return [
      ...problemsOfPart(statement, schema),
      ...unnamed.map((block) => `no shard in "${block}": ${statement}`),
      ...(/\bFROM \w+(?: (?:AS )?\w+)? ?, ?\w/.test(statement)
        ? [`a comma between tables, write JOIN: ${statement}`]
        : []),
    ]
  })
}

/** Returns what is wrong with SQL regardless of its missing parts, which `hole` stands for. */
export function problemsOfPart(sql: string, schema: Schema): string[] {
  return statementsOf(sql).flatMap((statement) => {
    const isAllowed = ORDER_OF_IDS.some(([pattern]) => pattern.test(statement))
    const ordered = isAllowed ? [] : blocksOf(statement).filter((block) => relyOnOrder(block, schema))
    return [
      ...forbiddenIn(statement),
      ...ordered.map((block) => `decided by the order of ids "${block}": ${statement}`),
    ]
  })
}

const forbiddenIn = (statement: string): string[] =>
  FORBIDDEN.filter(([pattern]) => pattern.test(statement)).map(([, what]) => `${what}: ${statement}`)

/** Returns the query blocks of a statement, each with `()` for the blocks within it. */
function blocksOf(statement: string): string[] {
  const blocks: string[] = []
  let rest = statement
  for (;;) {
    const inner = innermostSelect(rest)
    if (inner === null) break
    blocks.push(rest.slice(inner[0] + 1, inner[1]))
    rest = `${rest.slice(0, inner[0])}()${rest.slice(inner[1] + 1)}`
  }
  return [...blocks, rest]
    .flatMap((block) => block.split(/\b(?:UNION ALL|UNION|EXCEPT|INTERSECT)\b/))
    .map((block) => block.trim())
}

/** Returns the places of the brackets around the last SELECT in brackets, which has no other one within. */
function innermostSelect(text: string): [number, number] | null {
  const from = Math.max(text.lastIndexOf('(SELECT '), text.lastIndexOf('( SELECT '))
  if (from < 0) return null
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return [from, at]
  }
  return [from, text.length]
}

const tablesOf = (block: string): string[] =>
  [...block.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING|COPY) (?:ONLY )?(\w+)\b(?! ?\()/gi)]
    .map(([, table]) => table)
    .concat([...block.matchAll(/\b(?:INTO|COPY) (\w+) \(/gi)].map(([, table]) => table))

/** Tells whether a block names the column; the name of the table `shard` does not count. */
const namesShard = (block: string): boolean =>
  /\bshard\b/.test(block.replaceAll(/\b(FROM|JOIN|INTO|UPDATE|USING|COPY) shard\b|\bshard\./gi, ''))

function relyOnOrder(block: string, { ids }: Schema): boolean {
  return tablesOf(block).some((table) => {
    const id = ids.get(table)
    if (id === undefined) return false
    const compared = new RegExp(`\\b${id} ?(<|>|BETWEEN\\b)|\\b(max|min)\\((\\w+\\.)?${id}\\)`, 'i')
    return compared.test(block) || new RegExp(`\\bORDER BY [^()]*\\b${id}\\b`, 'i').test(block)
  })
}
