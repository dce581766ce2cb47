/** The bounds of RULES.md 2, written down once more: apart from the statement that the program follows. */
export const BOUNDS = {
  deviceIdUnits: 256,
  addressUnits: 512,
  celsius: { min: -60, max: 80 },
  doorCount: { min: 1, max: 100_000 },
  visitorCount: { min: 0, max: 1_000_000 },
  safeInteger: 2 ** 53 - 1,
} as const
