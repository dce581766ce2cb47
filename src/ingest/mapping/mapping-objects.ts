/** Returns the value if it is an object. @throws TypeError */
export function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new TypeError(`${what} must be an object`)
}

/** Refuses members that a mapping does not have. @throws TypeError that names the first unknown member */
export function refuseOthers(others: Record<string, unknown>, what: string): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new TypeError(`${what} has no ${JSON.stringify(name)}`)
}
