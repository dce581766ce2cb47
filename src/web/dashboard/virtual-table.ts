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
  /** Returns the cells of the row at a place; the first is the header of the row. */
  cellsOf: (place: number) => readonly (Node | string)[]
  isMarked: (place: number) => boolean
  onSort: (key: string) => void
}

/** Rows kept ready above and below the visible ones, so that they are there when the user scrolls. */
const AHEAD = 8

/**
 * A table of any number of rows, of which only the visible ones are in the page. Empty bodies above and below take the
 * room of the others. Assistive technology is given the number of all rows, and the place of those in the page.
 */
export class VirtualTable {
  readonly element: HTMLElement
  readonly #parts: VirtualTableParts
  readonly #table: HTMLTableElement
  readonly #above = spacer()
  readonly #below = spacer()
  readonly #body = h('tbody')
  readonly #heads: HTMLTableCellElement[]
  /** Rows in the page, by place. */
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

  /** Draws other rows, or the same rows in another order. Scrolls to the first row if `fromTop`. */
  show(count: number, { fromTop }: { fromTop: boolean }): void {
    this.#count = count
    this.#table.setAttribute('aria-rowcount', String(count + 1))
    for (const row of this.#rows.values()) row.remove()
    this.#rows.clear()
    if (fromTop) this.element.scrollTop = 0
    this.#draw()
  }

  /** Marks the column by which the rows are sorted. */
  tellOrder(key: string, descending: boolean): void {
    for (const head of this.#heads) {
      if (head.dataset.key === key) head.setAttribute('aria-sort', descending ? 'descending' : 'ascending')
      else head.removeAttribute('aria-sort')
    }
  }

  #draw(): void {
    const { scrollTop } = this.element
    // Without a style sheet the region has no height of its own, and would be as high as all rows together.
    const clientHeight = Math.min(this.element.clientHeight, window.innerHeight)
    const from = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - AHEAD)
    const to = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + AHEAD)
    for (const [place, row] of this.#rows) {
      if (place >= from && place < to) continue
      // If the removed row has the focus, the region takes it, so that the keyboard keeps its place in the page.
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

  /** Measures the height of a row. All rows have the same height from the style sheet, larger for coarse pointers. */
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
