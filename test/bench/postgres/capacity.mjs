// What fleets of several sizes need, by the coefficients that were measured on a small one; and the check of it by an
// hour of a large fleet.
import { runRefreshes } from './refresh.mjs'

const DAY_SECONDS = 86_400
/** How long compacted events are kept, for the table. */
const KEPT_DAYS = 400
export const FLEETS = [10_000, 1_000_000, 10_000_000]

/**
 * Derives the coefficients, as medians: CPU seconds (of a worker, of the server) and bytes of the log, an event or a device
 * and refresh; and bytes stored. Landing and refreshes are those of a fleet ten times as large as the day's, as they cost
 * less a device, and more an event, in large fleets.
 */
export function coefficientsOf({ day, refreshes, intake, events, devices, median }) {
  const each = (values, count) => {
    const of = (name) => median(values.map((one) => one[name])) / count
    return { worker: of('worker'), server: of('server'), wal: of('wal') }
  }
  const ofDay = (step) =>
    each(
      day.map((run) => run[step]),
      events,
    )
  const steps = refreshes.flatMap(({ taken }) => taken)
  const large = refreshes[0].devices
  const first = refreshes.map(({ taken }) => taken[0].refresh.wal)
  const stored = (name) => median(day.map((run) => run.bytes[name])) / events
  return {
    eventsOfDeviceDay: events / devices,
    intake: intake.worker / events,
    landing: each(
      steps.map(({ landing: { events, ...took } }) =>
        Object.fromEntries(Object.entries(took).map(([name, value]) => [name, value / events])),
      ),
      1,
    ),
    rollup: ofDay('rollup'),
    compaction: ofDay('compaction'),
    refresh: {
      ...each(
        refreshes.flatMap(({ taken }) => taken.slice(1)).map(({ refresh }) => refresh),
        large,
      ),
      walAfterCheckpoint: median(first) / large,
    },
    bytes: {
      landed: stored('landed'),
      compacted: stored('compacted'),
      deviceDay: median(day.map((run) => run.bytes.rollups / run.rollup.result.deviceDays)),
    },
  }
}

/** Returns what a fleet needs, if it is refreshed so many times a day. */
export function capacityOf(devices, { eventsOfDeviceDay, intake, landing, compaction, refresh, bytes }, refreshes) {
  const events = devices * eventsOfDeviceDay
  const ofEvents = (name) => events * (landing[name] + compaction[name])
  const ofRefreshes = (name) => devices * refreshes * refresh[name]
  return {
    eventsPerSecond: events / DAY_SECONDS,
    landedBytes: events * bytes.landed,
    compactedBytes: events * bytes.compacted * KEPT_DAYS,
    rollupBytes: devices * bytes.deviceDay * 365,
    eventWal: ofEvents('wal'),
    // Between two refreshes there is a checkpoint, by PostgreSQL's defaults.
    refreshWal: ofRefreshes('walAfterCheckpoint'),
    workerCores: (events * intake + ofEvents('worker') + ofRefreshes('worker')) / DAY_SECONDS,
    serverCores: (ofEvents('server') + ofRefreshes('server')) / DAY_SECONDS,
  }
}

const number = (value) =>
  value >= 1e3
    ? Math.round(value).toLocaleString('en')
    : value >= 10
      ? value.toFixed(0)
      : value >= 0.1
        ? value.toFixed(1)
        : value.toPrecision(1)

function size(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const scaled = bytes / 1000 ** unit
  return `${scaled >= 10 ? scaled.toFixed(0) : scaled.toFixed(1)} ${units[unit]}`
}

/** Prints the table of schema/reference/several-machines.md. */
export function printCapacity(coefficients) {
  const by = (refreshes) => FLEETS.map((devices) => capacityOf(devices, coefficients, refreshes))
  const [hourly, quarterly] = [by(24), by(96)]
  const row = (name, pick, of = hourly) => `| ${name} | ${of.map(pick).join(' | ')} |`
  const both = (pick) => (_, nth) => `${pick(quarterly[nth])} / ${pick(hourly[nth])}`
  const lines = [
    `| coolers | ${FLEETS.map((devices) => devices.toLocaleString('en')).join(' | ')} |`,
    '| --- | --: | --: | --: |',
    row('events/s, mean', ({ eventsPerSecond }) => number(eventsPerSecond)),
    row('landed a day', ({ landedBytes }) => size(landedBytes)),
    row(`compacted, ${KEPT_DAYS} days`, ({ compactedBytes }) => size(compactedBytes)),
    row('rollups of a year', ({ rollupBytes }) => size(rollupBytes)),
    row('log a day: landing and compaction', ({ eventWal }) => size(eventWal)),
    row(
      'log a day: refresh each 15 / 60 min',
      both(({ refreshWal }) => size(refreshWal)),
    ),
    row(
      'cores of workers, mean, 15 / 60 min',
      both(({ workerCores }) => number(workerCores)),
    ),
    row(
      'cores of PostgreSQL, mean, 15 / 60 min',
      both(({ serverCores }) => number(serverCores)),
    ),
  ]
  console.log(`\nCapacity, by these coefficients\n${lines.join('\n')}`)
}

/**
 * Runs an hour of a fleet that is `copies` times the measured one, with a refresh each quarter, and compares what it takes
 * with the coefficients.
 */
export async function checkHour(engine, fleet, copies, { landing, refresh }) {
  const { devices, taken } = await runRefreshes(engine, fleet, { steps: 4, copies })
  const events = taken.reduce((sum, step) => sum + step.landing.events, 0)
  const sum = (step, name) => taken.reduce((total, one) => total + one[step][name], 0)
  const rows = [
    ['landing: CPU s of a worker', sum('landing', 'worker'), events * landing.worker],
    ['landing: CPU s of PostgreSQL', sum('landing', 'server'), events * landing.server],
    ['landing: log, bytes an event', sum('landing', 'wal') / events, landing.wal],
    ['4 refreshes: CPU s of a worker', sum('refresh', 'worker'), devices * 4 * refresh.worker],
    ['4 refreshes: CPU s of PostgreSQL', sum('refresh', 'server'), devices * 4 * refresh.server],
    ['refresh after a checkpoint: log, bytes a device', taken[0].refresh.wal / devices, refresh.walAfterCheckpoint],
    ['refresh: log, bytes a device', sum('refresh', 'wal') / devices / 4, refresh.wal],
  ].map(([name, is, expected]) => ({ name, measured: is, 'by the coefficients': expected, ratio: is / expected }))
  const share = (sum('landing', 'seconds') + sum('refresh', 'seconds')) / 3600
  console.log(
    `\nOne hour (of 24, after noon) of ${devices.toLocaleString('en')} devices: ${events.toLocaleString('en')} events, landed and` +
      ` refreshed 4 times by one worker thread in ${(share * 100).toFixed(1)} % of the hour`,
  )
  console.table(
    Object.fromEntries(
      rows.map(({ name, ...row }) => [
        name,
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Number(value.toPrecision(3))])),
      ]),
    ),
  )
  return { devices, events, share, rows }
}
