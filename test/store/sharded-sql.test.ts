import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { problemsOf, problemsOfPart, problemsOfSchema, readSchema, WITHOUT_SHARD } from '../helpers/sharded-sql.ts'
import { readText, sourceFiles } from '../helpers/source-files.ts'
import { sqlLiterals } from '../helpers/sql-literals.ts'

/**
 * What a distributed PostgreSQL would need; no claim beyond that. Tests of the store in PostgreSQL check their statements
 * by the same rules as they run (helpers/checked-statements.ts), since some are put together.
 */

const SCHEMA_FOLDER = 'schema/postgres'
const schemaFiles = readdirSync(new URL(`../../${SCHEMA_FOLDER}`, import.meta.url)).map((name) =>
  readText(`${SCHEMA_FOLDER}/${name}`),
)
const schema = readSchema(schemaFiles.join('\n'))

describe('the schema of a store in PostgreSQL', () => {
  test('each key and index names the shard', () => {
    expect(schemaFiles.flatMap(problemsOfSchema)).toEqual([])
  })

  test('each table has a column shard or is listed', () => {
    const names = schemaFiles.join('\n').matchAll(/^CREATE TABLE (\w+)/gm)
    const others = [...names].map(([, name]) => name).filter((name) => !schema.sharded.has(name))
    expect(others.sort()).toEqual(Object.keys(WITHOUT_SHARD).sort())
  })

  test.each([
    ['CREATE TABLE bad (shard int, id int, PRIMARY KEY (id));', 'key without shard'],
    ['CREATE TABLE bad (shard int, id int UNIQUE);', 'key without shard'],
    ['CREATE INDEX bad ON device (id);', 'key without shard'],
    ['CREATE TABLE bad (shard int REFERENCES shard (shard));', 'a foreign key'],
    ['CREATE TEMPORARY TABLE bad (shard int);', 'a temporary table'],
  ])('a bad one is found: %s', (sql, problem) => {
    expect(problemsOfSchema(sql).join()).toContain(problem)
  })
})

describe('the SQL of a store in PostgreSQL', () => {
  const literals = sqlLiterals(sourceFiles('src/store/postgres'))

  test('is found', () => {
    expect(literals.length).toBeGreaterThan(100)
    expect(literals.filter(({ isComplete }) => isComplete).length).toBeGreaterThan(80)
  })

  test('keeps to the rules', () => {
    const problems = literals.flatMap(({ path, sql, isComplete }) =>
      (isComplete ? problemsOf : problemsOfPart)(sql, schema).map((problem) => `${path}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  test.each([
    ['SELECT body FROM segment WHERE id = $1', 'no shard'],
    ['SELECT version FROM shard', 'no shard'],
    ['SELECT shard.version FROM shard WHERE shard.version = $1', 'no shard'],
    ['DELETE FROM due_segment WHERE segment = ANY($1::bigint[])', 'no shard'],
    ['UPDATE device SET retired_at = $1 WHERE local = $2', 'no shard'],
    ['INSERT INTO revision (device, day) VALUES ($1, $2)', 'no shard'],
    ['COPY segment (utc_day, id) FROM STDIN (FORMAT binary)', 'no shard'],
    ['COPY (SELECT body FROM rollup_block WHERE day = 1) TO STDOUT', 'no shard'],
    ['SELECT shard FROM shard WHERE EXISTS (SELECT 1 FROM due_device)', 'no shard'],
    ['SELECT id FROM segment WHERE shard = $1 UNION ALL SELECT id FROM compacted', 'no shard'],
    ['SELECT 1 FROM guard, device', 'a comma'],
    ['SELECT pg_try_advisory_xact_lock($1)', 'an advisory lock'],
    ['LISTEN landed', 'LISTEN or NOTIFY'],
    ["SELECT pg_notify('landed', '')", 'LISTEN or NOTIFY'],
    ['SET lock_timeout = 100', 'a setting of the session'],
    ['BEGIN; SET SESSION lock_timeout = 100', 'a setting of the session'],
    ["SELECT set_config('lock_timeout', '1', false)", 'a setting of the session'],
    ['PREPARE one AS SELECT 1', 'a named statement'],
    ['CREATE TEMP TABLE some (shard int)', 'a temporary table'],
    ['SELECT segment FROM due_segment WHERE shard = $1 ORDER BY segment', 'the order of ids'],
    ['SELECT max(id) FROM segment WHERE shard = $1', 'the order of ids'],
    ['DELETE FROM due_device WHERE shard = $1 AND id < $2', 'the order of ids'],
    ['SELECT 1 FROM reject WHERE id > $1', 'the order of ids'],
  ])('a bad one is found: %s', (sql, problem) => {
    expect(problemsOf(sql, schema).join()).toContain(problem)
  })

  test('a bad one is found wherever it stands in a source file', () => {
    const lines = [
      "const OF = 'id > 5'",
      `run(\`SELECT 1 FROM reject WHERE \${OF}\`)`,
      `run(\`DELETE FROM reject WHERE \${of} ORDER BY id\`)`,
      "run({ text: 'SELECT 1' + ' FROM segment' })",
    ]
    const found = sqlLiterals([{ path: 'bad.ts', lines }])
    const problems = found.flatMap(({ sql, isComplete }) => (isComplete ? problemsOf : problemsOfPart)(sql, schema))
    expect(problems.map((problem) => problem.split(/[:"]/)[0].trim())).toEqual([
      'decided by the order of ids',
      'decided by the order of ids',
      'no shard in',
    ])
  })
})
