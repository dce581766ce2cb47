import { h } from './dom.ts'
import { say } from './messages.ts'

/** Where a view is shown, and until when. */
export interface Stage {
  /** Empty; the view fills it. */
  main: HTMLElement
  /** Aborted when another view takes its place: what is under way for it ends. */
  signal: AbortSignal
}

/** Begins a view: its heading, which is focused so that a screen reader tells of the change, and its document title. */
export function beginView({ main }: Stage, title: string, ...beside: readonly (Node | null)[]): void {
  document.title = `${title} – ${say('brand')}`
  const heading = h('h1', { tabindex: '-1' }, title)
  main.replaceChildren(h('div', { class: 'view-head' }, heading, h('div', { class: 'view-tools' }, ...beside)))
}

/** A part of a view under a heading of its own. */
export function panel(title: string, ...children: readonly (Node | string | null)[]): HTMLElement {
  return h('section', { class: 'panel' }, h('h2', {}, title), ...children)
}

/** Names and values beneath each other. */
export function facts(pairs: readonly (readonly [string, Node | string])[]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )
}

/** Columns of a plain table: its title, and whether its cells are numbers. */
export type Column = readonly [title: string, kind?: 'number' | undefined]

/** A table of little: what is large is a VirtualTable. The first cell of a row is its header. */
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
        nth === 0
          ? h('th', { scope: 'row', class: columns[nth][1] }, cell)
          : h('td', { class: columns[nth]?.[1] }, cell),
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
