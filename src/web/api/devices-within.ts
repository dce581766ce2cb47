import type { DeviceLimit } from '../../base/device-limit.ts'
import type { Device, RegistryReads } from '../../store/registry.ts'

/**
 * Returns at most `count` devices within a limit, in ascending order of id, beginning with the first one after `after`.
 * The cost grows with the result, or with the ids of the limit (a look-up for each), not with the registry.
 */
export async function devicesWithin(
  registry: RegistryReads,
  limit: DeviceLimit | null,
  after: string | null,
  count: number,
): Promise<Device[]> {
  if (limit === null) return registry.devicesAfter(after, count)
  if ('ids' in limit) {
    // sort() orders by UTF-16 units, as the registry does.
    const behind = [...limit.ids].filter((id) => after === null || id > after).sort()
    return (await registry.devicesOf(behind)).slice(0, count)
  }
  const { prefix } = limit
  if (after !== null && after >= prefix) return beginning(prefix, await registry.devicesAfter(after, count))
  // The prefix may be an id itself. It sorts first, directly before the longer ids that begin with it.
  const first = await registry.device(prefix)
  const others = beginning(prefix, await registry.devicesAfter(prefix, count))
  return (first === null ? others : [first, ...others]).slice(0, count)
}

const beginning = (prefix: string, devices: readonly Device[]): Device[] =>
  devices.filter(({ id }) => id.startsWith(prefix))
