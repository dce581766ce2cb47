-- Imports that have landed anything. Numbers begin at 1; what landed without an import has import 0 in every table.
-- files: names of the imported files, for people.
CREATE TABLE import (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  started_at INTEGER NOT NULL,
  files TEXT NOT NULL
) STRICT;

-- UTC days of shards on which events of an import have landed.
CREATE TABLE import_part (
  import INTEGER NOT NULL REFERENCES import,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  PRIMARY KEY (import, shard, utc_day)
) STRICT, WITHOUT ROWID;

-- All events of a segment are of one import.
ALTER TABLE segment ADD COLUMN import INTEGER NOT NULL DEFAULT 0;

-- Who told a placement, where an import did: JSON object from the number of each import to the address that it told, or
-- null. NULL: only landings without an import, or the registry.
ALTER TABLE placement ADD COLUMN sources TEXT;

ALTER TABLE reject ADD COLUMN import INTEGER NOT NULL DEFAULT 0;

-- import: the import that registered the device. erased_at: the device was erased with its import; its number is never
-- used again, and its id is replaced by the byte 0xFF, which no id has, and the number.
ALTER TABLE device ADD COLUMN import INTEGER NOT NULL DEFAULT 0;
ALTER TABLE device ADD COLUMN erased_at INTEGER;

-- The statistics of a revision (revision.old) are an empty text where they have been erased.

-- Zeros, while the pages that deletion has freed are overwritten; else empty.
CREATE TABLE filler (
  id INTEGER PRIMARY KEY,
  zeros BLOB NOT NULL
) STRICT;
