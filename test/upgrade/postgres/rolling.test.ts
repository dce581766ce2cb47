import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Cooler, cooler, type Running } from '../../cli/cooler.ts'
import { DAY, visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { firstValue } from '../../helpers/postgres-database.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { laterProgram, presentSchema } from '../later-program.ts'

/** Another build may stand for the present program: that of the version before, say. */
const PRESENT = process.env.PREVIOUS_PROGRAM

const PRESENT_SCHEMA = PRESENT === undefined ? presentSchema() : Number(process.env.PREVIOUS_SCHEMA)
const EXPAND = 'ALTER TABLE device ADD COLUMN later int NOT NULL DEFAULT 0;'
const CONTRACT = `-- oldest writer: ${PRESENT_SCHEMA + 1}\nALTER TABLE device DROP COLUMN later;`

const DEVICES = 40
const NOON = Date.UTC(2025, 5, 1, 12)

type ServiceProcess = Running & { url: string }

/** Sends events, each counting one visitor, to services in turn; what is not acknowledged is sent again. */
class Load {
  readonly services = new Set<ServiceProcess>()
  readonly taken = new Map<ServiceProcess, number>()
  acknowledged = 0
  #sent = 0
  #isOver = false
  readonly #senders: Promise<void>[]

  constructor(senders: number) {
    this.#senders = Array.from({ length: senders }, () => this.#send())
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#senders)
  }

  /** Resolves when each of these services has taken some more. */
  async reaches(...services: ServiceProcess[]): Promise<void> {
    const before = services.map((service) => this.taken.get(service) ?? 0)
    await eventually(() => services.every((service, nth) => (this.taken.get(service) ?? 0) > before[nth] + 10)).toBe(
      true,
    )
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const from = this.#sent
      this.#sent += DEVICES
      const batch = Array.from({ length: DEVICES }, (_, nth) => visitors(`cooler-${nth}`, 1, NOON + from + nth))
      let isTaken = await this.#isTaken(batch)
      for (; !isTaken && this.services.size > 0; isTaken = await this.#isTaken(batch)) await pause(20)
      if (isTaken) this.acknowledged += batch.length
      await pause(20)
    }
  }

  async #isTaken(batch: readonly unknown[]): Promise<boolean> {
    const all = [...this.services]
    const service = all[Math.floor(Math.random() * all.length)]
    if (service === undefined) return false
    const body = batch.map((event) => JSON.stringify(event)).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await fetch(`${service.url}/v1/telemetry`, { method: 'POST', headers, body }).catch(() => null)
    if (answer?.status !== 202) return false
    this.taken.set(service, (this.taken.get(service) ?? 0) + 1)
    return true
  }
}

test('versions run side by side while the store is expanded, and the older one ends when it is contracted', async () => {
  const location = await temporaryDatabase()
  const settings = { COOLER_STORE: location, COOLER_QUEUE: 'direct', COOLER_REFRESH_MINUTES: '0.02' }
  const present = cooler(settings, PRESENT)
  const next = cooler(settings, laterProgram([EXPAND]))
  const last = cooler(settings, laterProgram([EXPAND, CONTRACT]))
  const schema = () => firstValue(location, 'SELECT schema FROM guard')
  const load = new Load(4)
  onTestFinished(async () => {
    load.services.clear()
    await load.end()
  })
  const started = async (program: Cooler): Promise<ServiceProcess> => {
    const service = await program.service(['start'], { COOLER_REFRESH_MINUTES: '0.02' })
    load.services.add(service)
    return service
  }
  const stopped = async (service: ServiceProcess): Promise<void> => {
    load.services.delete(service)
    service.child.kill('SIGTERM')
    expect((await service.outcome).code).toBe(0)
  }

  const old = [await started(present), await started(present)]
  await load.reaches(...old)
  expect(await schema()).toBe(PRESENT_SCHEMA)

  const first = await started(next)
  expect(await schema()).toBe(PRESENT_SCHEMA + 1)
  await load.reaches(...old, first) // The older version lands, and is not told to end, beside the newer one.
  await stopped(old[1])
  const second = await started(next)
  await load.reaches(old[0], first, second)

  const third = await started(last)
  expect(await schema()).toBe(PRESENT_SCHEMA + 2)
  const { code, stderr } = await old[0].outcome // Nobody told it to, but the store.
  load.services.delete(old[0])
  expect([code, stderr]).toEqual([1, expect.stringContaining('use the newer program')])
  await load.reaches(first, second, third)
  expect((await present.run(['rollup'])).stderr).toMatch(/which needs programs that know \d+; this one knows up to \d+/)
  await stopped(first)
  await load.end()

  expect((await last.run(['rollup'])).code).toBe(0)
  const [{ data }] = await last.json('report', String(DAY), '--json')
  const { deviceStatusList } = data as { deviceStatusList: { visitorCount: number }[] }
  expect(deviceStatusList).toHaveLength(DEVICES)
  expect(deviceStatusList.reduce((sum, { visitorCount }) => sum + visitorCount, 0)).toBe(load.acknowledged)
  expect((await last.run(['verify'])).code).toBe(0)
  for (const service of [second, third]) expect(service.stderr()).not.toMatch(/"level":[56]0/)
}, 180_000)
