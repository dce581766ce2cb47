import { CoolerError } from '../base/errors.ts'
import type { MoveTarget } from '../store/moving.ts'
import type { StoreView } from '../store/view.ts'
import { readRange } from './copy-devices.ts'
import { noticeRowsOf } from './copy-notices.ts'
import { dueOf } from './copy-rest.ts'
import { Digest } from './digest.ts'
import { numberRanges } from './number-ranges.ts'

type Compared = Pick<
  StoreView,
  'landing' | 'due' | 'archive' | 'rollups' | 'registry' | 'moving' | 'erasure' | 'notices'
>

/**
 * Requires that a state of the source and the target hold the same. What was copied has been read back and compared
 * event by event and rollup by rollup; this compares the two as wholes, by the ids of devices instead of their numbers.
 *
 * @throws CoolerError `store-damaged` that names what differs
 */
export async function requireSame(source: StoreView, target: MoveTarget): Promise<void> {
  const [ours, theirs] = [await factsOf(source), await factsOf(target.view)]
  const names = Object.keys(ours) as (keyof typeof ours)[]
  const differing = names.filter((name) => ours[name] !== theirs[name])
  const [one, other] = [await devicesOf(source), await devicesOf(target.view)]
  if (!one.equals(other))
    differing.push('devices, placements, revisions, current states or notices' as keyof typeof ours)
  if (differing.length === 0) return
  throw new CoolerError(
    'store-damaged',
    `source and target differ in ${differing.join(', ')}: run the move again, to a new target`,
  )
}

async function factsOf(view: Compared) {
  const { landing, archive, rollups, registry, moving, erasure, notices } = view
  const numbers = (await registry.numberCounts()).reduce((sum, count) => sum + count, 0)
  return {
    'the number of devices': numbers,
    counters: text(await landing.counters()),
    'the events of days': text([...(await eventsByDay(view))].sort(([one], [other]) => one - other)),
    'the days of rollups': text([...(await moving.rollupDays()).keys()].sort((one, other) => one - other)),
    rejects: text(await moving.rejectIds()),
    imports: text(await erasure.latestImports(2 ** 31 - 1)),
    rules: text([await rollups.rules(), [...(await rollups.zoneClocks())].sort()]),
    'the deleted days': await archive.purgedBefore(),
    subscriptions: text(await notices.subscriptions()),
    messages: text([...(await moving.messageMarks())].sort()),
    'the time up to which notices were looked for': await notices.noticedUpTo(),
  }
}

const text = (value: unknown): string => JSON.stringify(value)

/** Returns how many events of a UTC day there are, and how many of them are due. */
async function eventsByDay({ moving }: Pick<StoreView, 'moving'>): Promise<Map<number, { all: number; due: number }>> {
  const days = new Map<number, { all: number; due: number }>()
  const add = (utcDay: number, events: number, due: number): void => {
    const day = days.get(utcDay) ?? { all: 0, due: 0 }
    days.set(utcDay, { all: day.all + events, due: day.due + due })
  }
  for (const { utcDay, count, isDue } of await moving.segments()) add(utcDay, count, isDue ? count : 0)
  for (const [utcDay, { events }] of await moving.compactedDays()) add(utcDay, events, 0)
  return days
}

/** Sums up what is stored of devices, without their numbers. */
async function devicesOf(view: Compared): Promise<Digest> {
  const digest = new Digest()
  const ids = new Map<number, string | null>()
  const add = ({ device, ...row }: { device: number }): void =>
    digest.addText(text([ids.get(device) ?? null, Object.entries(row).sort()]))
  for (const range of await numberRanges(view.registry, view.rollups.shards)) {
    const { devices, placements, revisions, states } = await readRange(view, range)
    for (const { number, id, ...row } of devices) {
      ids.set(number, id)
      add({ device: number, ...row })
    }
    for (const row of [...placements, ...revisions]) add(row)
    for (const [device, state] of states) add({ device, ...state })
  }
  for (const due of await dueOf(view)) add(due)
  for (const row of await noticeRowsOf(view)) add(row)
  return digest
}
