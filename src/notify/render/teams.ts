import { type Describing, describe, type Link } from './described.ts'
import { fitting } from './fitting.ts'

/** Teams accepts 28 KB; the rest is left for additions by a workflow. */
const MOST_BYTES = 24_000

type Run = Record<string, unknown>

/** Runs of text, in which Markdown and HTML are no markup, unlike in a TextBlock. */
const run = (text: string, more: Run = {}): Run => ({ type: 'TextRun', text, ...more })
const linked = ({ text, url }: Link): Run =>
  run(text, { weight: 'Bolder', ...(url === null ? {} : { selectAction: { type: 'Action.OpenUrl', url } }) })
const block = (...inlines: Run[]): Run => ({ type: 'RichTextBlock', inlines })

/** Returns the body for a Teams webhook (a workflow that posts its input): an Adaptive Card. */
export function teamsMessage(describing: Describing): object {
  return fitting((most) => {
    const { tag, title, lead, counts, items, more, link, footer } = describe(describing, most)
    const body = [
      block(run(title, { size: 'Large', weight: 'Bolder' })),
      ...lead.map((text) => block(run(text))),
      ...(counts.length > 1 ? counts.map((count) => block(linked(count))) : []),
      ...items.flatMap(({ id, url, what, details }) => [
        { ...block(linked({ text: id, url }), run(` ${what}`)), separator: true },
        { ...block(run(details.join(' · '), { isSubtle: true })), spacing: 'None' },
      ]),
      ...(more === null ? [] : [block(run(more))]),
      block(run(footer, { isSubtle: true, size: 'Small' })),
    ]
    const actions = link === null ? [] : [{ type: 'Action.OpenUrl', title: link.text, url: link.url }]
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      lang: tag,
      msteams: { width: 'Full' },
      body,
      ...(actions.length === 0 ? {} : { actions }),
    }
    const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    return { type: 'message', attachments: [card] }
  }, MOST_BYTES)
}
