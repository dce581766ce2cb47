import type { ListedMessage, MessagesAnswer, SubscriptionsAnswer, WholeMessage } from './answers.ts'
import { ask, call } from './api.ts'
import { parseDay } from './days.ts'
import { button, fill, h } from './dom.ts'
import { instant, mediumDay } from './format.ts'
import { say } from './messages.ts'
import { number } from './number.ts'
import { type Choices, encoded, hashOf } from './routes.ts'
import { ADMIN, addPart, guarded, saidOf } from './trouble.ts'
import { beginView, choice, field, note, panel, plainTable, type Stage, smallButton, tell } from './view.ts'

/** Most items of a message that are shown. */
const MOST_ITEMS = 500
const STATES = ['waiting', 'sent', 'failed'] as const

/** Shows messages with their states; all of them, or those of a subscription and state. */
export async function showMessages(stage: Stage, choices: Choices): Promise<void> {
  beginView(stage, say('messages-title'))
  await addPart(stage, ADMIN, async (body) => {
    const { subscriptions } = await ask<SubscriptionsAnswer>('/v1/subscriptions', { signal: stage.signal })
    const known = new Set([...subscriptions.map(({ id }) => id), ...[choices.subscription ?? []].flat()])
    const go = (change: Choices): void => {
      location.hash = hashOf({ view: 'messages', choices: { ...choices, ...change } })
    }
    const select = (name: 'subscription' | 'state', options: readonly (readonly [string, string])[]): HTMLElement =>
      field(
        `by-${name}`,
        say(name),
        choice(`by-${name}`, [['', say('all')], ...options], choices[name], (to) => go({ [name]: to })),
      )
    const list = h('div', { class: 'stack' })
    const filters = [
      select(
        'subscription',
        [...known].sort().map((id) => [id, id]),
      ),
      select(
        'state',
        STATES.map((state) => [state, say(`message-${state}`)]),
      ),
    ]
    fill(body, h('div', { class: 'filters' }, filters), list)
    await new MessagesView(list, stage.signal, choices).more()
  })
}

class MessagesView {
  readonly #signal: AbortSignal
  readonly #choices: Choices
  readonly #outcome = note()
  readonly #list = h('div', { class: 'stack' })
  readonly #opened = h('div', { class: 'stack' })
  readonly #more = button(say('rejects-more'), () => this.#guarded(() => this.more()), { kind: 'more' })
  #messages: ListedMessage[] = []
  #next: string | null = null

  constructor(body: HTMLElement, signal: AbortSignal, choices: Choices) {
    this.#signal = signal
    this.#choices = choices
    fill(body, this.#outcome, this.#list, this.#more, this.#opened)
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const { subscription, state } = this.#choices
    const given = { subscription, state, after: this.#next ?? undefined }
    const query = new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])))
    const { messages, next } = await ask<MessagesAnswer>(`/v1/messages?${query}`, { signal: this.#signal })
    this.#messages.push(...messages)
    this.#next = next
    this.#more.hidden = next === null
    const columns = [
      [say('message-created')],
      [say('subscription')],
      [say('subscription-what')],
      [say('state')],
    ] as const
    const table = (): HTMLElement =>
      plainTable(
        say('messages-caption'),
        [...columns, [say('attempts'), 'number'], [say('actions')]],
        this.#messages.map((message) => this.#row(message)),
      )
    fill(this.#list, this.#messages.length === 0 ? h('p', { class: 'note' }, say('messages-none')) : table())
  }

  #guarded(load: () => Promise<void>): void {
    void guarded(this.#list, this.#signal, ADMIN, load)
  }

  #row(message: ListedMessage): (Node | string)[] {
    const { id, subscription, createdAt, state, attempts, nextAt, error } = message
    const lines = [error ?? '', nextAt === null ? '' : say('next-attempt', { at: instant(nextAt) })]
    const told = lines.filter((line) => line !== '').map((line) => h('div', { class: 'quiet' }, line))
    const retry = state === 'failed' ? smallButton(say('retry'), say('retry-of', { id }), () => this.#retry(id)) : null
    const open = smallButton(say('show'), say('show-message', { id }), () => this.#open(id))
    const cells = [instant(createdAt), h('code', { class: 'nowrap' }, subscription), titleOf(message)]
    return [
      ...cells,
      h('div', {}, say(`message-${state}`), told),
      number(attempts),
      h('span', { class: 'row' }, open, retry),
    ]
  }

  async #retry(id: string): Promise<void> {
    try {
      await call(`/v1/messages/${encoded(id)}/retry`, { method: 'POST', signal: this.#signal })
      this.#messages = []
      this.#next = null
      await this.more()
      tell(this.#outcome, say('retry-done'), 'good')
    } catch (error) {
      if (!this.#signal.aborted) tell(this.#outcome, saidOf(error), 'bad')
    }
  }

  #open(id: string): void {
    void guarded(this.#opened, this.#signal, ADMIN, async () => {
      const message = await ask<WholeMessage>(`/v1/messages/${encoded(id)}`, { signal: this.#signal })
      const heading = h('code', {}, id)
      fill(this.#opened, panel(titleOf(message), h('p', { class: 'quiet' }, heading), ...itemsOf(message)))
      const title = this.#opened.querySelector('h2')
      title?.setAttribute('tabindex', '-1')
      title?.focus()
    })
  }
}

const dayOf = (day: number): number => parseDay(`${day}`) ?? 0

function titleOf({ type, day, toDay, version, name, counts }: ListedMessage): string {
  const days = day === toDay ? [day] : [day, toDay]
  const told = counts.map(({ exception, change, count }) => `${say(`change-${exception}-${change}`)} ${number(count)}`)
  const versioned = version > 1 ? say('message-version', { version }) : ''
  const parts = [
    say(type === null ? 'message-damaged' : `kind-${type}`),
    days.map(dayOf).map(mediumDay).join(' – '),
    versioned,
    name ?? '',
    ...told,
  ]
  return parts.filter((part) => part !== '').join(say('list-separator'))
}

function itemsOf({ body }: WholeMessage): HTMLElement[] {
  if (body.type !== 'exceptions') return []
  const day = dayOf(body.day)
  const rows = body.items.slice(0, MOST_ITEMS).map((item) => {
    const { deviceId: id, exception, change, value, limit, unit, since, address, causes } = item
    const figure = (one: number | null): string => (one === null || unit === null ? '–' : `${number(one, 1)} ${unit}`)
    return [
      h('a', { href: hashOf({ view: 'explain', id, day }) }, id),
      say(`change-${exception}-${change}`),
      ...[figure(value), figure(limit)],
      ...[mediumDay(dayOf(since)), address ?? '–'],
      causes.join(say('list-separator')) || '–',
    ]
  })
  const columns = [
    ...[[say('cooler')], [say('exceptions')], [say('value'), 'number'], [say('limit'), 'number'], [say('since')]],
    ...[[say('address')], [say('revision-cause')]],
  ] as unknown as Parameters<typeof plainTable>[1]
  const part = { shown: rows.length, all: body.items.length }
  return [h('p', { class: 'quiet' }, say('shown', part)), plainTable(say('message-caption'), columns, rows)]
}
