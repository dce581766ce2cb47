import { markedText } from '../../base/id-text.ts'
import type { Reject, RejectsAnswer, ReplayAnswer } from './answers.ts'
import { ask, Refusal } from './api.ts'
import { button, fill, h } from './dom.ts'
import { instant } from './format.ts'
import { errorText, say } from './messages.ts'
import { number } from './number.ts'
import { ADMIN, addPart, guarded } from './trouble.ts'
import { agree, beginView, note, panel, plainTable, type Stage, smallButton, tell } from './view.ts'

const PAGE = 200
/** Texts with more characters scroll in their own box, which must be reachable by keyboard. */
const LONG = 250

/** Shows rejected events by reason, with buttons to replay them. */
export async function showRejects(stage: Stage): Promise<void> {
  beginView(stage, say('rejects-title'))
  stage.main.append(h('p', { class: 'quiet' }, say('rejects-text')))
  await addPart(stage, ADMIN, (body) => new RejectsView(body, stage.signal).more())
}

class RejectsView {
  readonly #signal: AbortSignal
  readonly #outcome = note()
  readonly #reasons = h('div', {})
  readonly #events = h('div', {})
  readonly #more = button(say('rejects-more'), () => this.#guarded(() => this.more()), { kind: 'more' })
  #rejects: Reject[] = []
  /** Counts all kept rejected events, loaded or not, by reason. */
  #byReason: Record<string, number> = {}
  #next: number | null = null
  #only: string | null = null

  constructor(body: HTMLElement, signal: AbortSignal) {
    this.#signal = signal
    fill(
      body,
      this.#outcome,
      panel(say('rejects-by-reason'), this.#reasons),
      panel(say('events'), this.#events, this.#more),
    )
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const before = this.#next === null ? '' : `&before=${this.#next}`
    const only = this.#only === null ? '' : `&reason=${this.#only}`
    const path = `/v1/rejects?limit=${PAGE}${before}${only}`
    const { rejects, byReason, next } = await ask<RejectsAnswer>(path, { signal: this.#signal })
    this.#byReason = byReason
    this.#rejects.push(...rejects)
    this.#next = next
    this.#draw()
  }

  #draw(): void {
    this.#more.hidden = this.#next === null
    if (Object.keys(this.#byReason).length === 0) {
      fill(this.#reasons, h('p', { class: 'note good' }, say('rejects-none')))
      fill(this.#events)
      return
    }
    fill(this.#reasons, this.#reasonsTable())
    fill(this.#events, this.#filterLine(this.#rejects.length), this.#eventsTable(this.#rejects))
  }

  #reasonsTable(): HTMLElement {
    const rows = Object.entries(this.#byReason)
      .sort(([, one], [, other]) => other - one)
      .map(([reason, count]) => [
        h('code', {}, reason),
        number(count),
        h(
          'span',
          { class: 'row' },
          smallButton(say('show'), say('show-reason', { reason }), () => this.#showOnly(reason)),
          smallButton(say('replay'), say('replay-reason', { reason }), () => this.#confirmReplay(reason, count)),
        ),
      ])
    return plainTable(
      say('rejects-by-reason-caption'),
      [[say('reason')], [say('count'), 'number'], [say('actions')]],
      rows,
    )
  }

  #showOnly(reason: string | null): void {
    this.#only = reason
    this.#guarded(() => this.#reload())
  }

  #guarded(load: () => Promise<void>): void {
    void guarded(this.#events, this.#signal, ADMIN, load)
  }

  #reload(): Promise<void> {
    this.#rejects = []
    this.#next = null
    return this.more()
  }

  /** Replays all events of a reason once the user has agreed to their number. */
  #confirmReplay(reason: string, count: number): void {
    const asked = { text: say('replay-ask', { count, reason }), yes: say('replay') }
    agree(this.#outcome, asked, () => this.#replay({ reason }))
  }

  #filterLine(count: number): HTMLElement {
    const all = button(say('show-all-reasons'), () => this.#showOnly(null), { kind: 'small' })
    const text = say('rejects-loaded', { count })
    return h('p', { class: 'row quiet' }, this.#only === null ? text : [h('code', {}, this.#only), text, all])
  }

  #eventsTable(rejects: readonly Reject[]): HTMLElement {
    const rows = rejects.map(({ id, rejectedAt, reason, raw, rawBytes }) => {
      const bytes = new TextEncoder().encode(raw).length
      const cut = bytes < rawBytes ? say('bytes', { shown: bytes, all: rawBytes }) : ''
      return [
        instant(rejectedAt),
        h('code', { class: 'nowrap' }, reason),
        h(
          'div',
          {},
          h('code', { class: 'raw', tabindex: raw.length > LONG ? '0' : null }, markedText(raw)),
          h('span', { class: 'quiet' }, cut),
        ),
        smallButton(say('replay'), say('replay-event', { id: String(id) }), () => void this.#replay({ ids: [id] })),
      ]
    })
    const columns = [[say('rejected-at')], [say('reason')], [say('event')], [say('actions')]] as const
    return plainTable(say('rejects-list-caption'), columns, rows)
  }

  /** Replays events. Accepted events are no longer rejected, so the list is loaded again. */
  async #replay(body: { reason: string } | { ids: number[] }): Promise<void> {
    try {
      const { accepted, rejected } = await this.#replayAll(body)
      tell(this.#outcome, say('replay-done', { accepted, rejected }), 'good')
      this.#guarded(() => this.#reload())
    } catch (error) {
      if (this.#signal.aborted) return
      const message = error instanceof Refusal ? errorText(error.code, error.message) : say('failed-offline')
      tell(this.#outcome, say('replay-failed', { message }), 'bad')
    }
  }

  /** Repeats the call, in pages, until the oldest event. */
  async #replayAll(body: { reason: string } | { ids: number[] }): Promise<{ accepted: number; rejected: number }> {
    const total = { accepted: 0, rejected: 0 }
    for (let before: number | null | undefined; before !== null; ) {
      const part = before === undefined ? body : { ...body, before }
      const answer = await ask<ReplayAnswer>('/v1/rejects/replay', { body: part, signal: this.#signal })
      total.accepted += answer.accepted
      total.rejected += answer.rejected
      before = answer.next
    }
    return total
  }
}
