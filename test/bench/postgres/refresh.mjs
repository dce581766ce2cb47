// Refreshes of an open day: a quarter of an hour of events lands, and is rolled up.
import { measured } from './engines.mjs'
import { copyOf, multiplied, registrationOf } from './groups.mjs'
import { registeredStore, rollUp } from './landing.mjs'

const QUARTER_MS = 900_000
const COMMIT_EVENTS = 100_000

/** Lands the events between two instants of a fleet that is `copies` times as large. */
async function landBetween(engine, store, groups, span, copies) {
  const total = { seconds: 0, worker: 0, server: 0, wal: 0, events: 0 }
  for (const group of multiplied(groups, span, copies, COMMIT_EVENTS)) {
    const took = await measured(engine, () => store.landing.land(group, Date.now()), { settled: false })
    for (const name of ['seconds', 'worker', 'server', 'wal']) total[name] += took[name]
    total.events += group.count
  }
  return total
}

/** Returns noon (epoch ms) of the first UTC day that all devices live through. */
export function noonOf(groups) {
  const DAY_MS = 86_400_000
  const first = Math.min(...groups.map(({ at }) => at[0]))
  return Math.ceil(first / DAY_MS) * DAY_MS + DAY_MS / 2
}

/** Returns the groups that register a fleet `copies` times as large. */
function registrationsOf({ ids, placements }, copies) {
  return Array.from({ length: copies }, (_, copy) =>
    registrationOf(new Map(placements.map((placement) => [copyOf(ids[placement.device], copy), placement]))),
  )
}

/**
 * Lands and rolls up `steps` quarters of an hour from noon on, after another one that is not measured, of each device
 * `copies` times. By step: what landing and the refresh took. The first refresh comes just after a checkpoint, after
 * which pages are logged whole.
 */
export async function runRefreshes(engine, { groups, registration }, { steps, copies }) {
  const { location, store } = await registeredStore(engine, registrationsOf(registration, copies))
  const noon = noonOf(groups)
  await landBetween(engine, store, groups, [noon - QUARTER_MS, noon], copies)
  await rollUp(engine, store, { now: noon, refresh: true })
  const taken = []
  for (let step = 0; step < steps; step++) {
    const span = [noon + step * QUARTER_MS, noon + (step + 1) * QUARTER_MS]
    const landing = await landBetween(engine, store, groups, span, copies)
    const refresh = await rollUp(engine, store, { now: span[1], refresh: true }, { settled: step === 0 })
    taken.push({ landing, refresh })
  }
  await store.close()
  await engine.drop(location)
  return { devices: registration.ids.length * copies, taken }
}
