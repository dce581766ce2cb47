import { Type } from '../../../base/typebox.ts'
import { EVENT_SCHEMA } from '../../../event/event-schema.ts'

/** The parts of the event schemas that are read here. */
interface Schema {
  title?: string
  description?: string
  type?: string
  const?: string
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  not?: Schema
}

const { title, description, properties, required, oneOf } = EVENT_SCHEMA as unknown as Required<
  Pick<Schema, 'title' | 'description' | 'properties' | 'required' | 'oneOf'>
>

/** The instant of an event, as producers may write it. */
export const AT = Type.Unsafe<string | number>(properties.at)

const without = (fields: Readonly<Record<string, Schema>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/**
 * Returns the forms of one type of event, each complete by itself, because generators and validators of OpenAPI
 * documents do not look into nested alternatives.
 */
function formsOf(variant: Schema): Schema[] {
  const kind = variant.title ?? ''
  const { description: meaning = '' } = properties.type
  const type: Schema = { type: 'string', description: meaning, const: kind, examples: [kind] }
  const fields = { ...properties, ...variant.properties, type }
  const needed = [...required, ...(variant.required ?? [])]
  const form = (name: string, own: Schema): Schema => ({
    title: name,
    description: variant.description ?? '',
    type: 'object',
    ...own,
  })
  const names = (variant.oneOf ?? variant.anyOf ?? []).flatMap((alternative) => alternative.required ?? [])
  if (names.length === 0) return [form(kind, { properties: fields, required: needed })]
  return names.map((name) => {
    const others = variant.oneOf === undefined ? [] : names.filter((other) => other !== name)
    return form(`${kind} with ${name}`, {
      properties: without(fields, others),
      required: [...needed, name],
      ...(others.length === 0
        ? {}
        : { not: { properties: Object.fromEntries(others.map((other) => [other, {}])), required: others } }),
    })
  })
}

/** An event as producers may send it. The batch schema of the queue describes the same. */
export const EVENT = Type.Unsafe<unknown>({
  $id: 'TelemetryEvent',
  title,
  description,
  anyOf: oneOf.flatMap(formsOf),
})
