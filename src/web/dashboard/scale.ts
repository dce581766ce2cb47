/** A linear scale from values to pixels, and the round values of its axis marks. */
export interface Scale {
  at(value: number): number
  marks: number[]
}

/** Steps between marks, to be multiplied by a power of ten. */
const STEPS = [1, 2, 5, 10]

/** Makes a scale that holds all values. `zero` includes 0, as bars need it; `whole` allows whole marks only. */
export function scaleOf(
  values: readonly number[],
  { from, to, zero, whole = false }: { from: number; to: number; zero: boolean; whole?: boolean },
): Scale {
  const known = values.filter((value) => !Number.isNaN(value))
  if (zero) known.push(0)
  const low = known.length === 0 ? 0 : Math.min(...known)
  // If all values are zero, they give no height to scale to; neither do no values at all.
  const high = known.some((value) => value !== 0) ? Math.max(...known) : 1
  const span = high - low || Math.abs(high) || 1
  const power = 10 ** Math.floor(Math.log10(span / 4))
  const fitting = power * (STEPS.find((one) => span / (one * power) <= 5) ?? 10)
  const step = whole ? Math.max(1, fitting) : fitting
  const first = Math.floor(low / step)
  const last = Math.max(first + 1, Math.ceil(high / step))
  const at = (value: number): number => from + ((value - first * step) / ((last - first) * step)) * (to - from)
  // Multiples of the step, because adding up tenths would accumulate rounding errors.
  const marks = Array.from({ length: last - first + 1 }, (_, nth) => Number(((first + nth) * step).toPrecision(12)))
  return { at, marks }
}
