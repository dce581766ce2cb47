import type { FigureName } from '../../explain/explanation.ts'
import { FLAGGED_MM } from '../../report/totals.ts'
import { count, field, number, type Schema } from './schema.ts'

/** The figures of INTERFACE.md 2.2 and 2.3, of a day or of a range; `when` tells of what. */
export const figures = (when: 'of the day' | 'of the range'): Readonly<Record<FigureName, Schema>> => ({
  visitorCount: count(`Visitors ${when}.`, 'visitors', 42),
  openCloseNum: count(`Door events ${when}: an open and a close each count one.`, 'events', 18),
  currTemp: temperature(`Mean of all measured temperatures ${when}.`, 3.41, 'without a measured temperature'),
  setTemp: temperature(`Mean of all set temperatures ${when}.`, 4, 'without a set temperature'),
  maxTemp: temperature(`Highest measured temperature ${when}.`, 5.2, 'without a measured temperature'),
  minTemp: temperature(`Lowest measured temperature ${when}.`, 2.75, 'without a measured temperature'),
  powerDuration: hours(`Power-on time ${when}. Unknown time counts nothing.`, 23.5),
  powerDayDuration: hours(`Power-on time ${when} that is within the daytime, \`COOLER_DAYTIME\`.`, 12),
  distance: number(
    `Mean distance of the position fixes ${when} from where the device is meant to stand. At most 2 decimals.`,
    {
      unit: 'metres',
      minimum: 0,
      nullWhen: 'without a fix',
      example: 12.08,
    },
  ),
  distanceMore: field(
    'integer',
    `1 where the unrounded mean distance is more than ${FLAGGED_MM / 1000} m, else 0, also without a fix. Unit: none.`,
    { enum: [0, 1], example: 0 },
  ),
})

const temperature = (description: string, example: number, nullWhen: string): Schema =>
  number(`${description} At most 2 decimals.`, { unit: '°C', nullWhen, example })

const hours = (description: string, example: number): Schema =>
  number(`${description} At most 4 decimals.`, { unit: 'hours', minimum: 0, example })
