import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { writeDurably } from '../base/durable-file.ts'
import { formatLabels } from '../base/labels.ts'
import { EntrySlices } from '../report/export/entry-slices.ts'
import { FiguresDigest } from '../report/export/figures-digest.ts'
import type { Parameter, ReportName } from '../report/export/report-writer.ts'
import type { ReportSource } from '../report/replicated-reports.ts'
import type { ReportTask } from '../report/reports.ts'
import type { Period } from './periods.ts'
import type { ReportSubscription, Selection } from './subscription.ts'

/** Dependencies of writeReport. */
export interface ReportParts {
  reports: Pick<ReportSource, 'choose' | 'daily' | 'summary' | 'file'>
  /** The time of the store, epoch ms. */
  now: () => number
}

/** The parts of a subscription that its file depends on. */
export type ReportOf = Pick<ReportSubscription, 'devices' | 'format' | 'every'>

export interface WrittenReport {
  bytes: number
  /** See FiguresDigest: the same as long as no device and no figure of the report changes, in whatever format. */
  digest: string
  /** Whether all days of the report were settled when it was made; see isSettled. */
  isSettled: boolean
}

/**
 * Writes the report of a period to a file, a piece at a time: the report of a day, or the summary of a week or a month.
 * The file gets its name when it is complete and on disk.
 *
 * @throws CoolerError `store-busy` if too many files are being made; as the reports
 */
export async function writeReport(
  { reports, now }: ReportParts,
  { devices = {}, format, every }: ReportOf,
  { fromDay, toDay }: Period,
  path: string,
): Promise<WrittenReport> {
  const { ids, isSettled, version } = await reports.choose({ selection: devices, fromDay, toDay })
  const name: ReportName = every === 'day' ? 'daily' : 'summary'
  const task = { fromDay, toDay, now: now(), within: null, since: version, ...(ids === null ? {} : { ids }) }
  const partial = `${path}.partial`
  await rm(partial, { force: true }) // Left by a crash.
  if (format === 'json') {
    const json = new JsonReport(name, task, await reports[name](task))
    const bytes = await writeDurably(Readable.from(json.pieces()), path, { partial })
    return { bytes, digest: json.digest(), isSettled }
  }
  const selection = selectionParameters(devices)
  const file = await reports.file({ name, task, format, withMark: false, ...(selection === null ? {} : { selection }) })
  const bytes = await writeDurably(file, path, { partial })
  return { bytes, digest: requireDigest(file.digest), isSettled }
}

/** Tells whether all days of a period are settled, for all devices of a subscription; see chooseDevices. */
export async function isSettled(
  { reports }: Pick<ReportParts, 'reports'>,
  { devices = {} }: Pick<ReportOf, 'devices'>,
  { fromDay, toDay }: Period,
): Promise<boolean> {
  return (await reports.choose({ selection: devices, fromDay, toDay })).isSettled
}

function requireDigest(digest: string | null): string {
  if (digest === null) throw new Error('this file is not a report')
  return digest
}

/** Returns the parameters of a selection that a file records, or null if the list of ids is enough. */
function selectionParameters({ ids, prefix, timezone, labels }: Selection): Parameter[] | null {
  const parts: [name: string, value: string | undefined][] = [
    ['prefix', prefix],
    ['timezone', timezone],
    ...formatLabels(labels ?? {}).map((label): [string, string] => ['label', label]),
  ]
  const given = parts.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value, meaning: MEANING }]))
  if (given.length === 0) return null
  return ids === undefined ? given : [{ name: 'assertIds', value: ids, meaning: MEANING }, ...given]
}

const MEANING = 'the devices that were asked for'

const PIECE_BYTES = 2 ** 18

/** The answer of the API as a file. It is read twice, for its bytes and for its figures, in turns with other work. */
class JsonReport {
  readonly #json: Buffer
  readonly #slices: EntrySlices
  readonly #digest: FiguresDigest

  constructor(name: ReportName, task: ReportTask, json: string | Uint8Array) {
    this.#json = typeof json === 'string' ? Buffer.from(json) : Buffer.from(json.buffer, json.byteOffset, json.length)
    this.#slices = new EntrySlices(this.#json)
    this.#digest = new FiguresDigest(name, task)
  }

  *pieces(): Generator<Buffer> {
    for (let from = 0; from < this.#json.length; from += PIECE_BYTES) {
      yield this.#json.subarray(from, from + PIECE_BYTES)
      this.#digest.add(this.#slices.next() ?? [])
    }
  }

  digest(): string {
    for (let entries = this.#slices.next(); entries !== null; entries = this.#slices.next()) this.#digest.add(entries)
    return this.#digest.end()
  }
}
