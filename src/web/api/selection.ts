import { CoolerError } from '../../base/errors.ts'

/** Lower-case names of fields that were surely meant to select devices (RULES.md 5). */
const MEANT_AS_SELECTION = new Set([
  'assertids',
  'assertid',
  'assetids',
  'assetid',
  'assetsids',
  'deviceids',
  'deviceid',
  'ids',
])

/**
 * Refuses fields that are surely a misspelt `assertIds`: ignoring them would return the whole fleet. `fields` is a body
 * or the parameters of a query.
 *
 * @throws CoolerError `bad-request` that gives the right name
 */
export function refuseMisspeltSelection(fields: object): void {
  for (const name of Object.keys(fields)) {
    if (name !== 'assertIds' && MEANT_AS_SELECTION.has(name.toLowerCase()))
      throw new CoolerError('bad-request', `${name} is not a field of this request; the selection is called assertIds`)
  }
}
