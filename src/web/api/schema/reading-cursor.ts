import { EXPECTED, text } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { parseCursor } from '../../../explain/page.ts'

export const CURSOR = '1795161900000-0'

/** The reading after which a page begins, as a parameter. */
export const AFTER_READING = Type.Optional(
  Type.Refine(
    text('Only readings behind those of the page before: its `next`.', CURSOR, {
      [EXPECTED]: 'what `next` of the page before was',
    }),
    (after) => parseCursor(after) !== null,
  ),
)
