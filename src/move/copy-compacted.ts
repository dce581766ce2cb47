import { formatDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import { groupOf } from '../store/codec/device-group.ts'
import { sortByDevice } from '../store/codec/sort-by-device.ts'
import type { CompactedDay } from '../store/moving.ts'
import type { StoreView } from '../store/view.ts'
import { type Copying, differs, shardParts } from './copying.ts'
import { Digest } from './digest.ts'
import { renumber } from './renumber.ts'

const NONE: CompactedDay = { mark: '', events: 0 }

/** Copies compacted events, day by day: those of one body are spread over the shards of the target. */
export async function copyCompacted(copying: Copying): Promise<void> {
  const marks = await copying.target.marks('compacted')
  const days = await copying.snapshot(({ moving }) => moving.compactedDays())
  const all = new Set([...[...marks.keys()].map(Number), ...days.keys()])
  for (const utcDay of [...all].sort((one, other) => one - other)) {
    if (days.get(utcDay)?.mark === marks.get(`${utcDay}`)) continue
    await copying.snapshot((view) => copyDay(copying, view, utcDay))
  }
}

async function copyDay(copying: Copying, view: StoreView, utcDay: number): Promise<void> {
  const { target, numbers } = copying
  const { mark, events } = (await view.moving.compactedDays(utcDay)).get(utcDay) ?? NONE
  const [read, written] = [new Digest(), new Digest()]
  const parts = shardParts(target.shards, events)
  for (const [nth, shards] of parts.entries()) {
    const isLast = nth === parts.length - 1
    const wanted = new Set(shards)
    const groups = new Map<string, EventColumns[]>()
    for (let shard = 0; shard < view.archive.shards; shard++) {
      for (const columns of await view.moving.compacted(shard, utcDay)) {
        await numbers.require(view, columns.device.subarray(0, columns.count))
        if (isLast) read.addEvents(columns, utcDay, numbers.hashOfSource)
        const split = renumber(
          columns,
          (device) => numbers.target(device),
          (device) =>
            wanted.has(device % target.shards) ? `${device % target.shards} ${groupOf(device, target.shards)}` : null,
        )
        for (const [key, part] of split) groups.set(key, [...(groups.get(key) ?? []), part])
      }
    }
    const rows = [...groups].map(([key, columns]) => {
      const [shard, group] = key.split(' ').map(Number)
      return { shard, group, columns: sortByDevice(columns) }
    })
    const unit = { kind: 'compacted' as const, unit: `${utcDay}`, mark: isLast && mark !== '' ? mark : null }
    await target.putCompacted(unit, { utcDay, shards }, rows)
    for (const shard of shards) {
      for (const columns of await target.view.moving.compacted(shard, utcDay))
        written.addEvents(columns, utcDay, numbers.hashOfTarget)
    }
  }
  if (!read.equals(written)) throw differs(`events of UTC day ${formatDay(utcDay)}`)
  copying.copied.events += read.rows
  copying.onCopied()
}
