import type { DocumentContent, DocumentOperation, DocumentParameter, OpenApiDocument, Schema } from './document.ts'

type Schemas = OpenApiDocument['components']['schemas']

/** Optional parameters that samples give all the same, because the call needs them or others instead. */
const GIVEN: readonly string[] = ['day']

/**
 * Returns a parameter so that the documentation page gives it in its own samples and trial calls if it is in GIVEN:
 * Scalar leaves out other optional parameters.
 */
export function asGiven(parameter: DocumentParameter): DocumentParameter {
  const { example, ...rest } = parameter
  if (rest.required || !GIVEN.includes(rest.name)) return parameter
  return { ...rest, examples: { given: { value: example, 'x-disabled': false } } }
}

/**
 * Returns a program in TypeScript that makes a call with its first example, checks for errors and names the type of the
 * answer. It needs no package: Node.js and browsers have `fetch`.
 */
export function typeScriptSample(
  method: string,
  path: string,
  { parameters = [], requestBody, responses, security }: Omit<DocumentOperation, 'x-codeSamples'>,
  schemas: Schemas,
): string {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(parameters.find((one) => one.name === name)))
  const query = parameters
    .filter(({ in: place, name, required }) => place === 'query' && (required || GIVEN.includes(name)))
    .map((one) => `${one.name}=${exampleOf(one)}`)
  const target = [inPath, ...(query.length > 0 ? [query.join('&')] : [])].join('?')
  const answered = Object.entries(responses).find(([status]) => status < '300') as [
    string,
    { content: DocumentContent },
  ]
  const options = [
    ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}',`]),
    ...headersOf(security.length > 0, requestBody !== undefined),
    ...(requestBody === undefined ? [] : [`body: JSON.stringify(${indented(bodyOf(requestBody.content), 2)}),`]),
  ].map((line) => `  ${line}\n`)
  const call = options.length === 0 ? '' : `, {\n${options.join('')}}`
  return [
    `const service = 'http://127.0.0.1:8080'`,
    ...(security.length > 0 ? [`const key = '' // an API key, where the service has keys`] : []),
    `const response = await fetch(\`\${service}${target}\`${call})`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of the sample
    'if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)',
    ...readerOf(answered[1].content, schemas),
    'console.log(answer)',
  ].join('\n')
}

const exampleOf = (parameter: DocumentParameter | undefined): string =>
  encodeURIComponent(String(parameter?.example ?? parameter?.examples?.given.value ?? ''))

function headersOf(withKey: boolean, withBody: boolean): string[] {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of the sample
    ...(withKey ? ['authorization: `Bearer ${key}`'] : []),
    ...(withBody ? [`'content-type': 'application/json'`] : []),
  ]
  return headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} },`]
}

/** Returns the first example of a JSON body as an expression; names stand without quotes where they may. */
function bodyOf(content: DocumentContent): string {
  const [example] = Object.values(content['application/json'].examples) as { value: unknown }[]
  return JSON.stringify(example.value, null, 2).replace(/^( *)"(\w+)":/gm, '$1$2:')
}

const readerOf = (content: DocumentContent, schemas: Schemas): string[] => {
  const json = content['application/json']
  return json === undefined
    ? ['const answer = await response.text()']
    : [`const answer = (await response.json()) as ${typeOf(json.schema, schemas)}`]
}

/** Returns the TypeScript type of values that fit a schema; `unknown` for what its keywords here do not tell. */
function typeOf(schema: Schema, schemas: Schemas): string {
  const {
    $ref,
    const: only,
    enum: values,
    items,
    properties,
    oneOf,
    anyOf,
    type,
    additionalProperties: entries,
  } = schema
  if ($ref !== undefined) return typeOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)], schemas)
  if (only !== undefined) return literal(only)
  if (values !== undefined) return values.map(literal).join(' | ')
  const variants = oneOf ?? anyOf
  if (variants !== undefined) return [...new Set(variants.map((one) => typeOf(one, schemas)))].join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, schemas)).join(' | ')
  if (type === 'array') return items === undefined ? 'unknown[]' : `Array<${typeOf(items, schemas)}>`
  if (properties !== undefined && type !== 'null') return objectTypeOf(schema, schemas)
  if (type === 'object' && entries !== undefined) return `Record<string, ${typeOf(entries, schemas)}>`
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown'
}

function objectTypeOf({ properties = {}, required = [] }: Schema, schemas: Schemas): string {
  const fields = Object.entries(properties).map(([name, part]) => {
    const key = /^\w+$/.test(name) ? name : literal(name)
    return `  ${key}${required.includes(name) ? '' : '?'}: ${indented(typeOf(part, schemas), 2)}\n`
  })
  return `{\n${fields.join('')}}`
}

/** Returns a value as a literal of TypeScript, with single quotes where that needs no escape. */
const literal = (value: unknown): string =>
  typeof value === 'string' && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value)

/** Indents all lines but the first one. */
const indented = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
