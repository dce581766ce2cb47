import { parseLabel } from '../base/labels.ts'
import { formatDay, parseDay } from '../base/time.ts'
import { UsageError } from './context.ts'

/** Reads an argument YYYYMMDD as an epoch day. @throws UsageError */
export function dayArgument(text: string): number {
  const day = /^\d{8}$/.test(text) ? parseDay(Number(text)) : null
  if (day === null)
    throw new UsageError(`${JSON.stringify(text)} is not a calendar day; write YYYYMMDD, such as ${formatDay(20_000)}`)
  return day
}

/** Returns a function that reads a whole number from `min` to `max`. @throws UsageError */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || value < min || value > max) {
      throw new UsageError(`${JSON.stringify(text)} must be a whole number from ${min} to ${max}`)
    }
    return value
  }

/** Adds a value to the previous ones, for an option that may be given more than once. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Adds a label to those before it, for an option that may be given more than once. @throws UsageError */
export function collectLabel(text: string, before: [string, string][] = []): [string, string][] {
  const label = parseLabel(text)
  if (label === null) throw new UsageError(`${JSON.stringify(text)} is not a label; write KEY:VALUE, such as route:12`)
  return [...before, label]
}
