-- Instants are epoch milliseconds; utc_day and day are whole days since 1970-01-01; positions are 1e-7 degree.

-- What was fixed when the store was made.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- id: the asset identifier as CESU-8 (every UTF-16 unit by itself), so that bytes compare as UTF-16 units do and no
-- two identifiers meet, whatever they hold. Devices are numbered from 0 in the order of their registration.
CREATE TABLE device (
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  registered_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;

-- seq is -1 and zone '' where the event had none; address as CESU-8. A removed placement stays, so that its event may be delivered again
-- without coming back.
CREATE TABLE placement (
  device INTEGER NOT NULL REFERENCES device,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  lat INTEGER NOT NULL,
  lon INTEGER NOT NULL,
  zone TEXT NOT NULL,
  address BLOB,
  removed_at INTEGER,
  PRIMARY KEY (device, at, seq, lat, lon, zone)
) STRICT, WITHOUT ROWID;

-- Raw events: one row for each landed group of events of one UTC day and shard; id is the landing order. body: see
-- src/raw/segment-codec.ts.
CREATE TABLE segment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX segment_of_day ON segment (shard, utc_day, id);

-- What is due, written by the landing that made it due: segments not rolled up yet, ...
CREATE TABLE due_segment (
  segment INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL
) STRICT;
CREATE INDEX due_segment_of_shard ON due_segment (shard, utc_day);

-- ... and devices whose days must be computed again, from the one that holds from_at to the one that holds to_at and
-- on until the carried state comes out unchanged. An entry is never changed, only added and, once done, deleted.
CREATE TABLE due_device (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  device INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL
) STRICT;
CREATE INDEX due_device_of_shard ON due_device (shard);

-- version counts the rollups committed for a shard: two that began from the same one cannot both commit.
CREATE TABLE shard (
  shard INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  rolled_up_at INTEGER
) STRICT;

-- The report store: rollups of 64 neighbouring devices of a shard on one local day. next_close_at: earliest end of
-- those days that were not over when they were rolled up. body: see src/summary/block-codec.ts.
CREATE TABLE rollup_block (
  shard INTEGER NOT NULL,
  block INTEGER NOT NULL,
  day INTEGER NOT NULL,
  next_close_at INTEGER,
  body BLOB NOT NULL,
  UNIQUE (shard, block, day)
) STRICT;
CREATE INDEX rollup_block_open ON rollup_block (shard, next_close_at) WHERE next_close_at IS NOT NULL;

-- What is current of a device, kept by the rollups; positions and addresses of its earliest and latest fix in order.
CREATE TABLE device_state (
  device INTEGER PRIMARY KEY REFERENCES device,
  first_heard_at INTEGER NOT NULL,
  last_heard_at INTEGER NOT NULL,
  first_fix_at INTEGER,
  first_fix_seq INTEGER,
  first_fix_lat INTEGER,
  first_fix_lon INTEGER,
  last_fix_at INTEGER,
  last_fix_seq INTEGER,
  last_fix_lat INTEGER,
  last_fix_lon INTEGER,
  last_fix_address BLOB
) STRICT;

-- Rejected events, oldest first; raw is their JSON text (cut where raw_bytes says that it was longer).
CREATE TABLE reject (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rejected_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  raw_bytes INTEGER NOT NULL,
  raw TEXT NOT NULL
) STRICT;

-- Running totals since the store was made: landed, rejected, rejected by reason, rejects dropped.
CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
