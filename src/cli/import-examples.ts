/** Reference of mappings and examples, for the help of `cooler import`. */
export const IMPORT_EXAMPLES = `
A mapping says which columns make which events, and how they are written:
  { "deviceId": "serial",
    "at": { "from": ["date", "time"], "format": "pattern", "pattern": "dd.MM.yyyy HH:mm:ss", "timezone": "Europe/Berlin" },
    "decimalComma": true,
    "events": [ { "type": "temperature", "celsius": { "from": "temp", "unit": "fahrenheit" } },
                { "type": "door", "open": { "from": "door", "true": ["offen"], "false": ["zu"] } },
                { "type": "door", "when": { "from": "kind", "equals": "D" }, "count": "value" } ] }

A string names a column; { "value": ... } is a constant. A row becomes one event for each entry that has at least one of its
fields filled. A value that cannot be read as its field requires is passed on unchanged, and the event is rejected.

  deviceId      a column, or { "value": "CLR-1" } for all rows
  at.from       a column, or a list of columns whose texts are joined by a blank
  at.format     rfc3339 (the default; also +02 or +0200), epoch-seconds, epoch-milliseconds, local (2026-11-20 08:00:00),
                excel-serial, or pattern with a "pattern" of date-fns tokens (https://date-fns.org/docs/parse). Digits after
                milliseconds are cut; an Excel serial is rounded to milliseconds
  at.timezone   zone of the last three formats: an IANA name, or "+01:00" for a clock that nobody changes; UTC by default.
                A time in a skipped hour is rejected (bad-at)
  at.repeated   which pass of a repeated hour, "first" or "second". By default the order of a device's rows decides: the
                first time that is earlier than the one before it begins the second pass (newest rows first: reversed)
  at            { "received": true }: rows have no time. Each row counts, and counts again if the file is imported again
  numbers       "scale", then "offset", then "unit" (fahrenheit, kelvin, feet), in decimal arithmetic: 70 x 0.1 is 7
  booleans      "true" and "false" list texts, in any letter case
  when          { "from": ... } with equals or notEquals (the text; 1 equals "1"), above or below (the number), or a list of
                these that must all hold: only such rows make the event
  decimalComma  3,5 and 1.234,5: a point separates thousands, and only before groups of three

Files:
  encoding      by --encoding, else by the byte order mark, else UTF-8; invalid bytes, or a NUL, stop the import
  delimiter     by --delimiter, else by a line sep=, else recognised: , ; | or a tab
  header        a mapped column that is missing, or present twice, stops the import; blanks around names do not count
  rows          a row with more fields than the header is rejected (bad-row) with its file and line; missing cells at the end
                of a row are blank; a blank cell is no value; a stray quote within a field is part of the text
  check         all rows are checked before the first one lands; standard input and gzip are copied to a temporary file for it

Examples:
  cooler import readings.csv --mapping mapping.json --dry-run
  cooler import *.csv.gz --mapping mapping.json --delimiter ';' --encoding windows-1252
  cooler import log.txt --mapping mapping.json --skip-lines 4 --columns time,temp --delimiter '\\t'

It prints an id; cooler erase --import ID takes the import back. It ends with 1 if a file cannot be read (then nothing has
landed), or if rows were rejected or made no event (the rest has landed; see cooler rejects, and --allow-rejects). Empty lines
and rows that "when" excludes do not matter.
`
