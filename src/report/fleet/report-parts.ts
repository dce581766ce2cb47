import { formatDay } from '../../base/time.ts'

export type ReportName = 'daily' | 'summary'

/** A part of a report of many devices, made from one state of the store. */
export interface ReportPart {
  /** The entries, one after the other. */
  bytes: Uint8Array
  /** Holds the offset in `bytes` at which each entry ends. */
  ends: Int32Array
  /** By entry, ascending: the place of its device among all devices in the order of the report. */
  ranks: Int32Array
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

/** Puts the entries of all parts of a report in order, and returns the report. */
export function join(name: ReportName, task: { fromDay: number }, parts: readonly ReportPart[]): Uint8Array {
  const count = parts.reduce((sum, { ranks }) => sum + ranks.length, 0)
  const head = Buffer.from(headOf(name, task, count))
  const entryBytes = parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const report = Buffer.allocUnsafeSlow(head.length + entryBytes + Math.max(0, count - 1) + TAIL.length)
  let end = head.copy(report)
  const next = parts.map(() => 0)
  for (let entry = 0; entry < count; entry++) {
    if (entry > 0) report[end++] = COMMA
    const nth = leastOf(parts, next)
    const { bytes, ends } = parts[nth]
    const from = next[nth] === 0 ? 0 : ends[next[nth] - 1]
    const to = ends[next[nth]++]
    for (let index = from; index < to; index++) report[end++] = bytes[index]
  }
  report.write(TAIL, end)
  return report
}

const COMMA = 0x2c

/** Returns the part whose next entry comes first. */
function leastOf(parts: readonly ReportPart[], next: readonly number[]): number {
  let least = 0
  let leastRank = Infinity
  for (let nth = 0; nth < parts.length; nth++) {
    const rank = next[nth] < parts[nth].ranks.length ? parts[nth].ranks[next[nth]] : Infinity
    if (rank >= leastRank) continue
    least = nth
    leastRank = rank
  }
  return least
}
