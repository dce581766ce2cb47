import type { StoreRest } from '../store/moving.ts'
import type { KeptNotice } from '../store/notices.ts'
import type { StoreView } from '../store/view.ts'
import type { Copying } from './copying.ts'

/** Messages that one transaction writes. */
const MESSAGES_AT_ONCE = 100

/** Copies the reported exceptions of all devices, one day at a time. */
export async function copyTold(copying: Copying): Promise<void> {
  const marks = await copying.target.marks('told')
  const days = await copying.snapshot(({ moving }) => moving.toldDays())
  const all = new Set([...[...marks.keys()].map(Number), ...days.keys()])
  for (const day of [...all].sort((one, other) => one - other))
    if (days.get(day) !== marks.get(`${day}`)) await copying.snapshot((view) => copyDay(copying, view, day))
}

async function copyDay({ target, numbers }: Copying, view: StoreView, day: number): Promise<void> {
  const mark = (await view.moving.toldDays(day)).get(day) ?? null
  const rows = new Map<string, { shard: number; subscription: string; bits: Map<number, number> }>()
  for (let shard = 0; shard < view.archive.shards; shard++) {
    for (const { subscription, bits } of await view.notices.told(shard, day, day)) {
      await numbers.require(view, bits.keys())
      for (const [device, told] of bits) {
        const number = numbers.target(device)
        const key = `${number % target.shards} ${subscription}`
        const row = rows.get(key) ?? { shard: number % target.shards, subscription, bits: new Map() }
        rows.set(key, row)
        row.bits.set(number, told)
      }
    }
  }
  await target.putTold({ kind: 'told', unit: `${day}`, mark }, day, [...rows.values()])
}

/** Copies messages that the target does not have as they are. Their ids stay, so that receivers can drop repeats. */
export async function copyMessages({ target, snapshot }: Copying): Promise<void> {
  await snapshot(async ({ moving }) => {
    const [wanted, there] = [await moving.messageMarks(), await target.view.moving.messageMarks()]
    const gone = [...there.keys()].filter((id) => !wanted.has(id))
    if (gone.length > 0) await target.deleteMessages(gone)
    const differing = [...wanted].flatMap(([id, mark]) => (there.get(id) === mark ? [] : [id]))
    for (let from = 0; from < differing.length; from += MESSAGES_AT_ONCE)
      await target.putMessages(await moving.messages(differing.slice(from, from + MESSAGES_AT_ONCE)))
  })
}

/**
 * Returns subscriptions, notices, and the state of comparisons. A shard of the target has devices of any shard of the
 * source, so it gets the earliest comparison and all due days. Comparing a day again reports nothing twice.
 */
export async function noticesOf(
  view: StoreView,
  { target, numbers }: Pick<Copying, 'target' | 'numbers'>,
): Promise<Pick<StoreRest, 'subscriptions' | 'notices' | 'noticed' | 'noticeDays'>> {
  const days = new Set<number>()
  for (const shard of await view.notices.dueShards()) for (const day of await view.notices.dueDays(shard)) days.add(day)
  const looks = []
  for (let shard = 0; shard < view.archive.shards; shard++) looks.push(await view.notices.noticed(shard))
  const revision = Math.max(...looks.map((look) => look.revision))
  return {
    subscriptions: await view.notices.subscriptions(),
    notices: (await view.moving.notices()).map((notice): KeptNotice => {
      const device = numbers.target(notice.device)
      return { ...notice, device, shard: device % target.shards }
    }),
    noticed: revision === 0 ? null : { revision, at: Math.min(...looks.map(({ at }) => at)) },
    noticeDays: [...days],
  }
}

/** Reads reported exceptions and notices, by device number. */
export async function noticeRowsOf({
  moving,
  notices,
  archive,
}: Pick<StoreView, 'moving' | 'notices' | 'archive'>): Promise<{ device: number }[]> {
  const rows: { device: number }[] = []
  for (const { shard: _, ...notice } of await moving.notices()) rows.push(notice)
  const days = [...(await moving.toldDays()).keys()]
  if (days.length === 0) return rows
  const [first, last] = [Math.min(...days), Math.max(...days)]
  for (let shard = 0; shard < archive.shards; shard++) {
    for (const { day, subscription, bits } of await notices.told(shard, first, last))
      for (const [device, told] of bits) rows.push(Object.assign({ device }, { day, subscription, told }))
  }
  return rows
}
