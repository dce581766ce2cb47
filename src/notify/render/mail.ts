import { escapeHtml } from '../../base/html.ts'
import { type Described, type DescribedItem, type Describing, describe, type Link } from './described.ts'
import { wordsOf } from './words.ts'

/** Most items that a mail shows. */
const MOST_ITEMS = 100

export interface Mail {
  subject: string
  text: string
  html: string
}

/** Returns a message as a mail; `notes` are sentences on its file, `from` is the address that ends it. */
export function mailOf(describing: Describing, notes: readonly string[], from: string): Mail {
  const described = describe(describing, MOST_ITEMS)
  const unsubscribe = wordsOf(describing.language).say('unsubscribe', { address: from })
  const whole = { ...described, lead: [...described.lead, ...notes] }
  return { subject: described.title, text: textOf(whole, unsubscribe), html: htmlOf(whole, unsubscribe) }
}

function textOf({ title, lead, counts, items, more, link, footer }: Described, unsubscribe: string): string {
  const parts = [
    title,
    lead.join('\n'),
    counts.map(({ text }) => `- ${text}`).join('\n'),
    ...items.map(itemText),
    [more ?? '', link === null ? '' : `${link.text}: ${link.url}`].filter((line) => line !== '').join('\n'),
    `-- \n${footer}\n${unsubscribe}`,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const itemText = ({ id, url, what, details }: DescribedItem): string =>
  [`* ${id}`, what, ...details, ...(url === null ? [] : [url])].join('\n  ')

/** Without colours, pictures and fonts of its own, so that it is readable in the light and in the dark. */
const STYLE = `:root{color-scheme:light dark}
body{font-family:sans-serif;line-height:1.4;margin:1em}
td{padding:.4em 1em .4em 0;vertical-align:top;border-top:1px solid}
table{border-collapse:collapse}`

const anchor = ({ text, url }: Link): string =>
  url === null ? escapeHtml(text) : `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`

const paragraph = (html: string): string => `<p>${html}</p>`

function htmlOf({ tag, title, lead, counts, items, more, link, footer }: Described, unsubscribe: string): string {
  const rows = items.map(({ id, url, what, details }) => {
    const lines = [`<strong>${escapeHtml(what)}</strong>`, ...details.map(escapeHtml)]
    return `<tr><td>${anchor({ text: id, url })}</td><td>${lines.join('<br>\n')}</td></tr>`
  })
  const parts = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...lead.map((text) => paragraph(escapeHtml(text))),
    ...(counts.length === 0 ? [] : [`<ul>${counts.map((count) => `<li>${anchor(count)}</li>`).join('\n')}</ul>`]),
    ...(rows.length === 0 ? [] : [`<table>\n${rows.join('\n')}\n</table>`]),
    ...(more === null ? [] : [paragraph(escapeHtml(more))]),
    ...(link === null ? [] : [paragraph(anchor(link))]),
    `<hr>`,
    paragraph(`<small>${escapeHtml(footer)}<br>\n${escapeHtml(unsubscribe)}</small>`),
  ]
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
  ]
  return `<!doctype html>
<html lang="${tag}">
<head>
${head.join('\n')}
</head>
<body>
${parts.join('\n')}
</body>
</html>
`
}
