import { closeSync, openSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { cooler } from '../cli/cooler.ts'
import { land, rollUp } from '../cli/in-process.ts'
import { DAY, manyVisitors } from '../helpers/events.ts'

/** Overwrites the first page of a table, so that whatever reads it fails. */
function spoilTable(file: string, table: string): void {
  const database = new Database(file, { readonly: true })
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096)
  closeSync(descriptor)
}

test('an error of a read keeps its code, from whatever thread it comes', async () => {
  const program = cooler()
  await land(program, manyVisitors(200))
  await rollUp(program)
  spoilTable(program.store, 'rollup_block')
  const { url } = await program.service(['serve'], { COOLER_QUEUE: 'direct' })
  const report = (ids?: string[]) =>
    fetch(`${url}/open/cooler/open/report_device_status/daily`, {
      method: 'POST',
      body: JSON.stringify({ day: DAY, ...(ids && { assertIds: ids }) }),
    })
  const answers = [
    await report(), // On a thread.
    await report(['cooler-1']), // On the event loop.
    await fetch(`${url}/v1/reports/daily?day=${DAY}&format=csv`),
    await fetch(`${url}/v1/devices/cooler-1/days/${DAY}`),
    await fetch(`${url}/v1/rollups`, {
      method: 'POST',
      body: JSON.stringify({ fromDay: DAY, toDay: DAY, wait: true }),
    }),
  ]
  for (const answer of answers) {
    expect({ status: answer.status, ...((await answer.json()) as object) }).toMatchObject({
      status: 500,
      code: 'store-damaged',
    })
  }
  expect((await fetch(`${url}/v1/devices`)).status).toBe(200)
  const commands = [['rollup', '--from', String(DAY), '--to', String(DAY)], ['report', String(DAY)], ['verify']]
  for (const outcome of await Promise.all(commands.map((args) => program.run(args)))) {
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^cooler: the store is damaged/m) })
  }
})
