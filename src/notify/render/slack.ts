import { type Describing, describe, type Link } from './described.ts'
import { fitting } from './fitting.ts'

/**
 * Slack refuses blocks that are too long altogether without documenting the limit: 15 500 characters of JSON have been
 * taken, 17 700 refused.
 */
const MOST_BYTES = 12_000
/** Longest text of a header. */
const MOST_HEADER = 150
/** Longest link that is worth its room; ids may be long. */
const MOST_URL = 1000

type Element = Record<string, unknown>

/** Elements of rich text, which Slack shows as they are: nothing in them is markup, a mention or an emoji. */
const plain = (text: string): Element => ({ type: 'text', text })
const bold = (text: string): Element => ({ type: 'text', text, style: { bold: true } })
const linked = ({ text, url }: Link): Element =>
  url === null || url.length > MOST_URL ? bold(text) : { type: 'link', url, text, style: { bold: true } }

const section = (...elements: Element[]): Element => ({ type: 'rich_text_section', elements })

/** Returns the body that incoming webhooks of Slack take, as blocks. */
export function slackMessage(describing: Describing): object {
  return fitting((most) => {
    const { title, lead, counts, items, more, link, footer } = describe(describing, most)
    const rest = [...(more === null ? [] : [plain(more)]), ...(link === null ? [] : [linked(link)])]
    const parts: Element[] = [section(plain(lead.join(' ')))]
    if (counts.length > 1) parts.push(list(counts.map((count) => section(linked(count)))))
    if (items.length > 0)
      parts.push(
        list(
          items.map(({ id, url, what, details }) =>
            section(linked({ text: id, url }), plain(` ${[what, ...details].join(' · ')}`)),
          ),
        ),
      )
    if (rest.length > 0) parts.push(section(...rest.flatMap((one, index) => (index === 0 ? [one] : [plain(' '), one]))))
    return {
      // Shown in notifications. There, &, < and > begin markup.
      text: title.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] as string),
      mrkdwn: false,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: cut(title, MOST_HEADER), emoji: false } },
        { type: 'rich_text', elements: parts },
        { type: 'context', elements: [{ type: 'plain_text', text: footer, emoji: false }] },
      ],
    }
  }, MOST_BYTES)
}

const list = (elements: Element[]): Element => ({ type: 'rich_text_list', style: 'bullet', elements })

/** Cuts a text to a number of UTF-16 units, without halving a character. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
