import { parseDay } from '../../src/base/time.ts'
import { type DailyEntry, dailyEntries } from '../../src/report/report.ts'
import { aheadOf } from '../../src/rollup/due-plan.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import { rollupSettings } from '../../src/service/pipeline.ts'
import { deviceEvents } from '../../src/store/device-events.ts'
import { openStore, openStoreReader, type Store } from '../../src/store/open-store.ts'
import type { DeviceChange } from '../../src/store/registry.ts'
import { landAll, reportContext, rollUpAll } from '../helpers/run-history.ts'
import type { Cooler } from './cooler.ts'

/*
 * What a test of the command line needs done to its store, or read from it, but is not about. Done in this process it
 * takes a tenth of the time of a command.
 */

async function using<Opened extends { close(): unknown }, Result>(
  opening: Promise<Opened>,
  work: (store: Opened) => Promise<Result>,
): Promise<Result> {
  const store = await opening
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const optionsOf = (program: Cooler) => ({ location: program.config().store, rejectsKept: 1000 })

const writing = <Result>(program: Cooler, work: (store: Store) => Promise<Result>): Promise<Result> =>
  using(openStore(optionsOf(program)), work)

const reading = <Result>(program: Cooler, work: (store: Store) => Promise<Result>): Promise<Result> =>
  using(openStoreReader(optionsOf(program)), work)

/** Lands events, whether or not they are older than the raw events that are kept. */
export const land = (program: Cooler, events: readonly unknown[]): Promise<void> =>
  writing(program, (store) => landAll(store, [events], Date.now()))

/** Rolls up what is due, by the settings of the program. */
export const rollUp = (program: Cooler): Promise<void> =>
  writing(program, async (store) => {
    const settings = rollupSettings(program.config())
    const now = Date.now()
    if ((await store.rollups.rules()) === null) await adoptRules(store, settings, now)
    await rollUpAll(store, settings, now)
    await store.rollups.noteRolledUp(now, aheadOf(now))
  })

/** Creates or changes a device. */
export const putDevice = (program: Cooler, id: string, change: DeviceChange): Promise<unknown> =>
  writing(program, ({ registry }) => registry.put(id, change, Date.now()))

/** Returns the entries of the report of a day (YYYYMMDD). */
export const dailyOf = (program: Cooler, day: number): Promise<DailyEntry[]> =>
  reading(program, (store) => {
    const context = reportContext(store, rollupSettings(program.config()), Date.now())
    return dailyEntries(context, parseDay(day) as number)
  })

/** Returns the events of a device as they landed, repeats included; none for an unknown one. */
export const eventsOf = (program: Cooler, id: string): Promise<Record<string, unknown>[]> =>
  reading(program, async ({ registry, archive }) => {
    const device = await registry.device(id)
    const events: Record<string, unknown>[] = []
    if (device === null) return events
    const always = { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER }
    for await (const { event } of deviceEvents(archive, device.number, always)) events.push({ ...event })
    return events
  })

/** Returns how many devices there are. */
export const countDevices = (program: Cooler): Promise<number> => reading(program, ({ registry }) => registry.count())
