import { anchorOf, escapeHtml } from '../../base/html.ts'

/**
 * The CommonMark that the document uses, as HTML: paragraphs, headings of the second level, lists with hyphens, code
 * spans and strong words. All else is text.
 */
export function markdown(text: string): string {
  return text
    .split(/\n{2,}/)
    .map(block)
    .join('\n')
}

function block(text: string): string {
  if (text.startsWith('## ')) {
    const heading = text.slice(3)
    return `<h2 id="${anchorOf(heading)}">${inline(heading)}</h2>`
  }
  const lines = text.split('\n')
  if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(text)}</p>`
  return `<ul>\n${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('\n')}\n</ul>`
}

/** Code spans and strong words within a line. */
export const inline = (text: string): string =>
  escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')

/** The headings of a text, in their order. */
export const headingsOf = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
