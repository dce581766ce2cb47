// What the host gives (scan-module.ts).

/** What JSON.parse makes of the JSON number from `from` to `end`; NaN where its exponent has no digits. */
export declare function runtimeNumber(from: usize, end: usize): f64
