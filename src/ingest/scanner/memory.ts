// Where everything is: memory that is laid out once, when the module is compiled, and never grows. What is not touched
// costs no memory.

/** Most bytes of lines that are scanned at once: small enough to stay in the processor's cache. */
export const WINDOW_BYTES: i32 = 262_144
/** Behind the lines, since some reads go beyond them. */
const PADDING_BYTES: i32 = 64
export const WINDOW: usize = memory.data(WINDOW_BYTES + PADDING_BYTES, 16)

/** Room for the rows of a window: a line that lands has more than 32 bytes, its names and marks alone have as many. */
export const MOST_ROWS: i32 = 8192
// The columns of raw/event-columns.ts, but `device` is the number of an id (ids.ts), and `at` an instant.
export const DEVICE: usize = memory.data(MOST_ROWS * 4, 16)
export const AT: usize = memory.data(MOST_ROWS * 8, 16)
export const KIND: usize = memory.data(MOST_ROWS, 16)
export const A: usize = memory.data(MOST_ROWS * 4, 16)
export const B: usize = memory.data(MOST_ROWS * 4, 16)
export const SEQ: usize = memory.data(MOST_ROWS * 8, 16)

/** Addresses of fixes: row, start and end in the window, as int32. */
export const ADDRESSES: usize = memory.data(MOST_ROWS * 12, 16)

/** Most ids that are known at once, and most bytes of all: what remembers must not fill the memory. */
export const MOST_IDS: i32 = 262_144
export const MOST_ID_BYTES: i32 = 16_777_216
/** Slots for each id, so that few are taken. */
export const SLOTS_PER_ID: i32 = 4
/** Open addressing: hash, then number of the id + 1, or 0; as uint32. */
export const SLOTS: usize = memory.data(MOST_IDS * SLOTS_PER_ID * 8, 16)
/** Of each id by its number: its hash, and where its bytes begin; they end where those of the next begin. */
export const ID_HASHES: usize = memory.data(MOST_IDS * 4, 16)
export const ID_STARTS: usize = memory.data((MOST_IDS + 1) * 4, 16)
export const ID_BYTES: usize = memory.data(MOST_ID_BYTES + PADDING_BYTES, 16)
