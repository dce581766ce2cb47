import { h } from './dom.ts'

export interface VirtualColumn {
  key: string
  title: string
  /** Read aloud in place of the title. */
  longTitle: string
  unit: string
  kind: 'text' | 'number'
}

export interface VirtualTableParts {
  caption: string
  /** Names the region that scrolls. */
  label: string
  columns: readonly VirtualColumn[]
  /** The cells of the row at that place; the first is the header of the row. */
  cellsOf: (place: number) => readonly (Node | string)[]
  isMarked: (place: number) => boolean
  onSort: (key: string) => void
}

/** Rows that are kept ready beyond those that can be seen, so that the next ones are there when they are scrolled to. */
const AHEAD = 8

/**
 * A table of any number of rows, of which only those that can be seen are in the page. Bodies without a row above and
 * below take the room of the others; assistive technology is told of how many rows there are and which these are.
 */
export class VirtualTable {
  readonly element: HTMLElement
  readonly #parts: VirtualTableParts
  readonly #table: HTMLTableElement
  readonly #above = spacer()
  readonly #below = spacer()
  readonly #body = h('tbody')
  readonly #heads: HTMLTableCellElement[]
  /** Rows in the page by their place. */
  readonly #rows = new Map<number, HTMLTableRowElement>()
  #count = 0
  #rowHeight = 40

  constructor(parts: VirtualTableParts) {
    this.#parts = parts
    this.#heads = parts.columns.map((column) => this.#head(column))
    this.#table = h(
      'table',
      { class: 'fleet' },
      h('caption', { class: 'spoken' }, parts.caption),
      h('thead', {}, h('tr', { 'aria-rowindex': 1 }, this.#heads)),
      this.#above,
      this.#body,
      this.#below,
    )
    this.element = h(
      'div',
      { class: 'scroll fleet-scroll', tabindex: '0', role: 'region', 'aria-label': parts.label },
      this.#table,
    )
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true })
    new ResizeObserver(() => this.#draw()).observe(this.element)
  }

  #head({ key, title, longTitle, unit, kind }: VirtualColumn): HTMLTableCellElement {
    const names = longTitle === title ? [title] : [h('span', { 'aria-hidden': 'true' }, title), spokenName(longTitle)]
    const button = h(
      'button',
      { type: 'button', onclick: () => this.#parts.onSort(key) },
      h('span', { class: 'name' }, names),
      unit === '' ? null : h('span', { class: 'unit' }, unit),
    )
    return h('th', { scope: 'col', class: kind, 'data-key': key }, button)
  }

  /** Other rows, or the same in another order: all are drawn anew. The view goes back to the first where it is asked to. */
  show(count: number, { fromTop }: { fromTop: boolean }): void {
    this.#count = count
    this.#table.setAttribute('aria-rowcount', String(count + 1))
    for (const row of this.#rows.values()) row.remove()
    this.#rows.clear()
    if (fromTop) this.element.scrollTop = 0
    this.#draw()
  }

  /** Tells by which column the rows are sorted. */
  tellOrder(key: string, descending: boolean): void {
    for (const head of this.#heads) {
      if (head.dataset.key === key) head.setAttribute('aria-sort', descending ? 'descending' : 'ascending')
      else head.removeAttribute('aria-sort')
    }
  }

  #draw(): void {
    const { scrollTop } = this.element
    // Where no style sheet says how high the region is, it would be as high as all rows together.
    const clientHeight = Math.min(this.element.clientHeight, window.innerHeight)
    const from = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - AHEAD)
    const to = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + AHEAD)
    for (const [place, row] of this.#rows) {
      if (place >= from && place < to) continue
      // A row that goes must not take the keyboard's place in the page with it.
      if (row.contains(document.activeElement)) this.element.focus({ preventScroll: true })
      row.remove()
      this.#rows.delete(place)
    }
    let next: Node | null = this.#body.firstChild
    for (let place = from; place < to; place++) {
      const there = this.#rows.get(place)
      if (there !== undefined) next = there.nextSibling
      else this.#body.insertBefore(this.#row(place), next)
    }
    setHeight(this.#above, Math.min(from, this.#count) * this.#rowHeight)
    setHeight(this.#below, Math.max(0, this.#count - to) * this.#rowHeight)
    this.#measure()
  }

  #row(place: number): HTMLTableRowElement {
    const cells = this.#parts
      .cellsOf(place)
      .map((cell, nth) =>
        nth === 0
          ? h('th', { scope: 'row' }, cell)
          : h('td', { class: this.#parts.columns[nth].kind === 'number' ? 'number' : null }, cell),
      )
    const marked = this.#parts.isMarked(place) ? 'marked' : null
    const row = h('tr', { 'aria-rowindex': place + 2, class: marked }, cells)
    this.#rows.set(place, row)
    return row
  }

  /** All rows are of one height, which the style sheet says; a coarse pointer has higher ones. */
  #measure(): void {
    const row = this.#body.firstElementChild
    const height = row === null ? 0 : row.getBoundingClientRect().height
    if (height < 1 || Math.abs(height - this.#rowHeight) < 0.01) return
    this.#rowHeight = height
    this.#draw()
  }
}

const spokenName = (text: string): HTMLElement => h('span', { class: 'spoken' }, text)

const spacer = (): HTMLTableSectionElement =>
  h('tbody', { 'aria-hidden': 'true', class: 'spacer' }, h('tr', {}, h('td')))

function setHeight(body: HTMLTableSectionElement, height: number): void {
  const cell = body.rows[0].cells[0]
  cell.style.height = `${height}px`
  body.hidden = height === 0
}
