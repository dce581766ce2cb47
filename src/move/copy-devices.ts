import { createHash } from 'node:crypto'
import type { DeviceRows, NumberRange } from '../store/moving.ts'
import type { StoreView } from '../store/view.ts'
import type { Copying } from './copying.ts'
import { numberRanges } from './number-ranges.ts'

/** Copies devices with their placements, revisions and current states. */
export async function copyDevices(copying: Copying): Promise<void> {
  const { target, snapshot } = copying
  const marks = await target.marks('devices')
  const ranges = await snapshot((view) => numberRanges(view.registry, view.rollups.shards))
  for (const range of ranges) await snapshot((view) => copyRange(copying, view, range, marks.get(`${range.from}`)))
}

async function copyRange(
  { target, numbers, ...copying }: Copying,
  view: StoreView,
  range: NumberRange,
  before: string | undefined,
): Promise<void> {
  const rows = await readRange(view, range)
  await numbers.add(rows.devices)
  const mark = markOf(rows)
  if (mark === before) return
  const renumbered = <Row extends { device: number }>(row: Row): Row => ({ ...row, device: numbers.target(row.device) })
  await target.putDevices(
    { kind: 'devices', unit: `${range.from}`, mark },
    {
      devices: rows.devices.map((device) => ({ ...device, number: numbers.target(device.number) })),
      placements: rows.placements.map(renumbered),
      revisions: rows.revisions.map(renumbered),
      states: new Map([...rows.states].map(([device, state]) => [numbers.target(device), state])),
    },
  )
  for (const { number, erasedAt } of rows.devices) if (erasedAt !== null) numbers.noteErased(number)
  copying.copied.devices += rows.devices.length
  copying.onCopied()
}

/** Reads all that is stored of the devices of a range. */
export async function readRange(
  { moving, rollups }: Pick<StoreView, 'moving' | 'rollups'>,
  range: NumberRange,
): Promise<DeviceRows> {
  const devices = await moving.devices(range)
  return {
    devices,
    placements: await moving.placements(range),
    revisions: await moving.revisions(range),
    states: await rollups.states(devices.map(({ number }) => number)),
  }
}

function markOf({ states, ...rows }: DeviceRows): string {
  const text = JSON.stringify([rows, [...states].sort(([one], [other]) => one - other)])
  return createHash('sha1').update(text).digest('base64')
}
