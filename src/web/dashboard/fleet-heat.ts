import type { FleetRow } from './answers.ts'
import { isoDay } from './days.ts'
import { h } from './dom.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'
import type { FleetColumn } from './fleet-columns.ts'
import { figureText, longDay, NOTHING, shortDay, unitOf } from './format.ts'
import { say } from './messages.ts'
import { hashOf } from './routes.ts'
import { choice } from './view.ts'

/** Shades of a heat map, from the lowest values to the highest (classes of the style sheet). */
const SHADES = 7

/** The figures that a heat map can show. */
export const HEAT_FIGURES = FIGURE_NAMES.filter((name) => FIGURES[name].kind !== 'flag')

/** Returns the figure that a choice names, or null. */
export const heatFigure = (choice: string | undefined): FigureName | null =>
  HEAT_FIGURES.find((name) => name === choice) ?? null

/** Returns a column for each day of a range, shaded by a figure; `rows` tell how high its values are. */
export function heatColumns(name: FigureName, days: readonly number[], rows: readonly FleetRow[]): FleetColumn[] {
  const shadeOf = shades(rows.flatMap(({ daily = [] }) => daily.filter((value) => value !== null)))
  return days.map((day, nth) => ({
    key: `day-${isoDay(day)}`,
    title: shortDay(day),
    longTitle: longDay(day),
    unit: unitOf(name),
    kind: 'number',
    isSortable: false,
    cell: ({ id, daily }) => {
      const value = daily?.[nth] ?? null
      const text = figureText(name, value)
      const title = `${longDay(day)}: ${value === null ? say('unknown') : `${text} ${unitOf(name)}`}`
      const shade = value === null ? 'unknown' : shadeOf(value)
      return h(
        'a',
        { class: `heat heat-${shade}`, href: hashOf({ view: 'explain', id, day }), title, tabindex: -1 },
        text === NOTHING ? '' : text,
      )
    },
  }))
}

/** Returns a function that gives the shade of a value, 0 to SHADES - 1: each shade has as many of these values. */
function shades(values: number[]): (value: number) => number {
  values.sort((one, other) => one - other)
  const bounds = Array.from(
    { length: SHADES - 1 },
    (_, nth) => values[Math.floor(((nth + 1) * values.length) / SHADES)],
  )
  return (value) => bounds.filter((bound) => value > bound).length
}

/** Makes the choice of the figure that the days are shaded by. */
export function heatChoice(chosen: FigureName | null, onChoose: (heat: string) => void): HTMLElement {
  const names = HEAT_FIGURES.map((name) => [name, say(`long-${name}`)] as const)
  const select = choice('heat', [['', say('heat-none')], ...names], chosen, onChoose)
  return h('div', { class: 'row' }, h('label', { for: 'heat' }, say('heat')), select)
}
