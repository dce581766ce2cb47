// Reports of a large fleet, made as a report thread makes them; the bytes of both engines must be the same. And commits
// of rollups, of devices as a worker has them in hand after a refresh.
import { createHash } from 'node:crypto'
import { KeptFleet } from '../../../dist/src/report/fleet/fleet.js'
import { FleetReports } from '../../../dist/src/report/fleet/fleet-report.js'
import { commitOf, makeReportStore } from '../report-store.mjs'
import { measured, opened } from './engines.mjs'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 6, 1) / DAY_MS
/** A report takes so little that the clock of the server's CPU is too coarse for one. */
const REPORTS = 5

/** Makes the store, and one report of each kind, after which the fleet is in memory as in a service. */
export async function reportStore(engine, { devices, days }) {
  const location = await engine.newLocation()
  await makeReportStore(location, { devices, days, firstDay: FIRST_DAY })
  const store = await opened(location)
  const reports = new FleetReports(new KeptFleet('UTC'))
  const now = (FIRST_DAY + days) * DAY_MS
  const tasks = {
    day: ['daily', { fromDay: FIRST_DAY + 4, toDay: FIRST_DAY + 4, within: null, now }],
    range: ['summary', { fromDay: FIRST_DAY, toDay: FIRST_DAY + days - 1, within: null, now }],
  }
  const make = async (name) => {
    const [report, task] = tasks[name]
    return (await store.snapshot((view) => reports[report](view, task))).bytes
  }
  const sums = {}
  for (const name of Object.keys(tasks))
    sums[name] = createHash('sha1')
      .update(await make(name))
      .digest('hex')
  return {
    sums,
    async run(name) {
      const took = await measured(engine, async () => {
        for (let nth = 0; nth < REPORTS; nth++) await make(name)
      })
      return {
        seconds: took.seconds / REPORTS,
        cpu: took.cpu / REPORTS,
        worker: took.worker / REPORTS,
        server: took.server / REPORTS,
      }
    },
    async end() {
      await store.close()
      await engine.drop(location)
    },
  }
}

export const COMMITS = { shards: 16, devices: 6250 }

/** Commits a day of so many devices of each of some shards, and then the same as three refreshes of an open day. */
export async function runCommits(engine) {
  const location = await engine.newLocation()
  const store = await opened(location)
  const { shards } = store.rollups
  const commits = (version) =>
    Array.from({ length: COMMITS.shards }, (_, shard) => {
      const devices = Array.from({ length: COMMITS.devices }, (_, nth) => ({
        number: nth * shards + shard,
        index: nth * COMMITS.shards + shard + version,
      }))
      return commitOf({ shard, shards, devices, days: 1, firstDay: FIRST_DAY, version })
    })
  const commit = async (version, options) => {
    const all = commits(version)
    return measured(
      engine,
      async () => {
        for (const one of all) if (!(await store.rollups.commit(one))) throw new Error('a commit was refused')
      },
      options,
    )
  }
  await commit(0)
  const first = await commit(1)
  const again = await commit(2, { settled: false })
  const third = await commit(3, { settled: false })
  await store.close()
  await engine.drop(location)
  const devices = COMMITS.shards * COMMITS.devices
  return {
    seconds: first.seconds + again.seconds,
    cpu: first.cpu + again.cpu,
    worker: first.worker + again.worker,
    server: first.server + again.server,
    /** Bytes of the log for a device and refresh: just after a checkpoint, and otherwise. */
    walAfterCheckpoint: first.wal / devices,
    wal: third.wal / devices,
  }
}
