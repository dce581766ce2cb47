import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { DAY } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { csvRows } from '../report/export/read-back.ts'
import { reportsOfMany } from '../report/export/reports-of-many.ts'
import { appFixture } from './app-fixture.ts'

/** With their ids so many that no socket takes the whole file at once: some 8 MB. */
const DEVICES = 10_000
const idOf = (nth: number): string => `${'冰'.repeat(250)} ${nth}`

/** Asks for something, and takes nothing of the answer's body. */
async function asked(url: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false })
  onTestFinished(() => void request.destroy())
  request.on('error', () => {}) // Ended by the test itself.
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer.on('error', () => {})
}

test('a file waits for a client that is slow, and is forgotten where that has gone', async () => {
  const { reports, filesOpen } = await reportsOfMany(DEVICES, idOf)
  const { app } = await appFixture({}, { reports })
  const url = `${await app.listen({ port: 0 })}/v1/reports/daily?day=${DAY}&format=csv`
  onTestFinished(() => app.close())
  const [patient, impatient] = [await asked(url), await asked(url)]
  expect(csvRows(Buffer.concat(await patient.toArray()))).toHaveLength(DEVICES)
  // The other one could have had all of it by now, had it taken it.
  expect(await filesOpen()).toBe(1)
  impatient.destroy()
  await eventually(filesOpen).toBe(0)
})
