/** The devices that a key is limited to. Plain data, so that it can be sent to a thread. */
export type DeviceLimit = { prefix: string } | { ids: ReadonlySet<string> }

/** Tells whether a limit includes a device; null includes all. Ids are compared exactly, by UTF-16 unit. */
export function isWithin(limit: DeviceLimit | null | undefined, id: string): boolean {
  if (limit === null || limit === undefined) return true
  return 'prefix' in limit ? id.startsWith(limit.prefix) : limit.ids.has(id)
}
