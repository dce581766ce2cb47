import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from './eventually.ts'
import { firstValue } from './postgres-database.ts'
import { type PostgresOptions, type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { startStandby } from './postgres-standby.ts'
import { temporaryDatabase } from './temporary-database.ts'
import { temporaryFolder } from './temporary-store.ts'

async function privateServer(options?: PostgresOptions): Promise<PostgresServer> {
  const server = await startPostgresServer(options)
  onTestFinished(() => server.stop())
  return server
}

/** Whether anything accepts connections on the port. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Commits numbers from 1 on until the server is gone; returns the last one that the server has acknowledged. */
async function countUntilDead(url: string, onCount: (count: number) => void): Promise<number> {
  let acknowledged = 0
  try {
    for (;;) {
      await firstValue(url, `INSERT INTO t VALUES (${acknowledged + 1}) RETURNING n`)
      onCount(++acknowledged)
    }
  } catch {
    return acknowledged
  }
}

test('a temporary database is empty and sorts text as people do', async () => {
  const url = await temporaryDatabase()
  expect(await firstValue(url, 'SELECT count(*)::int FROM pg_stat_user_tables')).toBe(0)
  expect(await firstValue(url, "SELECT 'a' < 'B'")).toBe(true)
})

test('a durable server has all committed rows after SIGKILL', async () => {
  const server = await privateServer({ durable: true })
  const url = await server.newDatabase()
  await firstValue(url, 'CREATE TABLE t AS SELECT 7 AS n')
  await server.kill('SIGKILL')
  expect(await isOpen(server.port)).toBe(false)
  await server.restart()
  expect(await firstValue(url, 'SELECT n FROM t')).toBe(7)
  await server.restart()
  expect(await firstValue(await server.newDatabase(new URL(url).pathname.slice(1)), 'SELECT n FROM t')).toBe(7)
  await server.dropDatabase(url)
  await expect(firstValue(url, 'SELECT 1')).rejects.toThrow('does not exist')
})

test('a frozen server answers nothing until it is woken, and a killed one cuts off its sessions', async () => {
  const server = await privateServer()
  server.freeze()
  let answered = false
  const answer = firstValue(server.url(), 'SELECT 1').finally(() => {
    answered = true
  })
  expect(await isOpen(server.port)).toBe(true)
  expect(answered).toBe(false)
  server.wake()
  expect(await answer).toBe(1)
  const cutOff = expect(firstValue(server.url(), 'SELECT pg_sleep(60)')).rejects.toThrow('terminat')
  const sleepers = "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
  await eventually(() => firstValue(server.url(), sleepers)).toBe(1)
  server.freeze()
  await server.kill('SIGKILL')
  await cutOff
})

test('only the listed roles need their password', async () => {
  const server = await privateServer({ passwordRoles: ['reader'] })
  await firstValue(server.url(), "CREATE ROLE reader LOGIN PASSWORD 'right'")
  const as = (password: string): string => server.url().replace(/\/\/\w+@/, `//reader:${password}@`)
  expect(await firstValue(as('right'), 'SELECT current_user')).toBe('reader')
  await expect(firstValue(as('wrong'), 'SELECT 1')).rejects.toThrow('password authentication failed')
})

test('a promoted synchronous standby has all rows that a killed primary acknowledged', async () => {
  const primary = await privateServer()
  const url = await primary.newDatabase()
  await firstValue(url, 'CREATE TABLE t (n int)')
  const standby = await startStandby(primary, { synchronous: true })
  onTestFinished(() => standby.stop())
  const acknowledged = await countUntilDead(url, (count) => {
    if (count === 20) void primary.kill('SIGKILL')
  })
  await standby.promote()
  const promoted = standby.url(new URL(url).pathname.slice(1))
  expect(acknowledged).toBeGreaterThanOrEqual(20)
  // The row that was under way may be there as well.
  const rows = await firstValue(promoted, 'SELECT count(*)::int FROM t')
  expect([acknowledged, acknowledged + 1]).toContain(rows)
  await firstValue(promoted, 'INSERT INTO t VALUES (0) RETURNING n')
})

test('a server that is stopped leaves nothing', async () => {
  const server = await startPostgresServer()
  await server.stop()
  expect([existsSync(server.folder), await isOpen(server.port)]).toEqual([false, false])
})

test('a server whose test process is killed leaves nothing', async () => {
  const file = join(temporaryFolder(), 'server.mjs')
  await build({
    input: join(import.meta.dirname, 'postgres-server.ts'),
    platform: 'node',
    output: { file },
    logLevel: 'silent',
  })
  const program = `
    const { startPostgresServer } = await import('${pathToFileURL(file)}')
    const { folder, port } = await startPostgresServer()
    console.log(JSON.stringify({ folder, port }))`
  const owner = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(owner.stdout, 'data')
  const { folder, port } = JSON.parse(String(line))
  expect([existsSync(folder), await isOpen(port)]).toEqual([true, true])
  owner.kill('SIGKILL')
  await eventually(() => existsSync(folder)).toBe(false)
  await eventually(() => isOpen(port)).toBe(false)
})
