import { MINUTE_MS } from '../durations.ts'

/** Ways to write one and the same instant. */
export const SPELLINGS = 5

/** Writes an instant in the n-th way (RULES.md section 2): the same event however it is spelled. */
export function spellInstant(instantMs: number, way: number): string | number {
  const local = (offsetMinutes: number) => new Date(instantMs + offsetMinutes * MINUTE_MS).toISOString().slice(0, -1)
  switch (way % SPELLINGS) {
    case 0:
      return instantMs
    case 1:
      return `${local(0)}Z`
    case 2:
      return `${local(345)}+05:45`
    case 3:
      return `${local(-210).replace('T', ' ')}-03:30`
    default:
      return `${local(0).replace('T', 't')}999z`
  }
}
