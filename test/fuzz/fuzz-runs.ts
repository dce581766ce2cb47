import fc from 'fast-check'

/** Inputs of all fuzz tests together; `FUZZ_RUNS` in the environment, and `FUZZ_SEED` to have a run again. */
export const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 3000)
const SEED = process.env.FUZZ_SEED

/** Of 1000 inputs, how many each test takes: those that are cheap take most. */
const SHARES = {
  requests: 190,
  messages: 30,
  connections: 60,
  'queue jobs': 40,
  'hashes in Redis': 8,
  'lines of a queue': 100,
  'bytes of segments': 100,
  'bytes of narrow segments': 100,
  'bytes of packed batches': 100,
  'bytes of compacted days': 60,
  'bytes of rollup blocks': 100,
  'damaged lines': 180,
  'chunks of lines': 30,
  'gzip of lines': 2,
} as const

export type FuzzTest = keyof typeof SHARES

/** How many inputs a test takes. */
export const runsOf = (test: FuzzTest): number => Math.max(1, Math.round((FUZZ_RUNS * SHARES[test]) / 1000))

/** What one input may take before it counts as a hang. */
const HANG_MS = 45_000

/** Options of an fc.assert. */
export const fuzzed = (test: FuzzTest): fc.Parameters<unknown> => ({
  numRuns: runsOf(test),
  plugins: [fc.timeout(HANG_MS)],
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
})

/** Of a whole test, which may be one of many hours. */
export const FUZZ_TIMEOUT_MS = 120_000 + FUZZ_RUNS * 60

/** Says how many inputs a test has taken, where someone asked for a number of them. */
export function tellRuns(test: FuzzTest, startedAt: number): void {
  if (process.env.FUZZ_RUNS === undefined) return
  console.log(`${runsOf(test)} ${test} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}
