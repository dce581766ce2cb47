import type { DeviceLimit } from '../../base/device-limit.ts'
import type { Device, RegistryReads } from '../../store/registry.ts'

/**
 * At most `count` devices within a limit, in ascending order of their ids, from the first one after `after` on. Costs
 * what it gives, or a look-up for each id of the limit; not a reading of the whole registry.
 */
export async function devicesWithin(
  registry: RegistryReads,
  limit: DeviceLimit | null,
  after: string | null,
  count: number,
): Promise<Device[]> {
  if (limit === null) return registry.devicesAfter(after, count)
  if ('ids' in limit) {
    // As sort() does by itself: in the order of UTF-16 units, which is that of the registry.
    const behind = [...limit.ids].filter((id) => after === null || id > after).sort()
    return (await registry.devicesOf(behind)).slice(0, count)
  }
  const { prefix } = limit
  if (after !== null && after >= prefix) return beginning(prefix, await registry.devicesAfter(after, count))
  // The prefix may be an id itself: the first of those that begin with it, which have no other between them.
  const first = await registry.device(prefix)
  const others = beginning(prefix, await registry.devicesAfter(prefix, count))
  return (first === null ? others : [first, ...others]).slice(0, count)
}

const beginning = (prefix: string, devices: readonly Device[]): Device[] =>
  devices.filter(({ id }) => id.startsWith(prefix))
