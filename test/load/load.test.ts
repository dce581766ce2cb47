import { expect, test } from 'vitest'
import { latencyTable } from './latencies.ts'
import { runLoad } from './run-load.ts'

const SECONDS = Number(process.env.LOAD_SECONDS ?? 3)
const DEVICES = Number(process.env.LOAD_DEVICES ?? 200)
const DAYS = Number(process.env.LOAD_DAYS ?? 1)
const SEED = Number(process.env.LOAD_SEED ?? 1)
const FOLDER = process.env.LOAD_STORE ?? ''
const LANES = new RegExp(process.env.LOAD_LANES ?? '')

/** For the store to be made, and for the last answers. */
const REST_MS = 120_000 + DEVICES * DAYS * 30

test(
  'while reports of all devices and rollups run, every request is answered well, and the service ends when told',
  async () => {
    const { latencies, clientDelay, ended } = await runLoad({
      seconds: SECONDS,
      devices: DEVICES,
      days: DAYS,
      seed: SEED,
      folder: FOLDER,
      only: LANES,
    })
    console.log(`load: ${SECONDS} seconds, ${DEVICES} devices, ${DAYS} days, seed ${SEED}`)
    console.log(latencyTable(latencies))
    console.log(
      `the client itself was late by ${clientDelay.p99.toFixed(1)} ms at p99, ${clientDelay.most.toFixed(1)} at most`,
    )
    for (const [name, { milliseconds, errors }] of latencies) {
      expect(milliseconds.length, name).toBeGreaterThan(0)
      expect([...errors], name).toEqual([])
    }
    expect(ended).toEqual({ code: 0, errors: [] })
  },
  SECONDS * 1000 + REST_MS,
)
