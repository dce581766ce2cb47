import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { APPLICATION_ID, recognise } from '../../src/store/sqlite/recognise.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { cooler } from '../cli/cooler.ts'
import { temporaryFolder, temporaryStore } from '../helpers/temporary-store.ts'

/** Everything that a command may be told to do with a store, but for services. */
const COMMANDS: readonly (readonly string[])[] = [
  ['devices'],
  ['events', 'a'],
  ['explain', 'a', '20250601'],
  ['report', '20250601'],
  ['rejects'],
  ['verify'],
  ['doctor'],
  ['backup', 'backup.sqlite'],
  ['verify', '--fix'],
  ['rollup'],
  ['compact'],
  ['rejects', '--replay'],
  ['ingest', '-'],
  ['start'],
  ['restore', '--force', 'good.sqlite'],
]

/** For files that differ from the first only in how they are recognised. */
const SOME = new Set(['devices', 'doctor', 'ingest', 'start'])

/** How many of these only read. */
const READING = 8

const others: Record<string, (file: string) => void> = {
  'of another program': (file) => {
    const database = new Database(file)
    database.exec('CREATE TABLE note (text TEXT); CREATE TABLE setting (name TEXT)')
    database.close()
  },
  'of another program, with a mark of its own and a write-ahead log': (file) => {
    const database = new Database(file)
    database.pragma('application_id = 42')
    database.pragma('journal_mode = WAL')
    database.exec('CREATE TABLE note (text TEXT)')
    // As if its program had been killed: the log is still there.
    const [main, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
    database.close()
    writeFileSync(file, main)
    writeFileSync(`${file}-wal`, log)
  },
  'that has all tables of a store and one more': (file) => {
    const database = new Database(file)
    database.exec(readFileSync(new URL('./version-2.sql', import.meta.url), 'utf8'))
    database.exec('CREATE TABLE one_more (text TEXT)')
    database.close()
  },
  'that is no database': (file) => writeFileSync(file, 'a letter '.repeat(600)),
}

/** Names, bytes and times of all that lies in a folder. */
function contentsOf(folder: string): unknown {
  return readdirSync(folder).map((name) => {
    const { mtimeMs, ino } = statSync(join(folder, name))
    return { name, mtimeMs, ino, bytes: readFileSync(join(folder, name)).toString('latin1') }
  })
}

test.each(Object.entries(others))('a file %s is refused and left as it is', async (what, make) => {
  const folder = temporaryFolder()
  const file = join(folder, 'other-app.db')
  make(file)
  const program = cooler({ COOLER_STORE: file })
  const before = contentsOf(folder)
  const left = what === 'of another program' ? COMMANDS : COMMANDS.filter(([name]) => SOME.has(name))
  if (left.length === COMMANDS.length) {
    await program.run(['rollup'], { env: { COOLER_STORE: program.store } })
    await program.run(['backup', 'good.sqlite'], { env: { COOLER_STORE: program.store } })
  }
  // Two at a time: each is a process.
  for (let next = 0; next < left.length; next += 2) {
    const pair = left.slice(next, next + 2)
    const outcomes = await Promise.all(pair.map((args) => program.run(args)))
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect({ args: pair[index], code }).toEqual({ args: pair[index], code: 1 })
      expect(stdout + stderr).toMatch(/other-app\.db is not a store and was left as it is/)
    }
  }
  expect(contentsOf(folder)).toEqual(before)
})

test('commands that only read make neither a store nor a folder, nor use an empty file', async () => {
  const folder = temporaryFolder()
  for (const file of ['missing/folder/store.sqlite', 'empty.sqlite']) {
    const store = join(folder, file)
    if (file.startsWith('empty')) writeFileSync(store, '')
    const program = cooler({ COOLER_STORE: store })
    const outcomes = await Promise.all(COMMANDS.slice(0, READING).map((args) => program.run(args)))
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      const isDoctor = COMMANDS[index][0] === 'doctor' // It says so, and that this is no fault.
      expect(code).toBe(isDoctor ? 0 : 1)
      expect(stdout + stderr).toMatch(isDoctor ? /is not there yet/ : /there is no store|is not there/)
    }
  }
  expect(readdirSync(folder)).toEqual(['empty.sqlite'])
  expect(statSync(join(folder, 'empty.sqlite')).size).toBe(0)
})

test('a new store is marked from its first byte on, and one of a program that set no mark is when it is opened', () => {
  const markOf = (file: string): number => readFileSync(file).readUInt32BE(68)
  const { file } = temporaryStore()
  expect(markOf(file)).toBe(APPLICATION_ID) // In the file itself, though nothing has been checkpointed.
  const old = join(temporaryFolder(), 'store.sqlite')
  const database = new Database(old)
  database.exec(readFileSync(new URL('./version-2.sql', import.meta.url), 'utf8'))
  database.close()
  expect(markOf(old)).toBe(0)
  expect(recognise(old)).toBe(true)
  void openSqliteStore({ location: old, rejectsKept: 1 }).close()
  expect(markOf(old)).toBe(APPLICATION_ID)
})

test('a store of a program that set no mark is recognised whatever is still in its write-ahead log', () => {
  const file = join(temporaryFolder(), 'store.sqlite')
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.exec(readFileSync(new URL('./version-2.sql', import.meta.url), 'utf8'))
  const [main, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  database.close()
  rmSync(file)
  const killed = join(temporaryFolder(), 'store.sqlite')
  writeFileSync(killed, main)
  writeFileSync(`${killed}-wal`, log)
  expect(recognise(killed)).toBe(true)
  const store = openSqliteStore({ location: killed, rejectsKept: 1 })
  expect(store.archive.shards).toBe(16)
  void store.close()
})
