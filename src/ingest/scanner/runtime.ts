// What the host gives: scan-module.ts, of the package in which these files are.

/** What JSON.parse makes of the bytes from `from` to `end`, which are a JSON number but for an exponent without digits: NaN then. */
export declare function runtimeNumber(from: usize, end: usize): f64

// The bounds of enqueue/telemetry-event.ts, in its units.

export declare const idBytes: i32
export declare const addressBytes: i32
export declare const celsiusMin: f64
export declare const celsiusMax: f64
export declare const doorCountMin: f64
export declare const doorCountMax: f64
export declare const visitorCountMax: f64
export declare const worstAccuracy: f64
export declare const safeInteger: f64
export declare const earliestAt: f64
