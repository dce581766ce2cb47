import { expect, describe as group, test } from 'vitest'
import { EXCEPTION_NAMES } from '../../src/base/exceptions.ts'
import type { ExceptionItem, MessageBody } from '../../src/notify/message.ts'
import { type Describing, describe } from '../../src/notify/render/described.ts'
import { mailOf } from '../../src/notify/render/mail.ts'
import { ENGLISH } from '../../src/notify/render/messages-en.ts'
import { CHINESE } from '../../src/notify/render/messages-zh.ts'
import { payloadOf } from '../../src/notify/render/payload.ts'
import { slackMessage } from '../../src/notify/render/slack.ts'
import { teamsMessage } from '../../src/notify/render/teams.ts'
import type { Language } from '../../src/notify/subscription.ts'
import { CAUSES } from '../../src/store/revision.ts'
import { digest, FILE, item, LINKS, many, messageOf, REPORT, SUBSCRIPTION } from './example-messages.ts'

const of = (body: MessageBody, language: Language = 'en', links: Describing['links'] = LINKS): Describing => ({
  message: messageOf(body),
  subscription: SUBSCRIPTION,
  language,
  links,
})
const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort()

const CORRECTION = digest(
  [
    item({ change: 'ended', value: 2, causes: ['late-events', 'placement'], refersTo: 'msg_0', status: 'revised' }),
    item({ deviceId: 'CLR-2', exception: 'silent', value: null, limit: 24, address: null }),
  ],
  true,
)

group('texts', () => {
  test('are the same in both languages, with the same to be put in', () => {
    expect(Object.keys(CHINESE)).toEqual(Object.keys(ENGLISH))
    for (const [name, text] of Object.entries(ENGLISH)) {
      const own = new Set(placeholders(text))
      expect([...new Set(placeholders(CHINESE[name as keyof typeof ENGLISH]))], name).toEqual([...own])
      expect(text, name).not.toMatch(/\p{Script=Han}/u)
    }
  })

  test('tell which cooler, what, its limit, since when and where, in English and in Chinese', () => {
    expect(describe(of(digest([item()])), 20)).toEqual({
      tag: 'en-GB',
      title: 'CLR-1 on 20 November 2026: off',
      lead: ['1 exception on 20 November 2026, by the clock of each cooler.'],
      counts: [{ text: '1 off', url: 'https://coolers.example.org/#/day/20261120?exception=off' }],
      items: [
        {
          id: 'CLR-1',
          url: 'https://coolers.example.org/#/device/CLR-1/day/20261120',
          what: 'off: 6.5 h without power (limit 4 h)',
          details: ['since 18 November 2026 (3 days)', 'Hauptstraße 1, Berlin'],
        },
      ],
      more: null,
      link: { text: 'Open the list of coolers', url: 'https://coolers.example.org/#/day/20261120?exception=off' },
      footer: 'Subscription route-12, message msg_abcdefghijklmnopqrstuvwxyz',
    })
    expect(describe(of(digest([item()]), 'zh', null), 20)).toMatchObject({
      title: '2026年11月20日 冷柜 CLR-1：断电',
      counts: [{ text: '1 台断电', url: null }],
      items: [
        {
          what: '断电：无电 6.5 小时（上限 4 小时）',
          details: ['自 2026年11月18日 起（3 天）', 'Hauptstraße 1, Berlin'],
        },
      ],
      link: null,
    })
  })

  test('of a correction tell what began or ended, why, and what it corrects', () => {
    expect(describe(of(CORRECTION), 20)).toMatchObject({
      title: 'Correction of 20 November 2026: 1 silent, 1 no longer off',
      items: [
        {
          what: 'no longer off: 2 h without power (limit 4 h)',
          details: [
            'Hauptstraße 1, Berlin',
            'computed again because events landed late, its placement was changed',
            'corrects message msg_0',
          ],
        },
        { what: 'silent: never heard of', details: ['since 18 November 2026 (3 days)', 'address not known'] },
      ],
    })
    expect(describe(of(CORRECTION, 'zh'), 20)).toMatchObject({
      title: '2026年11月20日 更正：1 台失联，1 台不再断电',
      items: [{ details: ['Hauptstraße 1, Berlin', '重新计算的原因：有事件迟到，投放点已更改', '更正消息 msg_0'] }, {}],
    })
  })

  test('tell every exception, begun or ended, with a figure and without, whatever the cause', () => {
    for (const language of ['en', 'zh'] as const) {
      for (const exception of EXCEPTION_NAMES) {
        for (const change of ['began', 'ended'] as const) {
          for (const [value, unit] of [[7.25, '°C'] as const, [null, null] as const]) {
            const one = item({ exception, change, value, unit, causes: [...CAUSES], status: 'provisional' })
            const { items, title } = describe(of(digest([one], true), language), 1)
            expect(`${title}${items[0].what}${items[0].details.join()}`).not.toMatch(/[{}]|undefined|null|NaN/)
          }
        }
      }
    }
  })

  test('of a file tell its period and version, and link to the report', () => {
    const described = describe({ ...of(FILE), subscription: REPORT }, 20)
    expect(described).toMatchObject({
      title: 'Report weekly-20261122.v2.xlsx',
      lead: [
        'The report of 16 November 2026 to 22 November 2026 is ready: weekly-20261122.v2.xlsx.',
        'This is version 2: days of the period have changed since the version before.',
      ],
      link: { url: 'https://coolers.example.org/v1/reports/summary?startDay=20261116&endDay=20261122&format=xlsx' },
    })
    expect(describe(of({ type: 'test' }), 20)).toMatchObject({ title: 'Test message of route-12', items: [] })
  })
})

