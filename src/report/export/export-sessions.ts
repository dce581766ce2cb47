import { CoolerError } from '../../base/errors.ts'
import type { FleetTask } from '../fleet/fleet-report.ts'
import { COLUMNS } from './columns.ts'
import { EntrySlices } from './entry-slices.ts'
import { FiguresDigest } from './figures-digest.ts'
import type { ExportFormat } from './formats.ts'
import { parametersOf } from './parameters.ts'
import type { Parameter, ReportHead, ReportName, ReportWriter } from './report-writer.ts'

/** A report to make as a file. */
export interface ExportTask {
  name: ReportName
  task: FleetTask
  format: ExportFormat
  /** Whether a CSV file begins with a byte order mark. */
  withMark: boolean
  /** How the devices were selected, if that says more than the ids of the task. */
  selection?: readonly Parameter[]
  /** The report's JSON, if the caller has it already. */
  json?: string
}

/** A report as read from the store: its JSON, and the rules by which it is made. */
export interface ReadReport {
  json: Uint8Array
  rules: string | null
}

/** The next piece of a file; `isLast` if nothing comes after it. */
export interface ExportPiece {
  bytes: Uint8Array
  isLast: boolean
  /** Of a report, with the last piece: see FiguresDigest. */
  digest?: string
}

/** What a file is made from: the entries slice by slice, then null. */
export interface Slices<Entry> {
  next(): readonly Entry[] | null
}

type Digest<Entry> = Pick<FiguresDigest, 'end'> & { add(entries: readonly Entry[]): void }

/** Makes the next piece of a file. */
type Session = () => ExportPiece

/**
 * The files that one thread is making. A report is made from its JSON, so that its figures are the same. Each is made one
 * piece at a time, on request, so that a slow reader delays no other task of the thread.
 *
 *     begin -> next -> next -> ... -> isLast
 *                 \-> end, if nobody wants the rest
 */
export class ExportSessions {
  readonly #sessions = new Map<number, Session>()
  #last = 0

  /** The number of files being made. */
  get size(): number {
    return this.#sessions.size
  }

  async begin({ name, task, selection, ...form }: ExportTask, { json, rules }: ReadReport): Promise<number> {
    const slices = new EntrySlices(json)
    const { deviceCount } = slices
    const parameters = parametersOf(name, task, deviceCount, rules, selection)
    const { fromDay, toDay } = task
    const head = { columns: COLUMNS[name], fromDay, toDay, deviceCount, parameters }
    return this.beginWith(slices, head, { ...form, digest: new FiguresDigest(name, task) })
  }

  /** Begins a file of any entries; returns its session number. */
  async beginWith<Entry>(
    slices: Slices<Entry>,
    head: ReportHead<Entry>,
    { format, withMark, digest }: Pick<ExportTask, 'format' | 'withMark'> & { digest?: Digest<Entry> },
  ): Promise<number> {
    const writer = await writerOf(format, head, withMark)
    const number = ++this.#last
    this.#sessions.set(number, () => {
      const entries = slices.next()
      if (entries === null) {
        writer.end()
        return { bytes: writer.take(), isLast: true, ...(digest === undefined ? {} : { digest: digest.end() }) }
      }
      writer.add(entries)
      digest?.add(entries)
      return { bytes: writer.take(), isLast: false }
    })
    return number
  }

  /** Returns the next piece of a file. @throws CoolerError `internal` if the session does not exist or has ended */
  next(number: number): ExportPiece {
    const session = this.#sessions.get(number)
    if (session === undefined) throw new CoolerError('internal', 'this file is not being made any more')
    const piece = session()
    if (piece.isLast) this.#sessions.delete(number)
    return piece
  }

  end(number: number): void {
    this.#sessions.delete(number)
  }
}

/** Loads each writer on first use: most services make no files, and reports should not wait for its modules to load. */
async function writerOf<Entry>(
  format: ExportFormat,
  head: ReportHead<Entry>,
  withMark: boolean,
): Promise<ReportWriter<Entry>> {
  switch (format) {
    case 'csv':
      return new (await import('./csv-writer.ts')).CsvWriter(head, withMark)
    case 'xlsx':
      return new (await import('./xlsx-writer.ts')).XlsxWriter(head)
    case 'parquet':
      return new (await import('./parquet-writer.ts')).ParquetReportWriter(head)
  }
}
