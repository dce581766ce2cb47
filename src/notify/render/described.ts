import { parseDay } from '../../base/time.ts'
import type { ExceptionItem, ExceptionMessage, FileMessage, Message } from '../message.ts'
import type { Links } from '../sender.ts'
import type { Language, Subscription } from '../subscription.ts'
import { countsOf } from './counts.ts'
import { shown } from './shown.ts'
import { type Words, wordsOf } from './words.ts'

export interface Link {
  text: string
  url: string | null
}

/** An exception of a cooler, in words. */
export interface DescribedItem {
  id: string
  /** URL of the device-day, or null if `COOLER_PUBLIC_URL` is not set. */
  url: string | null
  /** The exception, its figure and its limit. */
  what: string
  /** Sentences on the start, the address, and the reason of a correction. */
  details: string[]
}

/** A message in words. No text has a line break. */
export interface Described {
  /** Tag of the language. */
  tag: string
  title: string
  lead: string[]
  /** How many items there are of each exception, with a link to their list. */
  counts: Link[]
  /** The first items. */
  items: DescribedItem[]
  /** A sentence on the number of further items; null if there are none. */
  more: string | null
  /** Link to the whole list or file. */
  link: Link | null
  footer: string
}

/** Parameters of describe. */
export interface Describing {
  message: Message
  subscription: Subscription
  language: Language
  links: Links | null
}

/** Most characters that are shown of an id, and of an address. */
const MOST_ID = 80
const MOST_ADDRESS = 160

/** Puts a message into words, with at most `most` of its items. */
export function describe(describing: Describing, most: number): Described {
  const { message, subscription, language } = describing
  const words = wordsOf(language)
  const { body, id } = message
  const footer = words.say('footer', { subscription: subscription.id, message: id })
  const shell = { tag: words.tag, footer, counts: [], items: [], more: null, link: null }
  if (body.type === 'exceptions') return { ...shell, ...describeExceptions(describing, body, words, most) }
  if (body.type === 'file') return { ...shell, ...describeFile(describing, body, words) }
  const parts = { subscription: subscription.id }
  return { ...shell, title: words.say('title-test', parts), lead: [words.say('lead-test', parts)] }
}

function describeExceptions({ links }: Describing, body: ExceptionMessage, words: Words, most: number) {
  const { day, items, isCorrection } = body
  const counts = countsOf(items)
  const said = counts.map(({ exception, change, count }) => words.say(`count-${exception}-${change}`, { count }))
  const more = items.length - Math.min(most, items.length)
  const names = new Set(items.map(({ exception }) => exception))
  const [only] = names.size === 1 ? names : [null]
  return {
    title: titleOf(body, words, said.join(words.say('list-separator'))),
    lead: [words.say(isCorrection ? 'lead-correction' : 'lead-digest', { count: items.length, day: words.day(day) })],
    counts: counts.map(({ exception }, index) => ({
      text: said[index],
      url: links?.fleet(day, exception) ?? null,
    })),
    items: items.slice(0, most).map((item) => describeItem(item, day, words, links)),
    more: more === 0 ? null : words.say('more', { count: more }),
    link: links === null ? null : { text: words.say('open-fleet'), url: links.fleet(day, only) },
  }
}

function titleOf({ items, day, isCorrection }: ExceptionMessage, words: Words, counts: string): string {
  const parts = { day: words.day(day), counts }
  if (items.length !== 1) return words.say(isCorrection ? 'title-correction' : 'title-digest', parts)
  const [{ deviceId, exception, change }] = items
  const one = { ...parts, id: shown(deviceId, MOST_ID), counts: words.say(`one-${exception}-${change}`) }
  return words.say(isCorrection ? 'title-correction-one' : 'title-one', one)
}

function describeItem(item: ExceptionItem, day: number, words: Words, links: Links | null): DescribedItem {
  const details = [
    item.change === 'began' ? sinceText(item.since, day, words) : '',
    item.address === null ? words.say('address-unknown') : shown(item.address, MOST_ADDRESS),
    item.status === 'provisional' ? words.say('provisional') : '',
    causesText(item, words),
    item.refersTo === null ? '' : words.say('refers-to', { message: shown(item.refersTo, MOST_ID) }),
  ]
  return {
    id: shown(item.deviceId, MOST_ID),
    url: links?.day(item.deviceId, day) ?? null,
    what: whatText(item, words),
    details: details.filter((text) => text !== ''),
  }
}

function whatText({ exception, change, value, limit, unit }: ExceptionItem, words: Words): string {
  const one = words.say(`one-${exception}-${change}`)
  if (exception === 'no-power-data') return words.say(`what-no-power-data-${change}`, { one })
  const figure = (number: number | null): string =>
    number === null || unit === null ? '–' : words.say(`unit-${unit}`, { value: number })
  if (value !== null) return words.say(`what-${exception}`, { one, value: figure(value), limit: figure(limit) })
  const isNever = exception === 'silent' && change === 'began'
  return words.say(isNever ? 'what-never-heard' : 'what-unknown', { one, limit: figure(limit) })
}

function sinceText(since: number, day: number, words: Words): string {
  const days = (parseDay(day) ?? 0) - (parseDay(since) ?? 0) + 1
  return days > 1
    ? words.say('since-days', { day: words.day(since), days })
    : words.say('since', { day: words.day(since) })
}

function causesText({ causes }: ExceptionItem, words: Words): string {
  if (causes.length === 0) return ''
  const said = causes.map((cause) => words.say(`cause-${cause}`))
  return words.say('because', { causes: said.join(words.say('list-separator')) })
}

function describeFile({ links, subscription }: Describing, body: FileMessage, words: Words) {
  const name = shown(body.name, MOST_ADDRESS)
  const first = words.day(body.fromDay)
  const last = words.day(body.toDay)
  const period = first === last ? first : words.say('period', { first, last })
  const url = links?.file(body, subscription) ?? null
  return {
    title: words.say(`title-${body.kind}`, { name }),
    lead: [
      words.say(`lead-${body.kind}`, { period, name }),
      ...(body.version > 1 ? [words.say('lead-version', { version: body.version })] : []),
    ],
    link: url === null ? null : { text: words.say('open-file'), url },
  }
}
