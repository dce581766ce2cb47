import { CoolerError } from '../base/errors.ts'
import { formatDay, millisecondsInDay, utcDayOf } from '../base/time.ts'
import { TYPE_OF_KIND } from '../event/event-columns.ts'
import { takenFrom } from '../store/archive.ts'
import type { DeviceTarget, ErasedRest, ShardDay } from '../store/erase-store.ts'
import type { StoreView } from '../store/view.ts'
import { eraseDay } from './erase-day.ts'
import type { Erased, EraseRequest, EraseSteps, EraseStores, Erasing, RestTask } from './erase-request.ts'
import { countLoneDevices } from './lone-devices.ts'
import { requireNotPurged } from './purged-days.ts'
import { isOfType } from './reject-type.ts'

/** Number of imports that the error for an unknown id lists. */
const IMPORTS_TOLD = 5

export interface EraseOptions {
  /** Counts, and changes nothing. */
  dryRun?: boolean
  /** Epoch ms. */
  now: number
  onProgress?: (doneDays: number, totalDays: number) => void
  /** Tells whether to end after the current day. */
  isStopping?: () => boolean
}

/**
 * Erases what a request names: first the events, one UTC day of a shard after the other, then data kept in addition to
 * them, and last the copies in freed pages. Each day is its own transaction: after an interruption, run it again.
 *
 * @throws CoolerError `not-found` for an unknown device or import; `raw-purged`; `shutting-down`
 */
export async function eraseAll(
  steps: EraseSteps,
  request: EraseRequest,
  { dryRun = false, now, onProgress, isStopping = () => false }: EraseOptions,
): Promise<Erased> {
  const erasing = await steps.begin(request)
  const { days, purgedDays } = erasing
  const byType: Erased['byType'] = {}
  for (const [index, day] of days.entries()) {
    if (isStopping()) {
      throw new CoolerError('shutting-down', `ended after ${index} of ${days.length} days: run it again for the rest`)
    }
    for (const [type, count] of Object.entries(await steps.day({ erasing, day, dryRun })) as [
      keyof typeof byType,
      number,
    ][])
      byType[type] = (byType[type] ?? 0) + count
    onProgress?.(index + 1, days.length)
  }
  const rest = await steps.rest({ erasing, dryRun, now })
  if (rest.placements > 0) byType.placement = rest.placements
  const erased = Object.values(byType).reduce((sum, count) => sum + count, 0)
  // Even if nothing is left to erase: the previous run may have been cut short, or a reader may have kept the log.
  const logEmptied = dryRun ? null : await steps.overwrite()
  return { erased, byType, ...rest, purgedDays, logEmptied }
}

/** Makes the steps for a store that this thread has open. */
export const eraseSteps = (stores: EraseStores): EraseSteps => ({
  begin: (request) =>
    stores.snapshot((view) => ('device' in request ? beginDevice(view, request) : beginImport(view, request))),
  day: (task) => eraseDay(stores, task),
  rest: (task) => eraseRest(stores, task),
  overwrite: () => stores.erasure.overwriteFreed(),
})

async function beginDevice(view: StoreView, request: Extract<EraseRequest, { device: string }>): Promise<Erasing> {
  const { archive, registry } = view
  const { fromAt, toAt, type } = request
  const device = await registry.device(request.device)
  if (device === null) throw new CoolerError('not-found', `no such device: ${JSON.stringify(request.device)}`)
  const ofType = TYPE_OF_KIND.flatMap((one, kind) => (one === type ? [kind] : []))
  const target: DeviceTarget = { device: device.number, fromAt, toAt, kinds: type === null ? null : ofType }
  const days: ShardDay[] = []
  if (type !== 'placement' && fromAt < toAt) {
    await requireNotPurged(view, target)
    const shard = device.number % archive.shards
    const last = utcDayOf(toAt - 1)
    let day = await archive.nextDay(shard, utcDayOf(fromAt))
    for (; day !== null && day <= last; day = await archive.nextDay(shard, day + 1)) days.push({ shard, utcDay: day })
  }
  return { target, request, days, purgedBefore: await archive.purgedBefore(), purgedDays: null }
}

async function beginImport(
  { archive, erasure }: StoreView,
  request: Extract<EraseRequest, { import: string }>,
): Promise<Erasing> {
  const known = await erasure.import(request.import)
  if (known === null) throw await unknownImport(request.import, erasure)
  const purgedBefore = await archive.purgedBefore()
  const all = await erasure.importDays(known.number)
  const isPurged = ({ utcDay }: ShardDay): boolean => utcDay * millisecondsInDay < takenFrom(purgedBefore)
  const purged = all.filter(isPurged)
  const purgedDays =
    purged.length === 0 ? null : { from: formatDay(purged[0].utcDay), to: formatDay(purged[purged.length - 1].utcDay) }
  const days = all.filter((day) => !isPurged(day))
  return { target: { import: known.number }, request, days, purgedBefore, purgedDays }
}

async function unknownImport(id: string, erasure: StoreView['erasure']): Promise<CoolerError> {
  const latest = await erasure.latestImports(IMPORTS_TOLD)
  const listed = latest.map(({ id: one, files }) => `${one} (${files})`).join(', ')
  const hint = latest.length === 0 ? 'nothing has been imported' : `the latest are ${listed}`
  return new CoolerError('not-found', `no such import: ${JSON.stringify(id)}; ${hint}`)
}

async function eraseRest(
  stores: EraseStores,
  { erasing: { target, request }, dryRun, now }: RestTask,
): Promise<ErasedRest & Pick<Erased, 'placementsLeft'>> {
  const { erasure } = stores
  if ('import' in target) {
    if (!dryRun) return { ...(await erasure.eraseImportRest(target.import, now)), placementsLeft: 0 }
    const devices = await countLoneDevices(stores, target.import)
    return { ...(await erasure.countImportRest(target.import)), devices, placementsLeft: 0 }
  }
  const { device, type } = request as Extract<EraseRequest, { device: string }>
  const { fromAt, toAt } = target
  const isReject = type === null ? () => true : (raw: string) => isOfType(raw, type)
  const rest = { device: target.device, deviceId: device, fromAt, toAt, isReject, placements: type === 'placement' }
  return {
    ...(await erasure.eraseDeviceRest(rest, dryRun)),
    placementsLeft: type === null ? await erasure.placementsWithin(target.device, fromAt, toAt) : 0,
  }
}
