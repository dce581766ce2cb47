// npm run bench -- --engine postgres: what a store in PostgreSQL costs in comparison with SQLite, in alternation: seconds,
// CPU of the worker and of the server, bytes of the write-ahead log. Prints the ratios and which of them miss their bar,
// the coefficients, what fleets need by them, and how an hour of a large fleet compares.
import { median } from './measure.mjs'
import { capacityOf, checkHour, coefficientsOf, FLEETS, printCapacity } from './postgres/capacity.mjs'
import { measured, POSTGRES, postgres, sqlite } from './postgres/engines.mjs'
import { eventsIn, readGroups } from './postgres/groups.mjs'
import { runDay, runWriters } from './postgres/landing.mjs'
import { runRefreshes } from './postgres/refresh.mjs'
import { COMMITS, reportStore, runCommits } from './postgres/reports.mjs'
import { startServer } from './postgres/server.mjs'

const WRITERS = 4
const REPORTS = { devices: 100_000, days: 31 }
/** A fleet ten times as large as that of the file, refreshed in so many runs. */
const REFRESHES = { copies: 10, runs: 3, steps: 4 }

/** Rows of the table: how each is found in a run of an engine, and the most that its ratios may be. */
const ROWS = [
  { name: 'landing, 1 writer', of: ({ day }) => day.landing, bars: { seconds: 1.5, cpu: 2 } },
  { name: `landing, ${WRITERS} writers`, of: ({ writers }) => writers, bars: { seconds: 1.5, cpu: 3.5 } },
  { name: 'reading the days of all shards', of: ({ day }) => day.reading, bars: { cpu: 2.5 } },
  { name: 'report of a day, 100 000 devices', of: ({ reports }) => reports.day, bars: { cpu: 2 } },
  { name: 'report of 31 days, 100 000 devices', of: ({ reports }) => reports.range, bars: { cpu: 2 } },
  {
    name: `rollup commits, ${COMMITS.shards} of ${COMMITS.devices} devices`,
    of: ({ commits }) => commits,
    bars: { seconds: 1.5, cpu: 2 },
  },
  { name: 'rollup of a day', of: ({ day }) => day.rollup, bars: {} },
  { name: 'compaction of a day', of: ({ day }) => day.compaction, bars: {} },
  { name: 'registering 10 000 devices', of: ({ day }) => day.registering, bars: {} },
]
const FIGURES = { seconds: 's', cpu: 'CPU s' }

/**
 * Runs the bench on a file of events of one day and returns the record for the history.
 *
 * @param hourCopies how many times as large the fleet is of which an hour is run at the end; 0 for none
 */
export async function benchPostgres({ file, work, runs, hourCopies }) {
  const server = await startServer(work)
  const engines = [sqlite(work), postgres(server)]
  const intake = await measured(engines[0], () => readGroups(file))
  const fleet = intake.result
  const [events, devices] = [eventsIn(fleet.groups), fleet.registration.ids.length]
  const count = (value) => value.toLocaleString('en')
  console.log(`PostgreSQL ${server.version}; ${count(events)} events of ${count(devices)} devices; ${runs} runs`)
  const results = await runBoth(engines, fleet, runs)
  const refreshes = []
  for (let run = 0; run < Math.min(runs, REFRESHES.runs); run++)
    refreshes.push(await runRefreshes(engines[1], fleet, REFRESHES))
  const day = results[1].map((run) => run.day)
  const coefficients = coefficientsOf({ day, refreshes, intake, events, devices, median })
  const rows = [...tableOf(results), ...logRows(day, coefficients, events)]
  printTable(rows)
  printCoefficients(coefficients)
  printCapacity(coefficients)
  const hour = hourCopies === 0 ? null : await checkHour(engines[1], fleet, hourCopies, coefficients)
  await server.stop()
  const needs = (size) => ({
    quarterly: capacityOf(size, coefficients, 96),
    hourly: capacityOf(size, coefficients, 24),
  })
  const capacity = FLEETS.map((size) => ({ devices: size, ...needs(size) }))
  const of = { engine: 'postgres', postgres: server.version, devices, days: 1, runs, events }
  return { ...of, results: rows, coefficients, capacity, hour }
}

