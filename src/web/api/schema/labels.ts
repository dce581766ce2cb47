import { LABEL_KEY, MOST_LABELS, MOST_VALUE_UNITS, parseLabel } from '../../../base/labels.ts'
import { CHECKED_ELSEWHERE, EXPECTED, text } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'

const EXAMPLE = { route: '12', customer: 'Kiosk GmbH' }

const LABEL_VALUE = text('Value of a label.', EXAMPLE.route, { minLength: 1, maxLength: MOST_VALUE_UNITS })

const labels = {
  type: 'object',
  propertyNames: { pattern: `^${LABEL_KEY}$` },
  maxProperties: MOST_LABELS,
  additionalProperties: LABEL_VALUE,
  examples: [EXAMPLE],
}

/** The labels of a device. */
export const LABELS = Type.Unsafe<Record<string, string>>({
  ...labels,
  description: 'Its labels: short texts by key, such as its route, customer and model.',
})

/** Labels as sent in a request. The rules of labels check them. */
export const LABELS_TO_PUT = Type.Unsafe<Record<string, string>>({
  ...labels,
  description: `All of its labels, at most ${MOST_LABELS}: they take the place of those that it has. A key has at most 32 of a to z, 0 to 9, \`_\` and \`-\` and begins with a letter; a value has 1 to ${MOST_VALUE_UNITS} characters, no control characters, and no blanks at its ends.`,
  [CHECKED_ELSEWHERE]: true,
})

/** Labels that devices must have, as a parameter that may be repeated. */
export const LABEL_PARAMETER = Type.Optional(
  Type.Array(
    Type.Refine(
      text('A label.', 'route:12', { [EXPECTED]: 'a label, written as key:value' }),
      (label) => parseLabel(label) !== null,
    ),
    {
      description: 'Only devices with this label, written as `key:value`; given again: with each of them.',
      examples: [['route:12']],
    },
  ),
)
