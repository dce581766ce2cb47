const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/**
 * Returns a span of time in its two largest units: `3 d 4 h`, `5 min 12 s`, `0 s`. `ms`: 0 or more, rounded to seconds.
 *
 * Not date-fns: its durations are differences of dates, and so depend on the process's time zone and its months.
 */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const largest = UNITS.findIndex(([size]) => seconds >= size)
  if (largest < 0) return '0 s'
  const [size, name] = UNITS[largest]
  const whole = `${Math.floor(seconds / size)} ${name}`
  const next = UNITS[largest + 1]
  const rest = next ? Math.floor((seconds % size) / next[0]) : 0
  return next && rest > 0 ? `${whole} ${rest} ${next[1]}` : whole
}
