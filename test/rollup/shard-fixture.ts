import { formatDay } from '../../src/base/time.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { RollupRequest, RollupResult, RollupSettings } from '../../src/rollup/rollup-request.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { readSlot } from '../helpers/read-slot.ts'

export const HOUR_MS = 3_600_000
export const NOW = Date.parse('2024-06-01T00:00:00Z')
export const SETTINGS: RollupSettings = {
  defaultZone: 'UTC',
  rollupAtMinute: 0,
  daytime: { startMinute: 360, endMinute: 1080 },
  silenceLimitMs: 48 * HOUR_MS,
  doorCount: 'events',
}

/** An event of device `a`; the year is 2024 where the instant names none. */
export const event = (at: string, fields: object): object => {
  return { deviceId: 'a', at: `${at.length < 15 ? '2024-' : ''}${at}:00Z`, ...fields }
}
export const visitor = (at: string, count: number): object => event(at, { type: 'visitor', count })
export const power = (at: string, on: boolean): object => event(at, { type: 'power', on })

export const land = (store: Store, ...events: readonly object[]) =>
  new Landing(store.landing, { now: () => NOW, purgedBefore: () => 0 }).land({ events })

/** Makes the rules of a store others than those of this program. */
export const adoptOthers = async ({ rollups }: Store): Promise<boolean> =>
  rollups.adoptRules({ before: await rollups.rules(), text: 'others', now: 0, clocks: new Map(), zones: null })

export const rollUp = (
  store: Store,
  request: Partial<RollupRequest> = {},
  settings = SETTINGS,
): Promise<RollupResult> => rollUpShard(store, 0, settings, { now: NOW, ...request })

/** What is stored of the first device, by date. */
export async function storedDays({ rollups }: Store): Promise<Map<number, DeviceDay>> {
  const rows = await rollups.blocks(0, 0, 0, 100_000)
  return new Map(
    rows.flatMap(({ day, body }) => [[formatDay(day), readSlot(body, 0, [0, 0, day]) as DeviceDay]] as const),
  )
}

export async function figuresOf<Field extends keyof DeviceDay>(
  store: Store,
  field: Field,
): Promise<Record<number, number>> {
  return Object.fromEntries([...(await storedDays(store))].map(([day, rollup]) => [day, rollup[field]]))
}

export const onHours = async (store: Store): Promise<Record<number, number>> =>
  Object.fromEntries(Object.entries(await figuresOf(store, 'onMs')).map(([day, ms]) => [day, ms / HOUR_MS]))

const MOST_PASSES = 50

/** The dates that each commit from now on writes; a rollup that never ends fails. */
export function watchCommits({ rollups }: Store): number[][] {
  const commit = rollups.commit.bind(rollups)
  const dates: number[][] = []
  rollups.commit = async (one) => {
    if (dates.length === MOST_PASSES) throw new Error(`no end after ${MOST_PASSES} passes`)
    dates.push([...one.changes.values()].flatMap((days) => [...days.keys()].map(formatDay)).sort())
    return commit(one)
  }
  return dates
}
