import { escapeHtml } from '../../base/html.ts'
import type { OpenApiDocument, Schema } from './document.ts'
import { inline } from './markdown.ts'

/** Deeper fields are set in no further. */
const DEEPEST = 5

export type Schemas = OpenApiDocument['components']['schemas']

interface Row {
  name: string
  depth: number
  required: boolean
  schema: Schema
}

/** The schema itself, where it is a reference. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema
  return schemas[schema.$ref.slice('#/components/schemas/'.length)]
}

/** What a body holds: a table of its fields, or of those of its items; where it has several forms, of each of them. */
export function schemaHtml(schema: Schema, schemas: Schemas): string {
  const told = resolved(schema, schemas)
  const forms = told.anyOf ?? told.oneOf
  if (forms !== undefined) return formsHtml(forms, schemas)
  const items = told.items === undefined ? undefined : resolved(told.items, schemas)
  if (items !== undefined && !isPlain(items)) return `${paragraph(items)}\n${schemaHtml(items, schemas)}`
  return table(fieldsOf(told, schemas, 0))
}

/** The fields that all forms share are told once. */
function formsHtml(forms: readonly Schema[], schemas: Schemas): string {
  const [{ properties: first = {} }, ...others] = forms
  const isShared = (name: string): boolean =>
    others.every(({ properties = {} }) => JSON.stringify(properties[name]) === JSON.stringify(first[name]))
  const shared = Object.keys(first).filter(isShared)
  const part = (form: Schema, keep: (name: string) => boolean): Schema => {
    const own = Object.entries(form.properties ?? {}).filter(([name]) => keep(name))
    return { ...form, properties: Object.fromEntries(own) }
  }
  const common = part(forms[0], (name) => shared.includes(name))
  const each = forms.map((form) => {
    const { title = '' } = form
    const own = part(form, (name) => !shared.includes(name))
    return `<h5>${escapeHtml(title[0].toUpperCase() + title.slice(1))}</h5>\n${paragraph(form)}\n${schemaHtml(own, schemas)}`
  })
  return shared.length === 0 ? each.join('\n') : [table(fieldsOf(common, schemas, 0)), ...each].join('\n')
}

const isPlain = ({ properties, anyOf }: Schema): boolean => properties === undefined && anyOf === undefined

const paragraph = ({ description }: Schema): string =>
  description === undefined ? '' : `<p>${inline(description)}</p>`

/** The fields of an object, each followed by those within it. */
function fieldsOf({ properties = {}, required = [] }: Schema, schemas: Schemas, depth: number): Row[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const schema = resolved(property, schemas)
    const row = { name, depth, required: required.includes(name), schema }
    const items = schema.items === undefined ? undefined : resolved(schema.items, schemas)
    return [row, ...fieldsOf(items ?? schema, schemas, depth + 1)]
  })
}

function table(rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  return `<table>
<thead><tr><th scope="col">Field</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.map(fieldRow).join('\n')}
</tbody>
</table>`
}

function fieldRow({ name, depth, required, schema }: Row): string {
  const optional = required ? '' : ', may be left out'
  return `<tr><th scope="row" class="in${Math.min(depth, DEEPEST)}"><code>${escapeHtml(name)}</code> <span class="type">${typeOf(schema)}${optional}</span></th><td>${meaningOf(schema)}</td></tr>`
}

/** The types that a value may have, in words. */
function typeOf({ type, items }: Schema): string {
  const names = [type ?? 'any'].flat().map((name) => (name === 'array' ? `list${itemsOf(items)}` : name))
  return names.join(' or ')
}

const itemsOf = (items: Schema | undefined): string =>
  items === undefined || items.type === undefined || items.type === 'object' ? '' : ` of ${items.type}`

/** What a field or parameter means, its bounds and an example. */
export function meaningOf(schema: Schema): string {
  const { description = '', examples = [] } = schema
  const parts = [inline(description), boundsOf(schema)]
  if (examples.length > 0 && schema.properties === undefined && (schema.items === undefined || isPlain(schema.items))) {
    const shown = examples.map((example) => `<code>${escapeHtml(JSON.stringify(example))}</code>`).join(' or ')
    parts.push(`<span class="example">Example: ${shown}</span>`)
  }
  return parts.filter((part) => part !== '').join(' ')
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems, const: only } = schema
  const values = schema.enum ?? schema.items?.enum
  if (only !== undefined) return `Always <code>${escapeHtml(JSON.stringify(only))}</code>.`
  if (values !== undefined)
    return `One of ${values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(', ')}.`
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`
  if (minimum !== undefined) return `${minimum} or more.`
  if (maxLength !== undefined)
    return `${minLength === undefined ? 'At most' : `${minLength} to`} ${maxLength} UTF-16 units.`
  return maxItems === undefined ? '' : `At most ${maxItems}.`
}
