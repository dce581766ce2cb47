import { expect, test } from 'vitest'
import { DAY, lines, NOON, visitors } from '../helpers/events.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { beside, post, visitorCounts } from './backup-fixture.ts'
import { type Cooler, cooler } from './cooler.ts'
import { land } from './in-process.ts'

const DEVICES = 40
const events = (from: number, count: number): unknown[] =>
  Array.from({ length: count }, (_, nth) =>
    visitors(`cooler-${(from + nth) % DEVICES}`, 1, Date.parse(NOON) + from + nth),
  )

const reportOf = async (program: Cooler, store: string): Promise<string> => {
  const { code, stdout, stderr } = await program.run(['report', String(DAY), '--json'], {
    env: { COOLER_STORE: store },
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

test('a store moves to PostgreSQL beside its service, killed and run again, and back to a file', async () => {
  const program = cooler()
  const database = await temporaryDatabase()
  const service = await program.service(['start'])
  for (let from = 0; from < 2000; from += 500) expect(await post(service.url, events(from, 500))).toBe(202)
  for (const afterMs of [700, 1100]) {
    const running = program.spawn(['move', database])
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    running.child.kill('SIGKILL')
    await running.outcome
  }
  expect(await post(service.url, events(2000, 100))).toBe(202)
  const online = await program.run(['move', database])
  expect(online.stderr).toMatch(/^move: [\d,]+ events/)
  expect(online.stdout).toMatch(
    /40 devices and 2,100 landed events are in the target.*\nnothing has landed since; next: stop/,
  )
  const refused = await program.run(['report', String(DAY)], { env: { COOLER_STORE: database } })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/not finished.*--finish/) })

  const [moved] = await program.json('move', database, '--finish', '--json')
  expect(moved).toMatchObject({ devices: 40, landed: 2100, behind: { landed: 0, erased: 0 }, isFinished: true })
  // The service was not stopped: it takes nothing that the new store would not have.
  expect(await post(service.url, events(2100, 1))).toBe(503)
  service.child.kill('SIGTERM')
  await service.outcome
  expect((await program.run(['move', database, '--finish'])).stdout).toMatch(
    /^the move is finished: start the services/,
  )

  const inDatabase = { env: { COOLER_STORE: database } }
  expect((await program.run(['ingest', '-', '--rollup'], { ...inDatabase, input: lines(events(2100, 10)) })).code).toBe(
    0,
  )
  const file = beside(program, 'back.sqlite')
  expect((await program.run(['move', file, '--finish'], inDatabase)).stdout).toMatch(/2,110 landed events/)
  expect(await reportOf(program, file)).toBe(await reportOf(program, database))
  expect(await program.run(['verify'], { env: { COOLER_STORE: file } })).toMatchObject({ code: 0 })
})

test('a move that is given up leaves the store as it was', async () => {
  const program = cooler()
  await land(program, events(0, 10))
  const file = beside(program, 'other.sqlite')
  expect((await program.run(['move', file, '--finish'])).code).toBe(0)
  const refused = await program.run(['ingest', '-'], { input: lines(events(0, 1)) })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/has been moved: name the new one/) })
  expect((await program.run(['move', '--reopen'])).stdout).toMatch(/is in use again\n$/)
  await land(program, events(10, 10))
  expect(Object.keys(await visitorCounts(program))).toHaveLength(20)
})

test('a wrong target is refused', async () => {
  const program = cooler()
  await land(program, events(0, 10))
  const other = cooler()
  await land(other, events(0, 1))
  const refusals: [string[], number, RegExp][] = [
    [[], 2, /name the target/],
    [[program.store], 2, /the target is the store that COOLER_STORE names/],
    [['mysql://localhost/cooler'], 2, /the target is "mysql/],
    [['--reopen', 'x'], 2, /takes neither/],
    [[other.store], 1, /a store with devices of its own/],
  ]
  for (const [args, code, text] of refusals)
    expect(await program.run(['move', ...args])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(text),
    })
})
