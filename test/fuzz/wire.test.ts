import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY } from '../helpers/events.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { DAILY } from '../web/app-fixture.ts'
import { cooler } from '../web/every-figure.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, tellRuns } from './fuzz-runs.ts'
import { expectAnswer, servedBody } from './http-answers.ts'
import { answersIn, isAnswered } from './wire-answers.ts'
import { piecesOf, type WireInput, wireInput } from './wire-requests.ts'

/** All that a connection gives until it ends; it is ended by us once an awaited answer is there. */
async function talk(url: string, input: WireInput): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {}) // A server may refuse the rest of what is written.
  let given = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    given = Buffer.concat([given, chunk])
    if (input.ending === 'awaits' && isAnswered(given)) socket.destroy()
  })
  await once(socket, 'connect')
  for (const piece of piecesOf(input)) await new Promise<void>((resolve) => void socket.write(piece, () => resolve()))
  if (input.ending === 'half-closes') socket.end()
  if (input.ending === 'destroys') socket.destroy()
  await closed
  return given
}

test(
  'whatever comes over a connection, what is answered is whole and in the envelope, and other connections are served',
  async () => {
    const startedAt = performance.now()
    const { url, intake, rollups } = await temporaryService({ api: true, work: false }, { COOLER_BODY_LIMIT_MB: '4' })
    const base = url as string
    const body = JSON.stringify({ day: DAY, assertIds: ['known'] })
    const known = () =>
      servedBody(async () => {
        const answer = await fetch(`${base}${DAILY}`, { method: 'POST', body })
        return { status: answer.status, body: await answer.text() }
      })
    await intake.accept({ events: cooler('known') })
    await rollups.run({ from: 20_240, to: 20_241 })
    const expected = await known()
    expect(expected).toContain('"visitorCount":7')
    await fc.assert(
      fc.asyncProperty(wireInput, async (input) => {
        const given = await talk(base, input)
        if (input.ending === 'awaits') expect(given.length).toBeGreaterThan(0)
        if (input.ending !== 'destroys') for (const answer of answersIn(given)) expectAnswer(answer)
        expect(await known()).toBe(expected)
      }),
      fuzzed('connections'),
    )
    tellRuns('connections', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
