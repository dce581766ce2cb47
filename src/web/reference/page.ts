import { createHash } from 'node:crypto'
import { anchorOf, escapeHtml } from '../../base/html.ts'
import type { OpenApiDocument } from './document.ts'
import { headingsOf, inline, markdown } from './markdown.ts'
import { methodMark, operationSection, type PlacedOperation } from './operation-section.ts'
import { STYLE } from './style.ts'

/** The page's Content-Security-Policy: a browser may do nothing but show it in its one style sheet. */
export const pagePolicy = (): string =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The document as a page for people: no script, nothing from elsewhere. */
export function referencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info
  const name = escapeHtml(title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}: API reference</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<div class="page">
${navigation(document)}
<main id="content">
<h1>${name}: API reference</h1>
<p class="quiet">Version ${escapeHtml(version)}. For programs: <a href="openapi.json">openapi.json</a>, from which clients can be generated.</p>
${markdown(description)}
${document.tags.map((tag) => tagHtml(tag, document)).join('\n')}
</main>
</div>
</body>
</html>
`
}

/** The calls of a group, in the order of the document. */
const operationsOf = ({ paths }: OpenApiDocument, tag: string): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method, path })),
  )

function tagHtml({ name, description }: { name: string; description: string }, document: OpenApiDocument): string {
  const sections = operationsOf(document, name).map((operation) => operationSection(operation, document))
  return `<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2>\n<p>${inline(description)}</p>\n${sections.join('\n')}`
}

function navigation(document: OpenApiDocument): string {
  const headings = headingsOf(document.info.description).map(
    (heading) => `<li><a href="#${anchorOf(heading)}">${inline(heading)}</a></li>`,
  )
  const groups = document.tags.map(({ name }) => {
    const items = operationsOf(document, name).map(
      ({ operationId, method, summary }) =>
        `<li><a href="#${operationId}">${methodMark(method)} ${inline(summary)}</a></li>`,
    )
    return `<p><a href="#${anchorOf(name)}">${escapeHtml(name)}</a></p>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return `<nav aria-label="Contents">
<p><a href="#content">${escapeHtml(document.info.title)}: API reference</a></p>
<ul>
${headings.join('\n')}
</ul>
${groups.join('\n')}
</nav>`
}
