// The layout of the module's memory. It is fixed when the module is compiled and never grows. Pages that are never
// touched cost no memory.

/** Most bytes of lines that are scanned at once; few enough to stay in the processor's cache. */
export const WINDOW_BYTES: i32 = 262_144
/** Space after the lines and the ids, because some reads go past their end. */
const PADDING_BYTES: i32 = 64
export const WINDOW: usize = memory.data(WINDOW_BYTES + PADDING_BYTES, 16)

/** Most rows of a window. A line that lands has more than 32 bytes: its names and punctuation alone take as many. */
export const MOST_ROWS: i32 = 8192
// The columns of event/event-columns.ts, except that `device` is the number of an id (ids.ts) and `at` is an instant.
export const DEVICE: usize = memory.data(MOST_ROWS * 4, 16)
export const AT: usize = memory.data(MOST_ROWS * 8, 16)
export const KIND: usize = memory.data(MOST_ROWS, 16)
export const A: usize = memory.data(MOST_ROWS * 4, 16)
export const B: usize = memory.data(MOST_ROWS * 4, 16)
export const SEQ: usize = memory.data(MOST_ROWS * 8, 16)

/** Addresses of fixes: row, start and end in the window, as int32. */
export const ADDRESSES: usize = memory.data(MOST_ROWS * 12, 16)

/** Most ids that are known at once, and most bytes of all ids together, so that they cannot fill the memory. */
export const MOST_IDS: i32 = 262_144
export const MOST_ID_BYTES: i32 = 16_777_216
/** Slots per id: several, so that most slots are free and searches stay short. */
export const SLOTS_PER_ID: i32 = 4
/** A hash table with open addressing. A slot is two uint32: the hash, and the id's number + 1, or 0 if free. */
export const SLOTS: usize = memory.data(MOST_IDS * SLOTS_PER_ID * 8, 16)
/** By id number: the hash of the id, and where its bytes begin. They end where the next id begins. */
export const ID_HASHES: usize = memory.data(MOST_IDS * 4, 16)
export const ID_STARTS: usize = memory.data((MOST_IDS + 1) * 4, 16)
export const ID_BYTES: usize = memory.data(MOST_ID_BYTES + PADDING_BYTES, 16)
