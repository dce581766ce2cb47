import { escapeHtml } from '../../base/html.ts'
import type {
  DocumentContent,
  DocumentExample,
  DocumentOperation,
  DocumentParameter,
  DocumentResponse,
  OpenApiDocument,
  Reference,
} from './document.ts'
import { inline } from './markdown.ts'
import { meaningOf, resolved, schemaHtml } from './schema-table.ts'

export interface PlacedOperation extends DocumentOperation {
  method: string
  path: string
}

/** One call: who may make it, what it takes, what it answers. */
export function operationSection(operation: PlacedOperation, { components }: OpenApiDocument): string {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses).map(
    ([status, response]) => [status, '$ref' in response ? referred(response, components.responses) : response] as const,
  )
  const good = answers.filter(([status]) => status.startsWith('2'))
  return `<section aria-labelledby="${operationId}">
<h3 id="${operationId}"><a href="#${operationId}">${methodMark(method)} <code>${escapeHtml(path)}</code></a></h3>
<p><strong>${inline(summary)}.</strong> ${inline(description)}</p>
${parameters === undefined ? '' : parameterTable(parameters)}
${requestBody === undefined ? '' : bodyHtml('Request', requestBody.content, components)}
${good.map(([status, response]) => bodyHtml(`Answer ${status}`, response.content, components)).join('\n')}
${errorTable(
  answers.filter(([status]) => !status.startsWith('2')),
  components.examples,
)}
</section>`
}

/** Renders the name of a method. */
export const methodMark = (method: string): string =>
  `<span class="method ${method.toLowerCase()}">${method.toUpperCase()}</span>`

function referred<Value>({ $ref }: Reference, values: Readonly<Record<string, Value>>): Value {
  return values[$ref.slice($ref.lastIndexOf('/') + 1)]
}

function parameterTable(parameters: readonly DocumentParameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema, example }) => {
    const note = `${schema.type}, in the ${place}${required ? '' : ', may be left out'}`
    const head = `<th scope="row"><code>${escapeHtml(name)}</code> <span class="type">${note}</span></th>`
    return `<tr>${head}<td>${meaningOf({ ...schema, description, examples: [example] })}</td></tr>`
  })
  return `<h4>Parameters</h4>
<table>
<thead><tr><th scope="col">Parameter</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`
}

function bodyHtml(title: string, content: DocumentContent, components: OpenApiDocument['components']): string {
  const bodies = Object.entries(content).map(([type, { schema, examples }]) => {
    const { description: meaning = '' } = resolved(schema, components.schemas)
    return `<p>As <code>${type}</code>: ${inline(meaning)}</p>
${schemaHtml(schema, components.schemas)}
${examplesHtml(examples, components.examples)}`
  })
  return `<h4>${title}</h4>\n${bodies.join('\n')}`
}

function examplesHtml(
  examples: DocumentContent[string]['examples'],
  named: Readonly<Record<string, DocumentExample>>,
): string {
  return Object.values(examples)
    .map((one) => ('$ref' in one ? referred(one, named) : one))
    .map(({ summary, value }) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
      const label = `Example: ${escapeHtml(summary)}`
      return `<details open>
<summary>${label}</summary>
<pre tabindex="0" aria-label="${label}"><code>${escapeHtml(text)}</code></pre>
</details>`
    })
    .join('\n')
}

/** A row for each code: what it means is the summary of its example. */
function errorTable(
  answers: readonly (readonly [string, DocumentResponse])[],
  named: Readonly<Record<string, DocumentExample>>,
): string {
  const rows = answers.flatMap(([status, { headers = {}, content }]) => {
    const more = Object.keys(headers).map((name) => ` Header: <code>${name}</code>.`)
    return Object.keys(content['application/json'].examples).map(
      (code) =>
        `<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${inline(named[code].summary)}${more.join('')}</td></tr>`,
    )
  })
  return `<h4>Errors</h4>
<table class="errors">
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`
}
