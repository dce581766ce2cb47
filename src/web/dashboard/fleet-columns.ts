import { idText } from '../../base/id-text.ts'
import type { FleetRow } from './answers.ts'
import { h } from './dom.ts'
import { exceptionBadges, statusBadge } from './exceptions.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'
import { figure, instantNode, nothing, unitOf } from './format.ts'
import { type MessageName, say } from './messages.ts'
import { number } from './number.ts'
import { hashOf } from './routes.ts'
import type { VirtualColumn } from './virtual-table.ts'

/** A column of the list of the fleet, named like the field that it shows. */
export interface FleetColumn extends VirtualColumn {
  cell: (row: FleetRow) => Node | string
}

const READINGS = ['celsius', 'setpoint', 'power', 'doors', 'visitors', 'fix']
const rank = (name: FigureName): number => READINGS.indexOf(FIGURES[name].reading)
/** Figures in reading order. Whether a cooler was too far off is told by its exceptions. */
export const SHOWN_FIGURES = FIGURE_NAMES.filter((name) => FIGURES[name].kind !== 'flag').toSorted(
  (one, other) => rank(one) - rank(other),
)

/**
 * Returns all columns; the first is the header of a row.
 *
 * @param lastDay the last day of the list
 * @param labelKeys the labels that its coolers have
 */
export function fleetColumns(lastDay: number, labelKeys: readonly string[]): readonly FleetColumn[] {
  return [
    text('id', 'cooler', true, ({ id }) =>
      h('a', { href: hashOf({ view: 'device', id, lastDay }), title: idText(id) }, idText(id)),
    ),
    text('exceptions', 'exceptions', true, exceptionBadges),
    text('status', 'status', false, statusBadge),
    text('lastHeardAt', 'last-heard', true, ({ lastHeardAt, timezone }) =>
      lastHeardAt === null ? say('never-heard') : instantNode(lastHeardAt, timezone),
    ),
    text('address', 'address', false, ({ address }) =>
      address === null ? nothing() : h('bdi', { title: address }, address),
    ),
    ...labelKeys.map(ofLabel),
    ...SHOWN_FIGURES.map(ofFigure),
    hours('hoursOff', 'total-off', 'long-hours-off'),
    hours('hoursUnknown', 'hours-unknown', 'long-hours-unknown'),
    text('timezone', 'zone', false, ({ timezone }) => timezone),
  ]
}

/** Columns that are left out unless they are chosen. */
const LEFT_OUT = ['timezone', 'setTemp']

/** Returns the columns that a choice names, or those of no choice. The first is always among them. */
export function chosenColumns(columns: readonly FleetColumn[], choice: string | undefined): readonly FleetColumn[] {
  const names = choice?.split(' ')
  return columns.filter(
    ({ key }, nth) => nth === 0 || (names === undefined ? !LEFT_OUT.includes(key) : names.includes(key)),
  )
}

function text(key: string, title: MessageName, isSortable: boolean, cell: FleetColumn['cell']): FleetColumn {
  return { key, title: say(title), longTitle: say(title), unit: '', kind: 'text', isSortable, cell }
}

function ofLabel(key: string): FleetColumn {
  const cell = ({ labels }: FleetRow): Node | string => (Object.hasOwn(labels, key) ? h('bdi', {}, labels[key]) : '')
  return { key: `label:${key}`, title: key, longTitle: key, unit: '', kind: 'text', isSortable: true, cell }
}

/** Returns a value of a day or range; null if its status is `none`, for which the API gives sums of 0. */
const known = (row: FleetRow, name: FigureName | 'hoursOff' | 'hoursUnknown'): number | null =>
  row.status === 'none' ? null : row[name]

function numbers(
  key: string,
  title: MessageName,
  longTitle: MessageName,
  unit: string,
  cell: FleetColumn['cell'],
): FleetColumn {
  return { key, title: say(title), longTitle: say(longTitle), unit, kind: 'number', isSortable: true, cell }
}

const ofFigure = (name: FigureName): FleetColumn =>
  numbers(name, name, `long-${name}`, unitOf(name), (row) => figure(name, known(row, name)))

const hours = (key: 'hoursOff' | 'hoursUnknown', title: MessageName, long: MessageName): FleetColumn =>
  numbers(key, title, long, 'h', (row) => {
    const value = known(row, key)
    return value === null ? nothing() : number(value, 2)
  })