/** Runs everything on both engines, each step on one just after the other. Returns the runs of each. */
async function runBoth(engines, fleet, runs) {
  const reports = []
  for (const engine of engines) reports.push(await reportStore(engine, REPORTS))
  const [one, other] = reports.map(({ sums }) => JSON.stringify(sums))
  if (one !== other) throw new Error(`the reports differ: ${one} ${other}`)
  const steps = {
    day: (engine) => runDay(engine, fleet),
    writers: (engine) => runWriters(engine, fleet, WRITERS),
    commits: (engine) => runCommits(engine),
    reports: async (_, nth) => ({ day: await reports[nth].run('day'), range: await reports[nth].run('range') }),
  }
  const results = engines.map(() => [])
  for (let run = 0; run < runs; run++) {
    for (const all of results) all.push({})
    for (const [name, step] of Object.entries(steps)) {
      for (const [nth, engine] of engines.entries()) results[nth][run][name] = await step(engine, nth)
    }
  }
  for (const report of reports) await report.end()
  return results
}

/** The medians of both engines, and of the ratios of each run. */
function tableOf([ofSqlite, ofPostgres]) {
  return ROWS.flatMap(({ name, of, bars }) =>
    Object.keys(FIGURES).map((figure) => {
      const values = [ofSqlite, ofPostgres].map((runs) => runs.map((run) => of(run)[figure]))
      const ratio = median(values[1].map((value, run) => value / values[0][run]))
      const bar = bars[figure] ?? null
      const medians = { sqlite: median(values[0]), postgres: median(values[1]) }
      return { name: `${name}: ${FIGURES[figure]}`, ...medians, ratio, bar, misses: bar !== null && ratio > bar }
    }),
  )
}

/** The bytes of the write-ahead log, which those of SQLite's cannot be compared with. */
function logRows(day, { refresh }, events) {
  return [
    ['landing: log, bytes an event', median(day.map(({ landing }) => landing.wal)) / events, 14],
    ['refresh: log, bytes a device', refresh.wal, 170],
    ['refresh just after a checkpoint: log, bytes a device', refresh.walAfterCheckpoint, null],
  ].map(([name, value, bar]) => {
    const misses = bar !== null && value > bar
    return { name, sqlite: null, postgres: value, ratio: null, bar, misses }
  })
}

function printTable(rows) {
  const shown = (value) => (value === null ? '' : value >= 10 ? value.toFixed(0) : value.toFixed(2))
  const cells = ({ sqlite, postgres: of, ratio, bar, misses }) => ({
    SQLite: shown(sqlite),
    [POSTGRES]: shown(of),
    ratio: shown(ratio),
    bar: bar ?? '',
    '': misses ? 'missed' : '',
  })
  console.log('\nMedians; the ratio is that of the two measurements of one run')
  console.table(Object.fromEntries(rows.map((row) => [row.name, cells(row)])))
}

function printCoefficients({ intake, bytes, refresh, ...steps }) {
  const million = (value) => (value * 1e6).toFixed(2)
  console.log('\nCoefficients: CPU s a million events, of a worker and of PostgreSQL; log in bytes an event')
  console.log(`  reading and checking events: ${million(intake)}`)
  for (const step of ['landing', 'rollup', 'compaction']) {
    const { worker, server, wal } = steps[step]
    console.log(`  ${step}: ${million(worker)} + ${million(server)}, ${wal.toFixed(1)}`)
  }
  console.log(`  a million devices refreshed: ${million(refresh.worker)} + ${million(refresh.server)}`)
  const { landed, compacted, deviceDay } = bytes
  console.log(
    `  bytes: ${landed.toFixed(1)} an event landed, ${compacted.toFixed(1)} compacted, ${deviceDay.toFixed(0)} a device-day`,
  )
}
