import { isUtf8 } from 'node:buffer'
import { millisecondsInDay } from '../../base/time.ts'
import { zoneName } from '../../base/zone.ts'
import { type CheckContext, checkEvent, headOf } from '../../event/check-event.ts'
import type { EventBatch } from '../../event/event-batch.ts'
import { EVENT_FIELDS } from '../../event/fields.ts'
import { fixedPoint } from '../../event/kept-values.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { type LandingResult, MAX_REJECTIONS } from '../landing-result.ts'
import { formatEvent, hasMoreLines, type RawEvent, readLines, requireFewLines } from '../read-batch.ts'
import { ADDRESS, AT, LAT, LON, TIMEZONE } from '../scanner/fields.ts'
import { deviceIds } from './scan-ids.ts'
import { scanModule } from './scan-module.ts'

const LINE_FEED = 0x0a

export interface ScanOptions {
  /** Most events; MAX_BATCH_EVENTS unless set. */
  most?: number | undefined
  /** Called with each rejected event. */
  onRejected?: ((event: RawEvent) => void) | undefined
}

/**
 * Checks newline-delimited JSON and adds it to a batch, as readLines and checkEvent do, but many times as fast.
 *
 * The scanner (scanner/scanner.ts) reads a line byte by byte into columns if it is certainly a good event. Any other
 * line, whether bad or only uncommon, goes through JSON.parse and checkEvent, which stay the authority.
 *
 * @throws CoolerError `batch-too-long` on more than `most` events; nothing has been added then.
 */
export function scanLines(
  bytes: Buffer,
  context: CheckContext,
  batch: EventBatch,
  { most = MAX_BATCH_EVENTS, onRejected }: ScanOptions = {},
): LandingResult {
  requireFewLines(bytes, most)
  if (mayHoldMore(bytes, most)) readLines(bytes, most)
  scanner ??= new LineScanner()
  return scanner.scan(bytes, { context, batch, onRejected, result: { landed: 0, rejected: 0, rejections: [] } })
}

/** The parameters and the result of one call of scanLines. */
interface Scan {
  context: CheckContext
  batch: EventBatch
  onRejected: ((event: RawEvent) => void) | undefined
  result: LandingResult
}

/** Made at its first use and kept as long as the thread lives. */
let scanner: LineScanner | null = null

class LineScanner {
  readonly #module = scanModule()
  readonly #ids = deviceIds()
  /** Lines are copied here to be scanned. A line that does not fit goes through JSON.parse. */
  readonly #window = this.#module.scanner.WINDOW.value
  readonly #mostBytes = this.#module.scanner.WINDOW_BYTES.value

  scan(bytes: Buffer, scan: Scan): LandingResult {
    const { landedAt, purgedBefore } = scan.context
    this.#module.scanner.setAges(landedAt + millisecondsInDay, purgedBefore)
    this.#ids.enter(scan.batch)
    for (let start = 0; start < bytes.length; ) {
      const end = windowEnd(bytes, start, this.#mostBytes)
      const lines = bytes.subarray(start, end)
      if (lines.length > this.#mostBytes) checkLine(lines, scan)
      else this.#scanWindow(lines, scan)
      start = end
    }
    return scan.result
  }

  #scanWindow(lines: Buffer, scan: Scan): void {
    const { scanner, bytes } = this.#module
    const start = this.#window
    const end = start + lines.length
    bytes.set(lines, start)
    // Ends the last line if it has no line feed, and stops every loop over bytes.
    bytes[end] = LINE_FEED
    scanner.setPlain(isUtf8(lines))
    for (let from = start; from < end; from = scanner.position.value) {
      const became = scanner.scan(from, end)
      this.#addRows(scan)
      if (became === scanner.IS_PLACEMENT.value) this.#addPlacement(scan)
      else if (became === scanner.ODD.value && scanner.isFull.value) this.#ids.forgetAll()
      else if (became === scanner.ODD.value) this.#checkLine(scan)
    }
  }

  /** Moves the scanner's rows and their addresses to the batch. */
  #addRows({ batch, result }: Scan): void {
    const { scanner, columns, addresses, bytes } = this.#module
    const rows = scanner.rows.value
    if (rows === 0) return
    const { device } = columns
    for (let row = 0; row < rows; row++) device[row] = this.#ids.indexOf(device[row], batch)
    for (let at = 0, end = scanner.addresses.value * 3; at < end; at += 3) {
      const address = bytes.toString('utf8', addresses[at + 1], addresses[at + 2])
      batch.addresses.set(batch.count + addresses[at], address)
    }
    batch.addRows(rows, columns)
    if (scanner.hasSeq.value) batch.hasSeq = true
    result.landed += rows
    scanner.clearRows()
    scanner.clearAddresses()
  }

  /** Adds the placement that the scanner has found, after checking its zone. */
  #addPlacement(scan: Scan): void {
    const { scanner, numbers } = this.#module
    const timezone = this.#textOf(TIMEZONE)
    const zone = timezone === null ? '' : zoneName(timezone)
    if (zone === null) {
      scanner.position.value = scanner.lineStart.value
      this.#checkLine(scan)
      return
    }
    scan.batch.placements.push({
      device: this.#ids.indexOf(scanner.device.value, scan.batch),
      at: numbers[AT],
      seq: scanner.seq.value,
      lat: fixedPoint(numbers[LAT], EVENT_FIELDS.placement.fields.lat.scale),
      lon: fixedPoint(numbers[LON], EVENT_FIELDS.placement.fields.lon.scale),
      zone,
      address: this.#textOf(ADDRESS) || null,
    })
    scan.result.landed++
  }

  /** Returns the text of a field, or null if the event has no text there. */
  #textOf(field: number): string | null {
    const { scanner, bytes, textStarts, textEnds } = this.#module
    const isText = (scanner.textual.value & (1 << field)) !== 0
    return isText ? bytes.toString('utf8', textStarts[field], textEnds[field]) : null
  }

  /** Checks the line at the scanner's position with JSON.parse and checkEvent. */
  #checkLine(scan: Scan): void {
    const { scanner, bytes } = this.#module
    const start = scanner.position.value
    const end = bytes.indexOf(LINE_FEED, start)
    checkLine(bytes.subarray(start, end), scan)
    scanner.position.value = end + 1
  }
}

/** Checks one line with JSON.parse and checkEvent. */
function checkLine(line: Buffer, { context, batch, onRejected, result }: Scan): void {
  // Without a limit: a batch was checked as a whole, and a file of the operator has none.
  const [event] = readLines(line, Number.MAX_SAFE_INTEGER)
  if (event === undefined) return
  const reason = checkEvent(event.value, context, batch)
  if (reason === null) {
    result.landed++
    return
  }
  batch.reject(reason, formatEvent(event), headOf(event.value))
  onRejected?.(event)
  if (result.rejections.length < MAX_REJECTIONS) {
    result.rejections.push({ index: result.landed + result.rejected, reason })
  }
  result.rejected++
}

/** Returns the end of the last line that ends within a window from `start`; if none does, the end of the first line. */
function windowEnd(bytes: Buffer, start: number, mostBytes: number): number {
  if (bytes.length - start <= mostBytes) return bytes.length
  const last = bytes.lastIndexOf(LINE_FEED, start + mostBytes - 1)
  if (last >= start) return last + 1
  const first = bytes.indexOf(LINE_FEED, start + mostBytes)
  return first < 0 ? bytes.length : first + 1
}

/** Tells whether there may be more than `most` events; only then do they have to be counted. */
const mayHoldMore = (bytes: Buffer, most: number): boolean => bytes.length > 0 && hasMoreLines(bytes, most)
