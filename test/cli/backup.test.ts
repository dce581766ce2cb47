import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newestVersion } from '../../src/store/sqlite/migrations.ts'
import { manyVisitors, visitors } from '../helpers/events.ts'
import { beside, damage, inside, post } from './backup-fixture.ts'
import { cooler } from './cooler.ts'
import { land } from './in-process.ts'

describe('backup', () => {
  test('beside a service that lands is one whole state, with all that was acknowledged before it began', async () => {
    const program = cooler()
    const { url } = await program.service(['start'])
    await post(url, manyVisitors(10_000))
    let isOver = false
    const sender = (async () => {
      for (let number = 0; !isOver; number++) await post(url, manyVisitors(500, `later-${number}-`))
    })()
    const file = beside(program, 'backup.sqlite')
    const [outcome] = await program.json('backup', file, '--json')
    isOver = true
    await sender
    expect(outcome).toEqual({ backup: file, bytes: statSync(file).size, schema: expect.any(Number), check: 'quick' })
    const { landed, check } = inside(file)
    expect(check).toBe('ok')
    expect(landed).toBeGreaterThanOrEqual(10_000)
    expect(landed % 500).toBe(0)
    const names = readdirSync(dirname(file)).filter((name) => name.startsWith('backup'))
    expect(names).toEqual(['backup.sqlite'])
  })

  test('tells its size, its schema and how it was checked', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    for (const [how, told] of [
      ['quick', 'checked (quick)'],
      ['full', 'checked (full)'],
      ['none', 'not checked'],
    ]) {
      const file = beside(program, `${how}.sqlite`)
      const { stdout, stderr } = await program.run(['backup', file, '--check', how])
      expect(stdout).toBe(
        `${file}: ${statSync(file).size.toLocaleString('en')} bytes, schema ${newestVersion()}, ${told}\n`,
      )
      expect(stderr).toMatch(/^backup: [\d,]+ bytes in /)
    }
  })

  test('replaces no file unless it is told to, and never the store', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    writeFileSync(file, 'precious')
    const refused = await program.run(['backup', file])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/backup\.sqlite is there already: --force replaces it\n$/)
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect((await program.run(['backup', file, '--force'])).code).toBe(0)
    expect(inside(file)).toEqual({ landed: 1, check: 'ok' })
    const before = readFileSync(program.store)
    for (const own of [
      program.store,
      `${dirname(program.store)}/./${basename(program.store)}`,
      `${program.store}-wal`,
    ]) {
      writeFileSync(`${program.store}-wal`, '')
      expect((await program.run(['backup', own, '--force'])).code).toBe(2)
    }
    expect(readFileSync(program.store)).toEqual(before)
  })

  test('of a store that is not there, or into a folder that is not, makes nothing', async () => {
    const program = cooler()
    const missing = await program.run(['backup', beside(program, 'backup.sqlite')])
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/store\.sqlite is not there\n$/) })
    await land(program, [visitors('a', 1)])
    const nowhere = await program.run(['backup', beside(program, 'no/backup.sqlite')])
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/is no folder\n$/) })
    expect(readdirSync(dirname(program.store))).toEqual([basename(program.store)])
  })

  test('of a damaged store fails, and leaves the backup that is there', async () => {
    const program = cooler()
    await land(program, manyVisitors(2000))
    const file = beside(program, 'backup.sqlite')
    await program.run(['backup', file])
    await land(program, manyVisitors(2000, 'more-'))
    damage(program.store)
    const { code, stderr } = await program.run(['backup', file, '--force', '--check', 'full'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^cooler: damaged/m) })
    expect(inside(file)).toEqual({ landed: 2000, check: 'ok' })
    expect(readdirSync(dirname(file)).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('clears away what one before it has left that was killed', async () => {
    const program = cooler()
    await land(program, [visitors('a', 1)])
    const file = beside(program, 'backup.sqlite')
    const ended = program.spawn(['--help'])
    await ended.outcome
    const [leftover, underWay] = [ended.child.pid, process.pid].map((pid) => `${file}.partial-${pid}`)
    for (const partial of [leftover, underWay]) writeFileSync(partial, 'half')
    await program.run(['backup', file])
    expect([existsSync(leftover), existsSync(underWay)]).toEqual([false, true])
  })
})
