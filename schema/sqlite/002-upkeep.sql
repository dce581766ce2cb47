-- Raw events of closed UTC days, compacted: those of 16 neighbouring devices of a shard on one day. id is new with
-- every change of a row. body: see src/raw/compact-codec.ts. What lands for such a day later is a segment beside it,
-- until it is compacted, too.
CREATE TABLE compacted (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  device_group INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (shard, utc_day, device_group)
) STRICT;

-- Why a device's days are due again: see src/summary/revision.ts.
ALTER TABLE due_device ADD COLUMN cause TEXT NOT NULL DEFAULT 'placement';

-- What a settled device-day was before it changed, and why it did. number counts the revisions of a device-day from 1;
-- causes: JSON list; old: statistics as a JSON list in the order of src/summary/device-day.ts, NULL where there was none.
CREATE TABLE revision (
  device INTEGER NOT NULL REFERENCES device,
  day INTEGER NOT NULL,
  number INTEGER NOT NULL,
  revised_at INTEGER NOT NULL,
  causes TEXT NOT NULL,
  old TEXT,
  PRIMARY KEY (device, day, number)
) STRICT, WITHOUT ROWID;

-- The rules and settings that the rollups of this store are made by; at most one row.
CREATE TABLE rules (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  text TEXT NOT NULL,
  since_at INTEGER NOT NULL
) STRICT;

-- Which device-day a rejected event tells of, as far as it could be read.
ALTER TABLE reject ADD COLUMN device_id BLOB;
ALTER TABLE reject ADD COLUMN at INTEGER;
CREATE INDEX reject_of_device ON reject (device_id, at) WHERE device_id IS NOT NULL;
