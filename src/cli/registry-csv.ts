import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { CoolerError } from '../base/errors.ts'
import { isLabelKey, type Labels, labelOf } from '../base/labels.ts'
import { plainDegrees } from '../base/rounding.ts'
import { formatInstant } from '../base/time.ts'
import { NO_SEQ } from '../event/event-columns.ts'
import { type Field, fieldsOf, SEQ } from '../event/fields.ts'
import type { Placement } from '../event/placement.ts'
import { changeOf, type PutDevice } from '../ingest/device-change.ts'
import { csvText, textOfCsv } from '../report/export/csv-text.ts'
import type { Device, RegistryReads } from '../store/registry.ts'
import type { CsvOptions } from './csv-options.ts'
import { type CsvFile, type CsvRow, openCsv } from './csv-rows.ts'

const PLACEMENT_FIELDS: Readonly<Record<string, Field>> = { seq: SEQ, ...fieldsOf('placement') }
const PLACEMENT_COLUMNS = ['at', ...Object.keys(PLACEMENT_FIELDS)]
/**
 * Columns of the registry as CSV. A device has a line for each placement, or one line without a placement if it has
 * none. `retired` is true or false; `at` is RFC 3339. Further columns are labels, such as `label:route`; an empty cell
 * means that the device has no such label. A file without a column of a label leaves that label as it is.
 */
const COLUMNS = ['deviceId', 'retired', ...PLACEMENT_COLUMNS]

const LABEL_COLUMN = 'label:'

type Row = Readonly<Record<string, string | null>>

const PAGE = 1000

/** Writes the whole registry as CSV. */
export async function writeRegistry(registry: RegistryReads, out: Writable): Promise<void> {
  const write = async (text: string): Promise<void> => {
    if (!out.write(text)) await once(out, 'drain')
  }
  const keys = new Set<string>()
  for await (const devices of pagesOf(registry))
    for (const { labels } of devices) for (const key of Object.keys(labels)) keys.add(key)
  const labelKeys = [...keys].sort()
  await write(`${[...COLUMNS, ...labelKeys.map((key) => LABEL_COLUMN + key)].join(',')}\r\n`)
  for await (const devices of pagesOf(registry)) {
    const placements = await registry.placements(devices.map(({ number }) => number))
    await write(devices.map((device) => linesOf(device, placements.get(device.number) ?? [], labelKeys)).join(''))
  }
}

async function* pagesOf(registry: RegistryReads): AsyncGenerator<Device[]> {
  for (let after: string | null = null; ; ) {
    const devices: Device[] = await registry.devicesAfter(after, PAGE)
    yield devices
    if (devices.length < PAGE) return
    after = devices[devices.length - 1].id
  }
}

function linesOf(
  { id, retiredAt, labels }: Device,
  placements: readonly Placement[],
  labelKeys: readonly string[],
): string {
  const tail = labelKeys.map((key) => csvCell(labelOf(labels, key)))
  const head = [csvText(id), String(retiredAt !== null)]
  const lines = placements.map(({ at, seq, lat, lon, zone, address }) => {
    const cells: Record<string, string> = {
      at: formatInstant(at),
      seq: seq === NO_SEQ ? '' : String(seq),
      lat: plainDegrees(lat),
      lon: plainDegrees(lon),
      timezone: zone,
      address: csvCell(address),
    }
    return [...head, ...PLACEMENT_COLUMNS.map((name) => cells[name])]
  })
  const all = lines.length > 0 ? lines : [[...head, ...PLACEMENT_COLUMNS.map(() => '')]]
  return all.map((fields) => `${[...fields, ...tail].join(',')}\r\n`).join('')
}

const csvCell = (text: string | null): string => (text === null ? '' : csvText(text))

/**
 * Puts each device of a CSV file into the registry and returns the number of devices. The lines of a device need not be
 * adjacent. All lines are read and checked before the first change.
 *
 * @throws CoolerError `bad-request` that names the line
 */
export async function importRegistry(
  file: string,
  options: CsvOptions,
  registry: Pick<RegistryReads, 'devicesOf'>,
  put: PutDevice,
  now: number,
): Promise<number> {
  const csv = await openCsv(file, options, COLUMNS)
  const devices = await readDevices(csv).finally(() => csv.close())
  const known = new Map((await registry.devicesOf([...devices.keys()])).map((one) => [one.id, one]))
  const changes: Parameters<PutDevice>[0][] = []
  for (const [id, { retired, placements, labels, line }] of devices) {
    // A device that is already retired keeps its time of retirement.
    const isNew = ((known.get(id)?.retiredAt ?? null) !== null) !== retired
    const relabelled =
      Object.keys(labels).length === 0 ? {} : { labels: mergeLabels(known.get(id)?.labels ?? {}, labels) }
    try {
      changes.push({ id, change: changeOf(id, { placements, ...(isNew ? { retired } : {}), ...relabelled }, now), now })
    } catch (error) {
      throw wrong(line, (error as Error).message)
    }
  }
  for (const change of changes) await put(change)
  return changes.length
}

