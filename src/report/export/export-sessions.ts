import { CoolerError } from '../../base/errors.ts'
import type { FleetTask } from '../fleet/fleet-report.ts'
import { EntrySlices } from './entry-slices.ts'
import type { ExportFormat } from './formats.ts'
import { parametersOf } from './parameters.ts'
import type { ReportHead, ReportName, ReportWriter } from './report-writer.ts'

/** A report to make as a file. */
export interface ExportTask {
  name: ReportName
  task: FleetTask
  format: ExportFormat
  /** Whether a CSV file begins with a byte order mark. */
  withMark: boolean
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
}

interface Session {
  slices: EntrySlices
  writer: ReportWriter
}

/**
 * The files that one thread is making. Each is made from the report's JSON, so that its figures are the same, and one
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

  async begin({ name, task, format, withMark }: ExportTask, { json, rules }: ReadReport): Promise<number> {
    const slices = new EntrySlices(json)
    const { deviceCount } = slices
    const parameters = parametersOf(name, task, deviceCount, rules)
    const head = { name, fromDay: task.fromDay, toDay: task.toDay, deviceCount, parameters }
    const writer = await writerOf(format, head, withMark)
    const session = ++this.#last
    this.#sessions.set(session, { slices, writer })
    return session
  }

  /** Returns the next piece of a file. @throws CoolerError `internal` if the session does not exist or has ended */
  next(number: number): ExportPiece {
    const session = this.#sessions.get(number)
    if (session === undefined) throw new CoolerError('internal', 'this file is not being made any more')
    const { slices, writer } = session
    const entries = slices.next()
    if (entries === null) {
      writer.end()
      this.#sessions.delete(number)
    } else {
      writer.add(entries)
    }
    return { bytes: writer.take(), isLast: entries === null }
  }

  end(number: number): void {
    this.#sessions.delete(number)
  }
}

/** Loads each writer on first use: most services make no files, and reports should not wait for its modules to load. */
async function writerOf(format: ExportFormat, head: ReportHead, withMark: boolean): Promise<ReportWriter> {
  switch (format) {
    case 'csv':
      return new (await import('./csv-writer.ts')).CsvWriter(head, withMark)
    case 'xlsx':
      return new (await import('./xlsx-writer.ts')).XlsxWriter(head)
    case 'parquet':
      return new (await import('./parquet-writer.ts')).ParquetReportWriter(head)
  }
}
