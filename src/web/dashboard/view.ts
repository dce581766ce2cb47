import { button, h } from './dom.ts'
import { say } from './messages.ts'
import { hashOf, type Route } from './routes.ts'

/** The place where a view is shown, and the signal of its end. */
export interface Stage {
  /** Empty at first; the view fills it. */
  main: HTMLElement
  /** Aborted when another view replaces this one, to end its pending work. */
  signal: AbortSignal
}

/** Begins a view: sets the document title and focuses the heading, so that screen readers announce the change. */
export function beginView({ main }: Stage, title: string, ...beside: readonly (Node | null)[]): void {
  document.title = `${title} – ${say('brand')}`
  const heading = h('h1', { tabindex: '-1' }, title)
  main.replaceChildren(h('div', { class: 'view-head' }, heading, h('div', { class: 'view-tools' }, ...beside)))
}

/** Makes a part of a view with its own heading. */
export function panel(title: string, ...children: readonly (Node | string | null)[]): HTMLElement {
  return h('section', { class: 'panel' }, h('h2', {}, title), ...children)
}

/** Makes a choice between values, each with its text. `onChoose` gets the value that is chosen. */
export function choice(
  id: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | null | undefined,
  onChoose: (value: string) => void,
): HTMLSelectElement {
  const select = h(
    'select',
    { id, onchange: () => onChoose(select.value) },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  )
  return select
}

/** Makes a field of a form with its label above it. */
export const field = (id: string, label: string, ...content: readonly (Node | null)[]): HTMLElement =>
  h('div', { class: `field ${id}` }, h('label', { for: id }, label), content)

/** Makes a list of names and values, one below the other. */
export function facts(pairs: readonly (readonly [string, Node | string])[]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )
}

/** A column of a plain table: its title, and whether its cells are numbers. */
export type Column = readonly [title: string, kind?: 'number' | undefined]

/** Makes a small table; large ones use VirtualTable. The first cell of a row is its header. */
export function plainTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Node | string | number)[])[],
): HTMLElement {
  const head = columns.map(([title, kind]) => h('th', { scope: 'col', class: kind }, title))
  const body = rows.map((cells) =>
    h(
      'tr',
      {},
      cells.map((cell, nth) =>
        h(nth === 0 ? 'th' : 'td', { scope: nth === 0 ? 'row' : null, class: columns[nth]?.[1] }, cell),
      ),
    ),
  )
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h(
      'table',
      { class: 'plain' },
      h('caption', { class: 'spoken' }, caption),
      h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, body),
    ),
  )
}

/** Makes a small button whose `label` is read aloud. */
export const smallButton = (text: string, label: string, onclick: () => void): HTMLElement =>
  button(text, onclick, { kind: 'small', label })

/** Makes the element that shows the outcome of a change. */
export const note = (): HTMLElement => h('p', { role: 'status', tabindex: -1 })

/** Shows an outcome. It takes the focus where the button that was pressed is gone. */
export function tell(place: HTMLElement, text: string, kind: 'good' | 'bad'): void {
  place.className = `note ${kind}`
  place.textContent = text
  place.scrollIntoView({ block: 'nearest' })
  if (document.activeElement === document.body) place.focus()
}

/** Asks whether to do something, and does it where the answer is yes. */
export function agree(place: HTMLElement, { text, yes }: { text: string; yes: string }, act: () => unknown): void {
  const go = (): void => {
    dialog.close()
    void act()
  }
  const dialog = h(
    'dialog',
    { class: 'panel', 'aria-label': text, onclose: () => dialog.remove() },
    h('p', {}, text),
    h(
      'p',
      { class: 'row' },
      button(yes, go, { kind: 'primary' }),
      button(say('replay-not'), () => dialog.close()),
    ),
  )
  place.after(dialog)
  dialog.showModal()
}

/** Shows a route in the address without loading its view. `replace` writes over the last entry of the history. */
export function tellRoute(route: Route, { replace }: { replace: boolean }): void {
  if (hashOf(route) !== location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', hashOf(route))
}
