import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import type { ExceptionItem } from '../../src/notify/message.ts'
import { mailOf } from '../../src/notify/render/mail.ts'
import { payloadOf } from '../../src/notify/render/payload.ts'
import { slackMessage } from '../../src/notify/render/slack.ts'
import { teamsMessage } from '../../src/notify/render/teams.ts'
import { digest, item, LINKS, messageOf, SUBSCRIPTION } from './example-messages.ts'

/** Ids and addresses that try to be more than a text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '<!channel> <@U1> <https://evil.example|here> &amp;',
  '*bold* _it_ `c` ~s~ :smile: [here](https://evil.example)',
  'a\r\nBcc: evil@example.org\r\n\r\nbody',
  'a\u2028b\u2029c\0d\u0085e',
  '\u202egnp.exe \u2066x\u200fy',
  'שלום עולם',
  '{day} {counts}',
  '\ud83d',
  '..',
  '💡'.repeat(500),
  '<'.repeat(1000),
]
const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...HOSTILE, ...'<>&"\'\n\r*_[]()|'), { maxLength: 5 }).map((parts) => parts.join('')),
)

const items: fc.Arbitrary<ExceptionItem[]> = fc.array(
  fc
    .record({
      deviceId: hostile.map((id) => id || 'x'),
      address: fc.option(hostile),
      refersTo: fc.option(hostile),
      exception: fc.constantFrom('moved' as const, 'silent' as const),
    })
    .map((changes) => item(changes)),
  { minLength: 1, maxLength: 40 },
)

const describingOf = (list: ExceptionItem[], links = true) => ({
  message: messageOf(digest(list)),
  subscription: SUBSCRIPTION,
  language: 'en' as const,
  links: links ? LINKS : null,
})

/** All strings at a key, anywhere within a value. */
function stringsAt(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === key && typeof part === 'string' ? [part] : stringsAt(part, key),
  )
}

/** Characters that are not seen or turn text around; isolates come in pairs that we make. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b-\u200f\u202a-\u202e\u2066\u2067]/u

group('ids and addresses of any text', () => {
  test('are kept as they are in JSON', () => {
    fc.assert(
      fc.property(items, (list) => {
        const { data } = JSON.parse(JSON.stringify(payloadOf(describingOf(list), null)))
        expect(data.items.map(({ link: _, ...rest }: { link: string }) => rest)).toEqual(list)
      }),
    )
  })

  test('are no markup of mail, and no further header', () => {
    fc.assert(
      fc.property(items, fc.boolean(), (list, links) => {
        const { subject, text, html } = mailOf(describingOf(list, links), [], 'coolers@example.org')
        expect(subject).not.toMatch(UNSEEN)
        expect(subject.length).toBeLessThan(400)
        expect(text.replaceAll('\n', '')).not.toMatch(UNSEEN)
        expect(html.replaceAll('\n', '')).not.toMatch(UNSEEN)
        const tags = new Set([...html.matchAll(/<\/?([^\s>]*)/g)].map(([, name]) => name))
        const own = ['!doctype', 'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'p', 'ul', 'li', 'a']
        const more = ['table', 'tr', 'td', 'strong', 'br', 'hr', 'small']
        expect([...tags].filter((name) => ![...own, ...more].includes(name))).toEqual([])
        const targets = [...html.matchAll(/<a ([^>]*)>/g)].map(([, attributes]) => attributes)
        expect(targets.filter((one) => !/^href="https:\/\/coolers\.example\.org\/#[^"<>\s]*"$/.test(one))).toEqual([])
      }),
    )
  })

  test('are plain in Slack: all in elements without markup, within its limits', () => {
    fc.assert(
      fc.property(items, (list) => {
        const made = slackMessage(describingOf(list)) as { text: string; blocks: { type: string; text?: object }[] }
        const text = JSON.stringify(made)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12_000)
        expect(text).not.toContain('"mrkdwn"}') // No text object of that type.
        expect(made.text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
        expect(made.text).not.toMatch(UNSEEN)
        expect(stringsAt(made.blocks, 'text').filter((one) => one === '' || UNSEEN.test(one))).toEqual([])
        const [header] = stringsAt(made.blocks[0], 'text')
        expect(header.length).toBeLessThanOrEqual(150)
        expect(stringsAt(made, 'url').filter((url) => !url.startsWith('https://coolers.example.org/#'))).toEqual([])
        expect(new Set(stringsAt(made.blocks, 'type'))).not.toContain('mrkdwn')
      }),
    )
  })

  test('are plain in Teams: all in runs of text, within 28 KB', () => {
    fc.assert(
      fc.property(items, (list) => {
        const made = teamsMessage(describingOf(list))
        expect(Buffer.byteLength(JSON.stringify(made))).toBeLessThanOrEqual(28_000)
        const types = new Set(stringsAt(made, 'type'))
        const known = ['message', 'AdaptiveCard', 'RichTextBlock', 'TextRun', 'Action.OpenUrl']
        expect([...types].filter((type) => !known.includes(type))).toEqual([])
        expect(stringsAt(made, 'text').filter((one) => UNSEEN.test(one))).toEqual([])
        expect(stringsAt(made, 'url').filter((url) => !url.startsWith('https://coolers.example.org/#'))).toEqual([])
      }),
    )
  })
})
