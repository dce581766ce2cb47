// Rendered from event/fields.ts by scan/render-scanner.ts: not to be edited.

// The fields that an event may have, numbered; OTHER is any that is ignored.
export const OTHER = 0
export const DEVICE_ID = 1
export const AT = 2
export const TYPE = 3
export const SEQ = 4
export const OPEN = 5
export const COUNT = 6
export const CELSIUS = 7
export const SETPOINT = 8
export const ON = 9
export const LAT = 10
export const LON = 11
export const ACCURACY = 12
export const ADDRESS = 13
export const TOTAL = 14
export const TIMEZONE = 15
export const FIELDS = 16
