import { expect, test } from 'vitest'
import { runPostgresChaos } from './run-chaos.ts'

const MINUTES = Number(process.env.CHAOS_MINUTES ?? 0.3)
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

test(
  'on several machines that fail, every acknowledged event is counted exactly once',
  async () => {
    const result = await runPostgresChaos(MINUTES, SEED)
    console.log(`chaos on PostgreSQL: ${MINUTES} minutes, seed ${SEED}\n${JSON.stringify(result, null, 2)}`)
    for (const balance of Object.values(result.balances)) {
      expect(balance).toMatchObject({ lost: 0, doubled: 0 })
      expect(balance.acknowledged).toBeGreaterThan(100)
    }
    expect(result).toMatchObject({ verified: { direct: 0, queue: 0 }, clockRevisions: 0, wrongVersions: 0 })
  },
  MINUTES * 120_000 + 900_000,
)
