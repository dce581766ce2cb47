import type { Explanation, FigureName } from './answers.ts'
import { FIGURE_NAMES } from './answers.ts'
import { h } from './dom.ts'
import { flag } from './flag.ts'
import { clock, duration, figure, instant, nothing, unitOf } from './format.ts'
import { say } from './messages.ts'
import { number, plainNumber } from './number.ts'
import { type Column, facts, plainTable } from './view.ts'

/** How far the figures can be trusted, and the bounds of the day by the device's own clock. */
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

/** What somebody who relies on the figures must know of them. */
export function notesOf({ matches, waiting, due, rawPurged }: Explanation): HTMLElement[] {
  const note = (text: string, kind = ''): HTMLElement => h('p', { class: `note ${kind}` }, text)
  return [
    ...(matches === false ? [note(say('does-not-match'), 'bad')] : []),
    ...(waiting > 0 ? [note(say('waiting', { count: waiting }))] : []),
    ...(due === null ? [] : [note(say('due-again', { causes: due.causes.join(', ') }))]),
    ...(rawPurged ? [note(say('raw-purged'))] : []),
  ]
}

/** Makes the table of a day's figures and what each comes from. */
export function figuresTable(explained: Explanation, zone: string): HTMLElement {
  const { figures, recomputed } = explained
  const columns: Column[] = [
    [say('figure')],
    [say('value'), 'number'],
    ...(recomputed === null ? [] : [[say('recomputed'), 'number'] as const]),
    [say('comes-from')],
  ]
  const cell = (name: FigureName, value: number | null): Node | string => {
    if (name === 'distanceMore') return value === 1 ? flag() : say('flag-no-spoken')
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

function sourceOf(name: FigureName, { from }: Explanation, zone: string): string {
  const readings = (count: number | null): string | number => count ?? say('unknown')
  if (name === 'visitorCount' || name === 'openCloseNum') {
    const source = from[name]
    return say('from-sum', { readings: readings(source.readings), sum: source.sum })
  }
  if (name === 'currTemp' || name === 'setTemp') {
    const source = from[name]
    return say('from-sum', { readings: readings(source.readings), sum: `${plainNumber(source.sumCelsius)} °C` })
  }
  if (name === 'maxTemp' || name === 'minTemp') {
    const source = from[name]
    if (source.at === null) return say('from-readings', { readings: readings(source.readings) })
    return say('from-extreme', { readings: readings(source.readings), at: clock(source.at, zone) })
  }
  if (name === 'powerDuration' || name === 'powerDayDuration') {
    const source = from[name]
    const seconds = plainNumber(source.sumSeconds)
    return say('from-power', { readings: readings(source.readings), spans: readings(source.spans), seconds })
  }
  const source = from.distance
  const sum = plainNumber(source.sumMeters)
  return say('from-distance', { readings: readings(source.readings), sum, spikes: source.spikes })
}

/** Makes the list of how many events the day has, and what became of them. */
export function countsOf({ events, repeats, spikes, rejects, coverage }: Explanation, zone: string): HTMLElement {
  const rejected = Object.entries(rejects).map(([reason, count]) => `${reason} ${number(count)}`)
  const silence = coverage.longestSilence
  return facts([
    [say('events'), number(events)],
    [say('repeats'), number(repeats)],
    [say('spikes'), number(spikes)],
    [say('rejects'), rejected.length === 0 ? number(0) : rejected.join(', ')],
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
