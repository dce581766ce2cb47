import type { Explanation, Origin, OriginSources } from './answers.ts'
import { h } from './dom.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'
import { flag } from './flag.ts'
import { clock, duration, figure, instant, nothing, unitOf } from './format.ts'
import { say } from './messages.ts'
import { number, plainNumber } from './number.ts'
import { type Column, facts, plainTable } from './view.ts'

/** Makes the lead: the status of the figures, and the bounds of the day in the device's own time zone. */
export function leadOf({ status, start, end, closesAt, asOf, zones }: Explanation, zone: string): HTMLElement {
  const said = [
    say(`status-text-${status}`),
    say('day-from-to', { from: instant(start, zone), to: instant(end, zone) }),
    asOf === null ? say('not-rolled-up') : say('day-as-of', { at: instant(asOf, zone) }),
    closesAt === null ? '' : say('day-closes', { at: instant(closesAt, zone) }),
    `${say('zone')} ${zones.map((one) => one.zone).join(', ')}`,
  ]
  const texts = said.filter((text) => text !== '').map((text) => h('p', { class: 'quiet' }, text))
  return h('div', { class: 'lead' }, h('span', { class: `badge ${status}` }, say(`status-${status}`)), texts)
}

/** Makes the notes that users must read before they rely on the figures. */
export function notesOf({ matches, waiting, due, rawPurged, events }: Explanation): HTMLElement[] {
  const note = (text: string, kind = ''): HTMLElement => h('p', { class: `note ${kind}` }, text)
  return [
    ...(matches === false ? [note(say('does-not-match'), 'bad')] : []),
    ...(waiting > 0 ? [note(say('waiting', { count: waiting }))] : []),
    ...(due === null ? [] : [note(say('due-again', { causes: due.causes.join(', ') }))]),
    ...(events === 0 && !rawPurged ? [note(say('not-heard'))] : []),
    ...(rawPurged ? [note(say('raw-purged'))] : []),
  ]
}

/** Makes the table of a day's figures and their sources. */
export function figuresTable(explained: Explanation, zone: string): HTMLElement {
  const { figures, recomputed } = explained
  const columns: Column[] = [
    [say('figure')],
    [say('value'), 'number'],
    ...(recomputed === null ? [] : [[say('recomputed'), 'number'] as const]),
    [say('comes-from')],
  ]
  const isFixed = explained.from.distance.readings > 0
  const cell = (name: FigureName, value: number | null): Node | string => {
    if (name === 'distanceMore') return value === 1 ? flag() : say(isFixed ? 'flag-no-spoken' : 'flag-unknown')
    const unit = h('span', { class: 'unit' }, ` ${unitOf(name)}`)
    return value === null ? nothing() : h('span', {}, figure(name, value), unit)
  }
  const rows = FIGURE_NAMES.map((name) => [
    say(`long-${name}`),
    cell(name, figures[name]),
    ...(recomputed === null ? [] : [cell(name, recomputed[name])]),
    sourceOf(name, explained, zone),
  ])
  return plainTable(say('figures-caption'), columns, rows)
}

const known = (count: number | null): string | number => count ?? say('unknown')

const SOURCES: { [By in Origin]: (source: OriginSources[By], zone: string) => string } = {
  sum: ({ readings, sum }) => say('from-sum', { readings: known(readings), sum }),
  counter: ({ readings, sum }) => say('from-sum', { readings: known(readings), sum }),
  mean: ({ readings, sumCelsius }) => say('from-sum', { readings, sum: `${plainNumber(sumCelsius)} °C` }),
  highest: (source, zone) => extremeText(source, zone),
  lowest: (source, zone) => extremeText(source, zone),
  spans: ({ readings, spans, sumSeconds }) =>
    say('from-power', { readings: known(readings), spans: known(spans), seconds: plainNumber(sumSeconds) }),
  fixes: ({ readings, sumMeters, spikes }) => say('from-distance', { readings, sum: plainNumber(sumMeters), spikes }),
  flag: ({ readings, sumMeters, limitMeters }) =>
    say('from-flag', { readings, sum: plainNumber(sumMeters), limit: limitMeters }),
}

const extremeText = ({ readings, at }: OriginSources['highest'], zone: string): string =>
  at === null ? say('from-readings', { readings }) : say('from-extreme', { readings, at: clock(at, zone) })

function sourceOf(name: FigureName, { from }: Explanation, zone: string): string {
  const describe = SOURCES[FIGURES[name].origin] as (source: Explanation['from'][FigureName], zone: string) => string
  return describe(from[name], zone)
}

/** Makes the list of event counts of the day, by what became of the events. */
export function countsOf({ events, repeats, spikes, rejects, coverage }: Explanation, zone: string): HTMLElement {
  const rejected = Object.entries(rejects).map(([reason, count]) => `${reason} ${number(count)}`)
  const silence = coverage.longestSilence
  return facts([
    [say('events'), number(events)],
    [say('repeats'), number(repeats)],
    [say('spikes'), number(spikes)],
    [say('rejected'), rejected.length === 0 ? number(0) : rejected.join(', ')],
    [
      say('longest-silence'),
      silence === null
        ? nothing()
        : `${duration(silence.seconds)} (${instant(silence.from, zone)} – ${instant(silence.to, zone)})`,
    ],
  ])
}

/** Makes the table of the state that the day began and ended with. */
export function carriedTable({ carriedIn, carriedOut }: Explanation, zone: string): HTMLElement {
  const heard = (at: string | null): Node | string => (at === null ? nothing() : instant(at, zone))
  const total = (value: number | null): Node | string => (value === null ? nothing() : number(value))
  return plainTable(
    say('carried-caption'),
    [[say('carried')], [say('carried-in')], [say('carried-out')]],
    [
      [say('power'), say(`power-${carriedIn.power}`), say(`power-${carriedOut.power}`)],
      [say('door'), say(`door-${carriedIn.door}`), say(`door-${carriedOut.door}`)],
      [say('last-heard'), heard(carriedIn.lastHeardAt), heard(carriedOut.lastHeardAt)],
      [say('visitor-total'), total(carriedIn.visitorTotal), total(carriedOut.visitorTotal)],
    ],
  )
}

/** Makes the table of how the day's figures changed. */
export function revisionsTable({ revisions }: Explanation): HTMLElement {
  const columns: Column[] = [
    [say('revision-at')],
    [say('revision-cause')],
    ...FIGURE_NAMES.map((name): Column => [`${say(name)} ${name === 'distanceMore' ? '' : unitOf(name)}`, 'number']),
  ]
  const rows = revisions.map(({ revisedAt, causes, figures, figuresErased }) => [
    instant(revisedAt),
    [...causes, ...(figuresErased ? [say('figures-erased')] : [])].join(', '),
    ...FIGURE_NAMES.map((name) => (figures === null ? nothing() : figure(name, figures[name]))),
  ])
  return plainTable(say('revisions-caption'), columns, rows)
}
