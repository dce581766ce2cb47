// Scans lines of events straight into columns. This is a WebAssembly module, compiled by AssemblyScript, whose host is
// scan-module.ts. It reads the usual shapes of an event, several times as fast as the same code in JavaScript.
// All other lines are left to the host.

import { idEnd, NO_ID, scanId } from './ids'
import { IS_PLACEMENT, LANDED, land, ODD } from './land'
import { scanLine } from './line'
import { skipBlanks } from './skip'

export { forgetIds, isFull } from './ids'
export { instantEnd, scanInstant } from './instant'
export { addresses, clearAddresses, seq, setAges } from './land'
export { device, NUMBERS, TEXT_ENDS, TEXT_STARTS, textual } from './line'
export {
  A,
  ADDRESSES,
  AT,
  B,
  DEVICE,
  ID_BYTES,
  ID_STARTS,
  KIND,
  MOST_ROWS,
  SEQ,
  WINDOW,
  WINDOW_BYTES,
} from './memory'
export { numberEnd, scanNumber } from './number'
export { clearRows, hasSeq, rows } from './rows'
export { setPlain } from './skip'
export { IS_PLACEMENT, NO_ID, ODD }

const LINE_FEED: u8 = 0x0a
const QUOTE: u8 = 0x22

/** Where to continue: after the line that was scanned last, or at the start of that line if it was odd. */
export let position: usize = 0
/** The start of the line that was scanned last. */
export let lineStart: usize = 0

/**
 * Scans the lines from `from` to `end` and stops at the first that does not land. Every line ends with a line feed.
 * Returns LANDED if all landed, IS_PLACEMENT after a placement, or ODD at a line for JSON.parse and checkEvent. The host then continues.
 */
export function scan(from: usize, end: usize): i32 {
  position = from
  while (position < end) {
    const start = skipBlanks(position)
    if (load<u8>(start) === LINE_FEED) {
      position = start + 1
      continue
    }
    lineStart = start
    const next = scanLine(start)
    const became = next === 0 ? ODD : land()
    position = became === ODD ? start : next
    if (became !== LANDED) return became
  }
  return LANDED
}

/** Returns the number of the id whose UTF-8 is in the window from `from` to `end`; NO_ID if it cannot have a number. */
export function idOf(from: usize, end: usize): i32 {
  const behind = load<u8>(end)
  store<u8>(end, QUOTE)
  const id = scanId(from)
  store<u8>(end, behind)
  return idEnd === end + 1 ? id : NO_ID
}
