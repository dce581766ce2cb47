import { expect, test } from 'vitest'
import { chaosTable, runChaos } from './run-chaos.ts'

const MINUTES = Number(process.env.CHAOS_MINUTES ?? 0.15)
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)

/** For what is sent to come to rest, and for the figures to be verified: the longer the run, the more there is. */
const REST_MS = 600_000 + MINUTES * 60_000

test(
  'under kills, full disks, locks and a lost Redis every acknowledged event is counted exactly once',
  async () => {
    const result = await runChaos({ minutes: MINUTES, seed: SEED })
    console.log(`chaos: ${MINUTES} minutes, seed ${SEED}\n${chaosTable(result)}`)
    for (const balance of Object.values(result.balances)) {
      expect(balance).toMatchObject({ lost: 0, doubled: 0 })
      expect(balance.acknowledged).toBeGreaterThan(100)
    }
    expect(result.integrity).toEqual({ queue: 'ok', direct: 'ok' })
    expect(result.verified).toEqual({ queue: 0, direct: 0 })
    expect(result.failedJobs).toBe(0)
    for (const acknowledged of result.overMqtt) expect(acknowledged).toBeGreaterThan(0)
  },
  MINUTES * 60_000 + REST_MS,
)