/** Returns labels with those of some keys replaced, or removed by null. */
const mergeLabels = (labels: Labels, changes: Row): Record<string, string | null> =>
  Object.fromEntries(Object.entries({ ...labels, ...changes }).filter(([, value]) => value !== null))

interface DeviceLines {
  retired: boolean
  placements: unknown[]
  /** Its labels by key, for each column of a label; null for none. */
  labels: Row
  /** The first line of the device. */
  line: number
}

async function readDevices(csv: CsvFile): Promise<Map<string, DeviceLines>> {
  const devices = new Map<string, DeviceLines>()
  const labelKeys = labelKeysOf(csv.columns)
  for await (const row of csv.rows()) {
    const { line } = row
    const { deviceId, retired, placement } = checkedRow(row, csv)
    const labels = labelsOf(row, labelKeys)
    const id = textOfCsv(deviceId)
    const device = devices.get(id) ?? { retired, placements: [], labels, line }
    if (device.retired !== retired) throw wrong(line, `retired is not what line ${device.line} says of this device`)
    for (const { key } of labelKeys)
      if (device.labels[key] !== labels[key])
        throw wrong(line, `label ${key} is not what line ${device.line} says of this device`)
    devices.set(id, device)
    if (placement.at !== null) device.placements.push(placementOf(placement))
    else if (Object.values(placement).some((value) => value !== null)) throw wrong(line, 'at is missing')
  }
  return devices
}

interface LabelColumn {
  key: string
  place: number
}

/** Finds the columns of labels. @throws CoolerError `bad-request` for an invalid key, or one that has two columns */
function labelKeysOf(columns: readonly string[]): LabelColumn[] {
  const found: LabelColumn[] = []
  for (const [place, column] of columns.entries()) {
    if (!column.startsWith(LABEL_COLUMN)) continue
    const key = column.slice(LABEL_COLUMN.length)
    if (!isLabelKey(key))
      throw new CoolerError('bad-request', `the column ${JSON.stringify(column)} names no key of a label`)
    if (found.some((one) => one.key === key)) throw new CoolerError('bad-request', `it has two columns ${column}`)
    found.push({ key, place })
  }
  return found
}

function labelsOf({ cells }: CsvRow, columns: readonly LabelColumn[]): Row {
  const labelIn = (cell = ''): string | null => (cell.trim() === '' ? null : textOfCsv(cell))
  return Object.fromEntries(columns.map(({ key, place }) => [key, labelIn(cells[place])]))
}

function checkedRow(
  { cells, line }: CsvRow,
  { columns, places }: CsvFile,
): { deviceId: string; retired: boolean; placement: Row } {
  if (cells.length > columns.length)
    throw wrong(line, `it has ${cells.length} fields, but there are ${columns.length} columns`)
  const cellOf = (name: string): string | null => {
    const cell = cells[places.get(name) as number] ?? ''
    return cell.trim() === '' ? null : cell
  }
  const [deviceId, retired] = [cellOf('deviceId'), cellOf('retired')]
  if (deviceId === null) throw wrong(line, 'deviceId is missing')
  if (retired !== 'true' && retired !== 'false') throw wrong(line, 'retired must be true or false')
  const placement = Object.fromEntries(PLACEMENT_COLUMNS.map((name) => [name, cellOf(name)]))
  return { deviceId, retired: retired === 'true', placement }
}

/** Returns the placement of a row in the form that `PUT /v1/devices/{id}` takes. */
function placementOf(row: Row): Record<string, unknown> {
  const placement: Record<string, unknown> = { at: row.at }
  for (const [name, { kind }] of Object.entries(PLACEMENT_FIELDS)) {
    const cell = row[name]
    if (cell === null) continue
    if (kind === 'text') placement[name] = textOfCsv(cell)
    else placement[name] = kind !== 'timezone' && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell
  }
  return placement
}

const wrong = (line: number, what: string): CoolerError => new CoolerError('bad-request', `line ${line}: ${what}`)
