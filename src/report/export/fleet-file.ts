import type { FleetLine } from '../fleet/fleet-cells.ts'
import type { FleetListTask, FleetPage } from '../fleet/fleet-page.ts'
import type { ExportTask } from './export-sessions.ts'
import { fleetColumns } from './fleet-columns.ts'
import { originParameters } from './parameters.ts'
import type { Parameter, ReportHead } from './report-writer.ts'

/** A list of the fleet to make as a file, whole. */
export interface FleetFileTask extends Pick<ExportTask, 'format' | 'withMark'> {
  task: FleetListTask
}

/** Returns what a file of a list says before its entries. `rules` are those of the store, null before the first rollup. */
export function fleetHead(
  { fromDay, toDay, ...task }: FleetListTask,
  { indexes, labelKeys }: Pick<FleetPage, 'indexes' | 'labelKeys'>,
  rules: string | null,
): ReportHead<FleetLine> {
  const { search, timezone, labels = [], exception, status, unknown } = task
  const asked = Object.entries({ search, timezone, exception, status, unknown }).flatMap(
    ([name, value]): Parameter[] =>
      value === undefined || value === '' ? [] : [{ name, value, meaning: 'which devices were asked for' }],
  )
  const parameters: Parameter[] = [
    { name: 'report', value: 'fleet', meaning: 'the devices on a day or in a range of days' },
    { name: 'fromDay', value: { epochDay: fromDay }, meaning: 'the first day of the range' },
    { name: 'toDay', value: { epochDay: toDay }, meaning: 'the last day of the range; both end days count' },
    ...asked,
    ...labels.map(
      ([key, value]): Parameter => ({
        name: 'label',
        value: `${key}:${value}`,
        meaning: 'which devices were asked for',
      }),
    ),
    { name: 'sort', value: task.sort, meaning: 'the column by which devices are sorted' },
    { name: 'order', value: task.descending ? 'desc' : 'asc', meaning: 'ascending or descending' },
    { name: 'deviceCount', value: indexes.length, meaning: 'devices that match' },
    ...originParameters(task.now, rules),
  ]
  return { columns: fleetColumns(labelKeys), fromDay, toDay, deviceCount: indexes.length, parameters }
}
