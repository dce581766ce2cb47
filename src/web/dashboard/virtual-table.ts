import { h, spoken } from './dom.ts'

export interface VirtualColumn {
  key: string
  title: string
  /** Read aloud in place of the title. */
  longTitle: string
  unit: string
  kind: 'text' | 'number'
  isSortable: boolean
}

export interface VirtualTableParts {
  caption: string
  /** Names the region that scrolls. */
  label: string
  columns: readonly VirtualColumn[]
  /** Returns the cells of the row at a place; the first cell is the row's header. Returns null until the row is loaded. */
  cellsOf: (place: number) => readonly (Node | string)[] | null
  /** Called with the rows [from, to) that are in the page now. */
  onDraw: (from: number, to: number) => void
  /** Called before printing: all `count` rows must be there when it returns. */
  onPrint: (count: number) => void
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
  #isPrinting = false

  /** Is in use until `signal` aborts. */
  constructor(parts: VirtualTableParts, signal: AbortSignal) {
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
    const observer = new ResizeObserver(() => this.#draw())
    observer.observe(this.element)
    signal.addEventListener('abort', () => observer.disconnect())
    window.addEventListener('beforeprint', () => this.#print(), { signal })
    window.addEventListener('afterprint', () => this.#print(false), { signal })
  }

  #head({ key, title, longTitle, unit, kind, isSortable }: VirtualColumn): HTMLTableCellElement {
    const names = longTitle === title ? [title] : [h('span', { 'aria-hidden': 'true' }, title), spoken(longTitle)]
    const name = [h('span', { class: 'name' }, names), unit === '' ? null : h('span', { class: 'unit' }, unit)]
    const sort = (): void => this.#parts.onSort(key)
    const content = isSortable ? h('button', { type: 'button', onclick: sort }, name) : h('div', {}, name)
    return h('th', { scope: 'col', class: `${kind} column-${key}`, 'data-key': key }, content)
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

  /** Draws the rows [from, to) anew, if they are in the page. */
  refresh(from: number, to: number): void {
    for (const [place, row] of this.#rows) {
      // Not taken out and put in again: while rows are missing, the region would scroll to its new end.
      if (place >= from && place < to) row.replaceWith(this.#row(place))
    }
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
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - AHEAD)
    const last = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / this.#rowHeight) + AHEAD)
    const [from, to] = this.#isPrinting ? [0, this.#count] : [first, last]
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
    if (this.#isPrinting) return
    this.#measure()
    this.#parts.onDraw(from, to)
  }

  /** Puts all rows into the page, or leaves those that are visible. */
  #print(isPrinting = true): void {
    if (isPrinting) this.#parts.onPrint(this.#count)
    this.#isPrinting = isPrinting
    this.refresh(0, this.#count)
    this.#draw()
  }

  #row(place: number): HTMLTableRowElement {
    const { columns, cellsOf } = this.#parts
    const cells = (cellsOf(place) ?? columns.map(() => '…')).map((cell, nth) =>
      nth === 0
        ? h('th', { scope: 'row' }, cell)
        : h('td', { class: columns[nth].kind === 'number' ? 'number' : null }, cell),
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

const spacer = (): HTMLTableSectionElement =>
  h('tbody', { 'aria-hidden': 'true', class: 'spacer' }, h('tr', {}, h('td')))

function setHeight(body: HTMLTableSectionElement, height: number): void {
  const cell = body.rows[0].cells[0]
  cell.style.height = `${height}px`
  body.hidden = height === 0
}
