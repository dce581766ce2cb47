/** Reference of mappings and examples, for the help of `cooler import`. */
export const IMPORT_EXAMPLES = `
A mapping names a column for each field, and says how it is written:
  { "deviceId": "serial",
    "at": { "from": ["date", "time"], "format": "pattern", "pattern": "dd.MM.yyyy HH:mm:ss", "timezone": "Europe/Berlin" },
    "decimalComma": true,
    "events": [ { "type": "temperature", "celsius": { "from": "temp", "unit": "fahrenheit" } },
                { "type": "door", "when": { "from": "kind", "equals": "D" }, "count": "value" } ] }

  deviceId      a column, or { "value": "CLR-1" } for all rows
  at.format     rfc3339 (unless given), epoch-seconds, epoch-milliseconds, local (2026-11-20 08:00:00), excel-serial,
                pattern (date-fns tokens); the last three are of "timezone": an IANA name, or "+01:00" for a clock that
                is never changed. In the hour that comes twice when clocks go back, the rows of a device are taken in
                their order; "repeated": "first" or "second" decides otherwise. { "received": true }: rows have no time
  fields        "scale" and "offset" first, then "unit": fahrenheit, kelvin, feet; "true" and "false" list texts
  when          equals, notEquals, above, below: which rows make the event; a list of conditions must hold in whole
  decimalComma  3,5 and 1.234,5

Examples:
  cooler import readings.csv --mapping mapping.json --dry-run
  cooler import *.csv.gz --mapping mapping.json --delimiter ';' --encoding windows-1252
  cooler import log.txt --mapping mapping.json --skip-lines 4 --columns time,temp --delimiter '\\t'

It ends with 1 if a file cannot be read (then nothing has landed), or if rows were rejected or made no event (the rest has
landed; see cooler rejects, and --allow-rejects).
`
