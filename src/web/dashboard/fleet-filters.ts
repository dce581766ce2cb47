import { h } from './dom.ts'
import type { FleetColumn } from './fleet-columns.ts'
import { say } from './messages.ts'
import type { Choices } from './routes.ts'
import { field } from './view.ts'

/** How long nothing may be typed before the list is asked for. */
const PAUSE_MS = 200

type Choose = (choices: Choices, options: { replace: boolean }) => void

/** Makes the fields by which the list of the fleet is filtered. */
export function fleetFilters(choices: Choices, onChoose: Choose): HTMLElement[] {
  const filter = (name: 'search' | 'timezone' | 'label', list?: readonly string[]): HTMLElement => {
    let waiting: ReturnType<typeof setTimeout> | undefined
    let taken = choices[name] ?? ''
    const take = (): void => {
      clearTimeout(waiting)
      const text = input.value.trim()
      // The API refuses a label without a value, so wait until there is one.
      if (taken === text || (name === 'label' && text !== '' && !/^[^:]+:./.test(text))) return
      taken = text
      onChoose({ [name]: taken }, { replace: true })
    }
    const input = h('input', {
      type: 'search',
      id: name,
      list: list === undefined ? null : `${name}-list`,
      value: choices[name] ?? '',
      placeholder: say(`filter-${name}-example`),
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => {
        clearTimeout(waiting)
        waiting = setTimeout(take, PAUSE_MS)
      },
      onchange: take,
    })
    const values = list?.map((value) => h('option', { value }))
    const options = values === undefined ? null : h('datalist', { id: `${name}-list` }, values)
    return field(name, say(`filter-${name}`), input, options)
  }
  return [filter('search'), filter('timezone', Intl.supportedValuesOf('timeZone')), filter('label')]
}

/** Makes the choice of columns. */
export function columnChoice(
  all: readonly FleetColumn[],
  shown: readonly FleetColumn[],
  onChoose: Choose,
): HTMLElement {
  const boxes = all.slice(1).map(({ key }) => {
    const checked = shown.some((column) => column.key === key)
    return h('input', { type: 'checkbox', value: key, checked, onchange: take })
  })
  function take(): void {
    const names = boxes.filter(({ checked }) => checked).map(({ value }) => value)
    onChoose({ columns: names.join(' ') || 'id' }, { replace: true })
  }
  const labels = boxes.map((box, nth) => h('label', {}, box, ' ', all[nth + 1].longTitle))
  return h('details', { class: 'columns' }, h('summary', {}, say('columns')), h('div', { class: 'boxes' }, labels))
}
