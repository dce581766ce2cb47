import { displayWidth, truncate } from './display-width.ts'
import { printable } from './printable.ts'
import { spanText } from './span-text.ts'

export interface ProgressOptions {
  /** What is being done, such as `ingest telemetry.ndjson`; control characters are escaped. */
  label: string
  /** Total amount of work, 0 or more; unknown by default. */
  total?: number | undefined
  /** What is counted, in the plural: `events`. */
  unit: string
  /** Where the line is written; standard error by default. */
  stream?: ProgressStream
  /** Whether the stream can redraw a line; `stream.isTTY` by default. */
  isTerminal?: boolean
  /** A monotonic clock in ms; `performance.now` by default. */
  now?: () => number
}

export interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

export interface Progress {
  /** Sets the amount done so far, in the same unit as `total`. Cheap: redraws at most 10 times a second. */
  update(done: number): void
  /** Writes a final line with the amount done and the rate. Further calls do nothing. */
  finish(): void
}

const REDRAW_MS = 100
const USUAL_COLUMNS = 80
const LONGEST_BAR = 30
const SHORTEST_BAR = 8
const ERASE_LINE = '\r\u001b[2K'

/**
 * Shows the progress of a long task. On a terminal, redraws one line with bar, percentage, rate and remaining time
 * (count and rate if the total is unknown); elsewhere only `finish` writes a line. Starts no timer: progress is drawn
 * only in `update`.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { total, stream = process.stderr, now = () => performance.now() } = options
  const isTerminal = options.isTerminal ?? stream.isTTY === true
  const label = printable(options.label)
  const unit = printable(options.unit)
  const startedAt = now()
  let drawnAt = -Infinity
  let done = 0
  let finished = false
  return {
    update(count) {
      done = count
      if (!isTerminal || finished) return
      const at = now()
      if (at - drawnAt < REDRAW_MS) return
      drawnAt = at
      const state = { label, unit, total, done, elapsedMs: at - startedAt }
      // One column stays free: many terminals would wrap the line after the last column.
      stream.write(ERASE_LINE + runningLine(state, (stream.columns || USUAL_COLUMNS) - 1))
    },
    finish() {
      if (finished) return
      finished = true
      const line = finalLine({ label, unit, total, done, elapsedMs: now() - startedAt })
      stream.write(`${isTerminal ? ERASE_LINE : ''}${line}\n`)
    },
  }
}

interface State {
  label: string
  unit: string
  total: number | undefined
  done: number
  elapsedMs: number
}

function runningLine(state: State, columns: number): string {
  const { label, unit, total, done } = state
  const rate = rateText(state)
  if (total === undefined) return truncate(joinParts([`${label}: ${numberText(done)} ${unit}`, rate]), columns)
  const share = total > 0 ? Math.max(0, Math.min(1, done / total)) : 1
  const counts = `${numberText(done)} of ${numberText(total)} ${unit}`
  const text = joinParts([`${String(Math.floor(share * 100)).padStart(3)} %`, counts, rate, remainingText(state)])
  const room = columns - displayWidth(`${label}   ${text}`)
  const bar = room < SHORTEST_BAR ? '' : `${barText(share, Math.min(room, LONGEST_BAR))} `
  return truncate(`${label}  ${bar}${text}`, columns)
}

function finalLine(state: State): string {
  const { label, unit, total, done, elapsedMs } = state
  const of = total === undefined || total === done ? '' : ` of ${numberText(total)}`
  return joinParts([`${label}: ${numberText(done)}${of} ${unit} in ${spanText(elapsedMs)}`, rateText(state)])
}

function barText(share: number, width: number): string {
  const filled = Math.floor(share * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** Returns the average rate since the start; the empty text while nothing has been done. */
function rateText({ done, elapsedMs, unit }: State): string {
  if (done <= 0 || elapsedMs <= 0) return ''
  const rate = (done * 1000) / elapsedMs
  return `${rate < 10 ? rate.toFixed(1) : numberText(Math.round(rate))} ${unit}/s`
}

function remainingText({ total, done, elapsedMs }: State): string {
  if (total === undefined || done <= 0 || elapsedMs <= 0 || done >= total) return ''
  return `${spanText(((total - done) * elapsedMs) / done)} left`
}

const joinParts = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('  ')

const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

const numberText = (value: number): string => format.format(value)
