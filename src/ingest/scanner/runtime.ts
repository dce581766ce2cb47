// Functions that the host (scan-module.ts) supplies.

/** Returns the JSON number from `from` to `end` as JSON.parse reads it; NaN if its exponent has no digits. */
export declare function runtimeNumber(from: usize, end: usize): f64
