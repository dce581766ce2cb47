const kept = new Map<string, Intl.NumberFormat>()

/** Formats a number in the viewer's format. Formats are kept, because making one costs more than using it. */
export function number(value: number, decimals = 0): string {
  const key = `${navigator.language} ${decimals}`
  let format = kept.get(key)
  if (format === undefined) {
    format = new Intl.NumberFormat(navigator.language, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
    kept.set(key, format)
  }
  return format.format(value)
}

/** Formats a number with its own decimals, at most `most`. */
export const plainNumber = (value: number, most = 3): string =>
  new Intl.NumberFormat(navigator.language, { maximumFractionDigits: most }).format(value)
