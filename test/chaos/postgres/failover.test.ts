import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { cooler, type Running } from '../../cli/cooler.ts'
import { DAY, visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startMachines } from './machines.ts'

const FAILOVERS = 2
/** Within so long after a promotion a service takes events again. */
const RESUMED_MS = 10_000
const NOON = Date.UTC(2025, 5, 1, 12)

/** Sends one visitor after the other to a service, each until it is acknowledged. */
class Visitors {
  /** When events were acknowledged, epoch ms. */
  readonly acknowledged: number[] = []
  readonly #url: string
  #isOver = false
  readonly #sender: Promise<void>

  constructor(url: string) {
    this.#url = url
    this.#sender = this.#send()
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#sender
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const body = JSON.stringify(visitors('a', 1, NOON + this.acknowledged.length))
      const headers = { 'content-type': 'application/x-ndjson' }
      const signal = AbortSignal.timeout(2 * RESUMED_MS)
      const answer = await fetch(`${this.#url}/v1/telemetry`, { method: 'POST', headers, body, signal }).catch(
        () => null,
      )
      if (answer?.status === 202) this.acknowledged.push(Date.now())
      else await pause(50)
    }
  }
}

test.each(['loses power', 'falls silent'])(
  'intake resumes within 10 s of a promotion when the primary %s',
  async (end) => {
    const cluster = await startMachines(['fleet'])
    onTestFinished(() => cluster.stop())
    const { location } = await cluster.locationFor('fleet')
    const program = cooler({ COOLER_STORE: location, COOLER_QUEUE: 'direct', COOLER_REFRESH_MINUTES: '0.02' })
    const service: Running & { url: string } = await program.service(['start'])
    const load = new Visitors(service.url)
    onTestFinished(() => load.end())
    const { acknowledged } = load
    const pauses: number[] = []
    const untilResumed = async (): Promise<void> => {
      const promotedAt = cluster.promotions.at(-1) ?? 0
      await expect.poll(() => acknowledged.some((at) => at > promotedAt), { timeout: RESUMED_MS }).toBe(true)
      pauses.push((acknowledged.find((at) => at > promotedAt) ?? 0) - promotedAt)
    }
    for (let nth = 0; nth < FAILOVERS; nth++) {
      const before = acknowledged.length
      await eventually(() => acknowledged.length).toBeGreaterThan(before + 20)
      if (end === 'falls silent') await cluster.failOverSilently(untilResumed)
      else await cluster.failOver().then(untilResumed)
    }
    console.log(`intake resumed after promotions: ${pauses.join(', ')} ms`)
    await load.end()
    service.child.kill('SIGTERM')
    expect((await service.outcome).code).toBe(0)

    expect((await program.run(['rollup'])).code).toBe(0)
    const [{ data }] = await program.json('report', String(DAY), '--json')
    const { deviceStatusList } = data as { deviceStatusList: { visitorCount: number }[] }
    expect(deviceStatusList.map(({ visitorCount }) => visitorCount)).toEqual([acknowledged.length])
    expect((await program.run(['verify'])).code).toBe(0)
  },
  180_000,
)
