import { formatDay, formatInstant, instantOrNull } from '../base/time.ts'
import { type Figures, finalise } from '../rollup/figures/figures.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { requireRules } from '../rollup/rules.ts'
import { type DeviceDay, emptyDeviceDay } from '../store/device-day.ts'
import { addDay, newTotals } from '../store/totals.ts'
import type { Snapshot } from '../store/view.ts'
import { type CoveredDay, storedCoverage, tracedCoverage } from './coverage.ts'
import { type CarriedState, DOOR_NAMES, type Explanation, POWER_NAMES } from './explanation.ts'
import { asOfOf, type FoundDay, findDay, isSettled } from './find-day.ts'
import { type PageRequest, pageOf } from './page.ts'
import { placesWithin, zonesWithin } from './places.ts'
import { extremesOf } from './readings.ts'
import { matchesStored, type Recomputed, recompute } from './recompute.ts'
import { storedSources, tracedSources } from './sources.ts'
import { waitingFor } from './waiting.ts'

export interface ExplainRequest extends PageRequest {
  deviceId: string
  /** Local day, epoch day. */
  day: number
}

/**
 * Explains what the stored figures of one device and local day come from, by folding its events again with a trace,
 * within one state of the store. Costs reading the UTC days that the local day touches: the events of 16 devices if the
 * days are compacted, else of the device's whole shard.
 *
 * @throws CoolerError `not-found` for an unknown device, and for a date that its zones skip; `other-rules` if the
 *   store was rolled up with other settings.
 */
export function explainDay(
  stores: { snapshot: Snapshot },
  settings: RollupSettings,
  request: ExplainRequest,
): Promise<Explanation> {
  return stores.snapshot(async (view) => {
    await requireRules(view.rollups, settings)
    const found = await findDay(view, settings, request.deviceId, request.day)
    const { local, rawPurged } = found
    const recomputed = rawPurged || local === null ? null : await recompute(view, settings, found, local)
    const explained = recomputed === null ? fromStored(found) : fromTrace(found, recomputed, request)
    const { spans, readings, next, carriedOut, ...sums } = explained
    const revisions = await view.rollups.revisions(found.device.number, found.day)
    return {
      deviceId: found.device.id,
      day: formatDay(found.day),
      status: !isSettled(found) ? 'provisional' : revisions.length > 0 ? 'revised' : 'settled',
      ...boundsBody(found),
      figures: figuresOf(found.row),
      ...comparison(found, recomputed, settings),
      rawPurged,
      ...(await waitingFor(view, found)),
      ...sums,
      carriedIn: {
        fromDay: found.before && formatDay(found.before.day),
        ...carried(found.carriedIn ?? emptyDeviceDay()),
      },
      carriedOut,
      rejects: await view.rejects.countsOf(found.device.id, found.start, found.end),
      revisions: revisions.map(({ number, revisedAt, causes, old, isErased }) => ({
        number,
        revisedAt: formatInstant(revisedAt),
        causes: [...causes],
        figures: old && figuresOf(old),
        figuresErased: isErased,
      })),
      ...{ spans, readings, next },
    }
  })
}

function boundsBody(found: FoundDay) {
  const { start, end, local, closesAt } = found
  return {
    start: formatInstant(start),
    end: formatInstant(end),
    daytimeStart: instantOrNull(local?.daytimeStart ?? null),
    daytimeEnd: instantOrNull(local?.daytimeEnd ?? null),
    closesAt: instantOrNull(closesAt),
    asOf: instantOrNull(asOfOf(found)),
    zones: local === null ? [] : zonesWithin(found),
    places: placesWithin(found),
  }
}

/** Returns the figures as the daily report has them; for a day without a rollup, the figures of no data. */
function figuresOf(row: DeviceDay | null): Figures {
  const totals = newTotals(1)
  if (row !== null) addDay(totals, 0, row)
  return finalise(totals, 0)
}

function comparison(
  found: FoundDay,
  recomputed: Recomputed | null,
  { silenceLimitMs }: RollupSettings,
): Pick<Explanation, 'matches' | 'recomputed'> {
  if (recomputed === null) return { matches: found.rawPurged ? null : false, recomputed: null }
  const matches = matchesStored(found, recomputed, silenceLimitMs)
  return { matches, recomputed: matches ? null : figuresOf(recomputed.day) }
}

type Told = Pick<
  Explanation,
  'from' | 'coverage' | 'carriedOut' | 'events' | 'repeats' | 'spikes' | 'spans' | 'readings' | 'next'
>

function fromTrace(found: FoundDay, { day, trace }: Recomputed, request: PageRequest): Told {
  const covered = coveredDay(found)
  const daytime = covered.daytime ?? { from: found.start, to: found.start }
  const extremes = extremesOf(trace.readings)
  const { events, repeats, spikes } = day
  return {
    from: tracedSources(trace, extremes, daytime),
    coverage: tracedCoverage(covered, trace, found.carriedIn?.lastHeardAt ?? 0),
    carriedOut: carried(day),
    ...{ events, repeats, spikes },
    ...pageOf(trace, extremes, daytime, request),
  }
}

function fromStored(found: FoundDay): Told {
  const row = found.row ?? emptyDeviceDay()
  const { events, repeats, spikes } = row
  return {
    from: storedSources(row),
    coverage: storedCoverage(coveredDay(found), row),
    carriedOut: carried(found.row ?? found.carriedIn ?? row),
    ...{ events, repeats, spikes, spans: null, readings: null, next: null },
  }
}

function coveredDay(found: FoundDay): CoveredDay {
  const { start, end, local } = found
  return {
    from: start,
    to: end,
    daytime: local && { from: local.daytimeStart, to: local.daytimeEnd },
    asOf: asOfOf(found) ?? start,
  }
}

const carried = ({ power, door, lastHeardAt, lastTotal }: DeviceDay): CarriedState => ({
  power: POWER_NAMES[power],
  door: DOOR_NAMES[door],
  lastHeardAt: lastHeardAt === 0 ? null : formatInstant(lastHeardAt),
  visitorTotal: lastTotal < 0 ? null : lastTotal,
})
