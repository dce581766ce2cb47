import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { manyVisitors, visitors } from '../helpers/events.ts'
import { beside, damage, inside, post, visitorCounts } from './backup-fixture.ts'
import { cooler } from './cooler.ts'
import { land } from './in-process.ts'

describe('restore', () => {
  test('puts back what the backup holds, and everything goes on from there', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    await land(program, [visitors('a', 2), visitors('b', 3)])
    expect((await program.run(['restore', file])).code).toBe(2)
    const [outcome] = await program.json('restore', file, '--force', '--json')
    expect(outcome).toMatchObject({ store: program.store, check: 'quick' })
    expect(await visitorCounts(program)).toEqual({ a: 1 })
    await land(program, [visitors('a', 2)])
    expect(await visitorCounts(program)).toEqual({ a: 3 })
  })

  test('makes a store where there is none, its folder too', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    const elsewhere = beside(program, 'new/place/store.sqlite')
    const { code } = await program.run(['restore', file], { env: { COOLER_STORE: elsewhere } })
    expect(code).toBe(0)
    expect(inside(elsewhere)).toEqual({ landed: 1, check: 'ok' })
  })

  test('is refused while a service has the store open, which goes on untouched', async () => {
    const program = cooler()
    const service = await program.service(['start'])
    await post(service.url, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    const refused = await program.run(['restore', file, '--force'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/store\.sqlite is open in another process: stop it first\n$/)
    expect(await post(service.url, [visitors('a', 2)])).toBe(202)
    service.child.kill('SIGTERM')
    await service.outcome
    expect(inside(program.store)).toEqual({ landed: 2, check: 'ok' })
    expect((await program.run(['restore', file, '--force'])).code).toBe(0)
    expect(inside(program.store)).toEqual({ landed: 1, check: 'ok' })
  })

  test('leaves nothing of the write-ahead log of a service that was killed; a file copied over it by hand is spoilt', async () => {
    const program = cooler()
    const service = await program.service(['start'])
    await post(service.url, manyVisitors(3000))
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    for (let number = 0; number < 5; number++) await post(service.url, manyVisitors(1000, `later-${number}-`))
    service.child.kill('SIGKILL')
    await service.outcome
    expect(statSync(`${program.store}-wal`).size).toBeGreaterThan(0)

    const byHand = beside(program, 'by-hand.sqlite')
    copyFileSync(file, byHand)
    copyFileSync(`${program.store}-wal`, `${byHand}-wal`)
    const spoilt = (() => {
      try {
        return inside(byHand)
      } catch (error) {
        return error
      }
    })()
    expect(spoilt).not.toEqual({ landed: 3000, check: 'ok' })

    await program.json('restore', file, '--force', '--check', 'full', '--json')
    expect(readdirSync(dirname(program.store)).filter((name) => /^store\.sqlite./.test(name))).toEqual([])
    expect(inside(program.store)).toEqual({ landed: 3000, check: 'ok' })
  })

  test('takes the place of a store that is damaged beyond opening', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    writeFileSync(program.store, 'no database '.repeat(1000))
    writeFileSync(`${program.store}-wal`, 'no log')
    expect((await program.run(['devices'])).stderr).toMatch(/is no SQLite database.*restore a backup/)
    expect((await program.run(['restore', file, '--force'])).code).toBe(0)
    expect(await visitorCounts(program)).toEqual({ a: 1 })
  })

  test('refuses what is damaged, newer than the program or no store, and leaves the store as it is', async () => {
    const program = cooler()
    await land(program, manyVisitors(2000))
    const [good, damaged, newer, foreign] = ['good', 'damaged', 'newer', 'foreign'].map((name) => beside(program, name))
    for (const file of [good, damaged, newer]) await program.run(['backup', file])
    damage(damaged)
    const alter = (file: string, change: (database: Database.Database) => unknown): void => {
      const database = new Database(file)
      change(database)
      database.close()
    }
    alter(newer, (database) => database.pragma('user_version = 7000'))
    alter(foreign, (database) => database.exec('CREATE TABLE something (name TEXT)'))
    const before = readFileSync(program.store)
    for (const [file, reason] of [
      [damaged, /damaged/],
      [newer, /schema 7000.*use the newer program/],
      [foreign, /foreign is not a store/],
      [beside(program, 'missing'), /missing is not there/],
    ] as const) {
      const { code, stderr } = await program.run(['restore', file, '--force', '--check', 'full'])
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) })
    }
    expect(readFileSync(program.store)).toEqual(before)
  })
})
