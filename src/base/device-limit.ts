/** The devices that a key is limited to. Plain data, so that it can be sent to a thread. */
export type DeviceLimit = { prefix: string } | { ids: ReadonlySet<string> }

/** Whether a device is within a limit; ids are compared as they are, unit by unit. No limit (null) is all devices. */
export function isWithin(limit: DeviceLimit | null | undefined, id: string): boolean {
  if (limit === null || limit === undefined) return true
  return 'prefix' in limit ? id.startsWith(limit.prefix) : limit.ids.has(id)
}
