import { CoolerError } from '../../base/errors.ts'
import type { FleetTask } from '../fleet/fleet-report.ts'
import { EntrySlices } from './entry-slices.ts'
import type { ExportFormat } from './formats.ts'
import { parametersOf } from './parameters.ts'
import type { ReportHead, ReportName, ReportWriter } from './report-writer.ts'

/** Which report is wanted as which file. */
export interface ExportTask {
  name: ReportName
  task: FleetTask
  format: ExportFormat
  /** Of CSV: whether it begins with a byte order mark. */
  withMark: boolean
  /** The report's JSON, where the asker has it already. */
  json?: string
}

/** What a thread reads of its store for a report: its JSON, and the rules it is made by. */
export interface ReadReport {
  json: Uint8Array
  rules: string | null
}

/** The next piece of a file; `isLast` where nothing comes after it. */
export interface ExportPiece {
  bytes: Uint8Array
  isLast: boolean
}

interface Session {
  slices: EntrySlices
  writer: ReportWriter
}

/**
 * Files that are being made, of one thread. Each is made from the report's JSON, so that its figures are the very same,
 * and a piece at a time, when it is asked for: who takes it slowly holds up no other task of the thread.
 *
 *     begin -> next -> next -> ... -> isLast
 *                 \-> end, where nobody wants the rest
 */
export class ExportSessions {
  readonly #sessions = new Map<number, Session>()
  #last = 0

  /** How many are being made. */
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

  /** @throws CoolerError `internal` where there is no such session, or not any more */
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

/** Each is loaded when it is needed first: most services make no files, and reports shall not wait for what they need. */
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
