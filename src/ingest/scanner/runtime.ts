// What the host gives (scan-module.ts).

/** What JSON.parse makes of the JSON number from `from` to `end`; NaN where its exponent has no digits. */
export declare function runtimeNumber(from: usize, end: usize): f64

// The bounds of enqueue/telemetry-event.ts, in its units; of texts in bytes, since those with more are left to the host.

export declare const idBytes: i32
export declare const addressBytes: i32
export declare const celsiusMin: f64
export declare const celsiusMax: f64
export declare const latitudeMin: f64
export declare const latitudeMax: f64
export declare const longitudeMin: f64
export declare const longitudeMax: f64
export declare const doorCountMin: f64
export declare const doorCountMax: f64
export declare const visitorCountMin: f64
export declare const visitorCountMax: f64
export declare const worstAccuracy: f64
export declare const safeInteger: f64
export declare const earliestAt: f64
