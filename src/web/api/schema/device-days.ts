import { EXCEPTION_NAMES, EXCEPTIONS } from '../../../base/exceptions.ts'
import { day, instant, nullable, number, oneOf } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { DAY_STATUSES } from '../../../report/day-status.ts'
import { figures } from '../../../rollup/figures/schema.ts'

/** The day of the examples. */
export const FIRST = 20261120
const HOLDS = EXCEPTION_NAMES.map((name) => `\`${name}\`: ${EXCEPTIONS[name]}`).join('; ')

/** The fields that days and ranges of a device have besides their figures. */
export const DESCRIBED = {
  status: oneOf(
    'Not closed yet; closed; closed and changed since; `none` before the first event, and for days not rolled up yet.',
    DAY_STATUSES,
    'settled',
  ),
  hoursOff: number('Time known to be off.', 'hours', 0.5, { minimum: 0 }),
  hoursUnknown: nullable(
    number('Time so far with an unknown power state.', 'hours', 0, { minimum: 0 }),
    'where `status` is `none`',
  ),
  exceptions: Type.Array(oneOf('What somebody should look at.', EXCEPTION_NAMES, 'off'), {
    description: `What somebody should look at: ${HOLDS}.`,
    examples: [['off']],
  }),
}

const DEVICE_DAY = Type.Object(
  {
    day: day('The local day.', FIRST),
    ...figures('of the day'),
    ...DESCRIBED,
    lastHeardAt: nullable(
      instant('Its last event up to the end of the day, or to its last rollup.', '2026-11-20T22:58:00.000Z'),
      'before the first',
    ),
  },
  { $id: 'DeviceDay', description: 'A local day of a device, as it is stored.' },
)

export const DEVICE_DAYS = Type.Object(
  { days: Type.Array(DEVICE_DAY, { description: 'Each day of the range, in order.' }) },
  { $id: 'DeviceDays', description: 'Days of a device.' },
)
