import { ExportSessions } from '../../../src/report/export/export-sessions.ts'
import type { ExportFormat } from '../../../src/report/export/formats.ts'
import type { ReportName } from '../../../src/report/export/report-writer.ts'
import type { ReportTask } from '../../../src/report/reports.ts'

export interface FileWish {
  name: ReportName
  /** Epoch days. */
  fromDay: number
  toDay: number
  json: string
  format: ExportFormat
  withMark?: boolean
  task?: Partial<ReportTask>
  rules?: string | null
}

/** A file, made from the report's JSON as a thread makes it. */
export async function makeFile({ name, fromDay, toDay, json, format, ...wish }: FileWish): Promise<Buffer> {
  const sessions = new ExportSessions()
  const task = { fromDay, toDay, within: null, now: 0, ...wish.task }
  const report = { json: Buffer.from(json), rules: wish.rules ?? null }
  const session = await sessions.begin({ name, task, format, withMark: wish.withMark ?? false }, report)
  const pieces: Uint8Array[] = []
  for (let isLast = false; !isLast; ) {
    const piece = sessions.next(session)
    pieces.push(piece.bytes)
    isLast = piece.isLast
  }
  if (sessions.size > 0) throw new Error('a file that is made is still being made')
  return Buffer.concat(pieces)
}
