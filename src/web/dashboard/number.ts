const kept = new Map<string, Intl.NumberFormat>()

/** A number as the viewer writes numbers, with so many decimals. To make such a format costs more than to use it. */
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

/** A number with the decimals that it has, up to `most`. */
export const plainNumber = (value: number, most = 3): string =>
  new Intl.NumberFormat(navigator.language, { maximumFractionDigits: most }).format(value)