group('a digest of 5 000', () => {
  const big = of(digest(many(5000)))

  test('is whole as JSON', () => {
    const { type, timestamp, data } = payloadOf(big, null)
    expect([type, timestamp]).toEqual(['exceptions.digest', '2026-11-21T01:00:00.000Z'])
    expect(data).toMatchObject({
      id: 'msg_abcdefghijklmnopqrstuvwxyz',
      subscription: 'route-12',
      day: 20261120,
      counts: [
        { exception: 'moved', change: 'began', count: 2500 },
        { exception: 'off', change: 'began', count: 2500 },
      ],
      link: 'https://coolers.example.org/#/day/20261120?exception=any',
    })
    const items = data.items as (ExceptionItem & { link: string })[]
    expect(items).toHaveLength(5000)
    expect(items[4999]).toEqual({ ...many(5000)[4999], link: LINKS.day('CLR-4999', 20261120) })
  })

  test('shows counts and the first 20 in chats, and the first 100 in a mail', () => {
    for (const made of [slackMessage(big), teamsMessage(big)]) {
      const text = JSON.stringify(made)
      expect(text).toContain('2,500 moved')
      expect(text).toContain('and 4,980 more')
      expect(text.match(/CLR-\d+"/g)).toHaveLength(20)
    }
    const { subject, text, html } = mailOf(big, [], 'coolers@example.org')
    expect(subject).toBe('Coolers on 20 November 2026: 2,500 moved, 2,500 off')
    expect(text.match(/^\* CLR-\d+$/gm)).toHaveLength(100)
    expect(html.match(/<tr>/g)).toHaveLength(100)
    for (const body of [text, html]) {
      expect(body).toContain('and 4,900 more')
      expect(body).toContain('https://coolers.example.org/#/day/20261120?exception=any')
    }
  })
})

test('payloads name what they are', () => {
  const backup = { ...FILE, kind: 'backup' as const }
  expect(
    [digest([item()]), CORRECTION, FILE, backup, { type: 'test' as const }].map(
      (body) => payloadOf(of(body), null).type,
    ),
  ).toEqual(['exceptions.digest', 'exceptions.correction', 'report.ready', 'backup.ready', 'test'])
  const report = payloadOf({ ...of(FILE), subscription: REPORT }, { path: '/x', bytes: 7 })
  const { type: _, kind: __, ...fields } = FILE
  expect(report.data).toMatchObject({ ...fields, bytes: 7, link: LINKS.file(FILE, REPORT) })
})
