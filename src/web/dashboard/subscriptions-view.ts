import type { Subscription, SubscriptionsAnswer } from './answers.ts'
import { ask, call } from './api.ts'
import { fill, h } from './dom.ts'
import { type MessageName, say } from './messages.ts'
import { encoded, hashOf } from './routes.ts'
import { ADMIN, addPart, saidOf } from './trouble.ts'
import { agree, beginView, note, plainTable, type Stage, smallButton, tell } from './view.ts'

/** Shows the subscriptions, with buttons to send a test and to remove one. */
export async function showSubscriptions(stage: Stage): Promise<void> {
  const all = h('a', { href: hashOf({ view: 'messages', choices: {} }) }, say('messages-title'))
  beginView(stage, say('subscriptions-title'), all)
  stage.main.append(h('p', { class: 'quiet' }, say('subscriptions-text')))
  await addPart(stage, ADMIN, (body) => showList(stage, body, note()))
}

async function showList({ main, signal }: Stage, body: HTMLElement, outcome: HTMLElement): Promise<void> {
  const { subscriptions, unreadable } = await ask<SubscriptionsAnswer>('/v1/subscriptions', { signal })
  const again = () => showList({ main, signal }, body, outcome)
  const change = async (id: string, method: 'POST' | 'DELETE', done: string): Promise<void> => {
    try {
      await call(`/v1/subscriptions/${encoded(id)}${method === 'POST' ? '/test' : ''}`, { method, signal })
      await again()
      tell(outcome, done, 'good')
    } catch (error) {
      if (!signal.aborted) tell(outcome, saidOf(error), 'bad')
    }
  }
  const removeButton = (id: string): HTMLElement =>
    smallButton(say('remove'), say('remove-of', { id }), () =>
      agree(outcome, { text: say('remove-ask', { id }), yes: say('remove') }, () =>
        change(id, 'DELETE', say('remove-done', { id })),
      ),
    )
  const rows = subscriptions.map((one) => {
    const { id } = one
    const test = () => void change(id, 'POST', say('test-done', { id }))
    return [
      h('code', { class: 'nowrap' }, id),
      ...[whatText(one), whenText(one), targetText(one), stateNode(one)],
      h(
        'span',
        { class: 'row' },
        one.endedWhy === null ? smallButton(say('test'), say('test-of', { id }), test) : null,
        h('a', { href: hashOf({ view: 'messages', choices: { subscription: id } }) }, say('messages-title')),
        removeButton(id),
      ),
    ]
  })
  for (const { id } of unreadable)
    rows.push([
      h('code', { class: 'nowrap' }, id),
      '–',
      '–',
      '–',
      say('subscription-unreadable'),
      h('span', { class: 'row' }, removeButton(id)),
    ])
  const titles = ['subscription', 'subscription-what', 'subscription-when', 'subscription-target', 'state', 'actions']
  const columns = titles.map((name) => [say(name as MessageName)] as const)
  const empty = h('p', { class: 'note' }, say('subscriptions-none'))
  fill(body, outcome, rows.length === 0 ? empty : plainTable(say('subscriptions-caption'), columns, rows))
}

function whatText(one: Subscription): string {
  if (one.kind === 'backup') return say('kind-backup')
  const { ids, prefix, timezone, labels = {} } = one.devices ?? {}
  const parts = [
    ids === undefined ? '' : say('map-count', { count: ids.length }).replace(/[.。]$/, ''),
    prefix === undefined ? '' : `${prefix}…`,
    timezone ?? '',
    ...Object.entries(labels).map(([key, value]) => `${key}:${value}`),
  ].filter((part) => part !== '')
  const names = one.kind === 'report' ? [] : (Object.keys(one.exceptions) as (keyof typeof one.exceptions)[])
  const what = one.kind === 'report' ? `${say('kind-report')}, ${one.format}` : listed(names.map(nameOf))
  return say('what-of', { what, coolers: parts.length === 0 ? say('map-every') : listed(parts) })
}

const nameOf = (name: string): string => say(`exception-${name}` as MessageName)
const listed = (parts: readonly string[]): string => parts.join(say('list-separator'))

function whenText(one: Subscription): string {
  if (one.kind !== 'exceptions') return `${say(`every-${one.every}`)}, ${one.at} ${one.timezone}`
  const { quiet, atMostEveryMinutes: minutes = 0 } = one
  return listed([
    say(`when-${one.when}`),
    ...(minutes === 0 ? [] : [say('at-most-every', { minutes })]),
    ...(quiet === undefined ? [] : [say('quiet-from-to', { from: quiet.from, to: quiet.to })]),
  ])
}

function targetText({ channel }: Subscription): string {
  if (channel.type === 'webhook') return `${channel.format === 'json' ? 'webhook' : channel.format} ${channel.url}`
  if (channel.type === 'email') return listed(channel.to)
  if (channel.type === 'mqtt') return `MQTT ${channel.topic}`
  return channel.type === 'folder' ? channel.path : `S3 ${channel.bucket}/${channel.prefix ?? ''}`
}

const stateNode = ({ endedWhy, enabled }: Subscription): string =>
  endedWhy !== null
    ? say('subscription-ended', { why: endedWhy })
    : say(enabled === false ? 'subscription-off' : 'subscription-on')
