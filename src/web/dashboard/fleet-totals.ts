import type { FleetSums } from './answers.ts'
import { fill, h } from './dom.ts'
import { EXCEPTION_NAMES } from './exceptions.ts'
import { SHOWN_FIGURES } from './fleet-columns.ts'
import { figure, figureText, unitOf } from './format.ts'
import { say } from './messages.ts'
import { number } from './number.ts'
import type { Choices } from './routes.ts'

/** A part of the fleet that a total counts, and what is asked for to see it. */
interface Part {
  name: string
  count: (sums: FleetSums) => number
  filter: Pick<Choices, 'exception' | 'status' | 'unknown'>
  isBad?: boolean
}

const parts = (): readonly Part[] => [
  { name: say('devices'), count: ({ devices }) => devices, filter: {} },
  ...EXCEPTION_NAMES.map((exception) => ({
    name: say(`total-${exception}`),
    count: ({ exceptions }: FleetSums) => exceptions[exception] ?? 0,
    filter: { exception },
    isBad: true,
  })),
  { name: say('total-no-temperature'), count: ({ unknown }) => unknown.currTemp ?? 0, filter: { unknown: 'currTemp' } },
  {
    name: say('status-provisional'),
    count: ({ status }) => status.provisional ?? 0,
    filter: { status: 'provisional' },
  },
  { name: say('status-none'), count: ({ status }) => status.none ?? 0, filter: { status: 'none' } },
]

/** The filters that totals are. */
const FILTERS = ['exception', 'status', 'unknown'] as const

/** Shows the totals of a fleet: how many coolers are in each part, as buttons that show it alone, and their figures. */
export function showTotals(
  place: HTMLElement,
  sums: FleetSums,
  choices: Choices,
  onChoose: (filter: Choices) => void,
  before: FleetSums | null = null,
): void {
  const buttons = parts().map(({ name, count, filter, isBad = false }) => {
    const isChosen = FILTERS.every((key) => choices[key] === (filter as Choices)[key])
    const cleared = Object.fromEntries(FILTERS.map((key) => [key, undefined]))
    const value = count(sums)
    return h(
      'button',
      {
        type: 'button',
        class: isBad && value > 0 ? 'bad' : null,
        'aria-pressed': String(isChosen),
        onclick: () => onChoose({ ...cleared, ...(isChosen ? {} : filter) }),
      },
      h('span', { class: 'part' }, name),
      h('b', {}, number(value)),
    )
  })
  const figures = SHOWN_FIGURES.map((name) => {
    const value = sums.figures[name]
    const earlier = before?.figures[name] ?? null
    return h(
      'div',
      {},
      h('dt', {}, say(`long-${name}`)),
      h('dd', {}, figure(name, value), ' ', h('span', { class: 'unit' }, unitOf(name))),
      earlier === null || value === null
        ? null
        : h(
            'dd',
            { class: 'quiet before' },
            say('before-range', { value: `${figureText(name, earlier)} ${unitOf(name)}` }),
          ),
    )
  })
  const focused = [...place.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement)
  fill(
    place,
    h('div', { class: 'parts', role: 'group', 'aria-label': say('totals') }, buttons),
    h('dl', { class: 'together', 'aria-label': say('totals-figures') }, figures),
  )
  place.querySelectorAll('button')[focused]?.focus({ preventScroll: true }) // The keyboard keeps its place.
}
