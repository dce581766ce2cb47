import { formatDay } from '../../base/time.ts'

export type ReportName = 'daily' | 'summary'

/** A part of a report of many devices, made from one state of the store. */
export interface ReportPart {
  /** The entries, with commas between them. */
  bytes: Uint8Array
  /** Number of entries. */
  count: number
  /** As in Answer. */
  until: number
  /** The state of the store (RollupReads.reportVersion). Parts of different states must not be put together. */
  version: string
}

export const TAIL = ']}}'

/** Returns the text before the entries of a report. */
export function headOf(name: ReportName, { fromDay }: { fromDay: number }, count: number): string {
  const day = name === 'daily' ? `"day":${formatDay(fromDay)},` : ''
  return `{"status":200,"message":"OK","data":{${day}"deviceCount":${count},"deviceStatusList":[`
}

/** Puts a report together from its parts, in their order. */
export function join(name: ReportName, task: { fromDay: number }, parts: readonly ReportPart[]): Uint8Array {
  const filled = parts.filter((part) => part.count > 0)
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const head = Buffer.from(headOf(name, task, count))
  const pieces = filled.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]))
  const length = pieces.reduce((sum, piece) => sum + piece.length, head.length + TAIL.length)
  // Not from the pool: the bytes are moved to another thread.
  const report = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const piece of [head, ...pieces, Buffer.from(TAIL)]) {
    report.set(piece, end)
    end += piece.length
  }
  return report
}

const COMMA = Buffer.from(',')
