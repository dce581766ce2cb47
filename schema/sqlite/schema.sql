-- The newest schema (version 13), as a fresh store has it. Written by test/schema.test.ts.

CREATE INDEX device_labelled ON device (number) WHERE labels IS NOT NULL;

CREATE INDEX due_device_of_shard ON due_device (shard);

CREATE INDEX due_segment_of_shard ON due_segment (shard, utc_day, first_at);

CREATE INDEX message_waiting ON message (subscription, created_at, id) WHERE state = 'waiting';

CREATE INDEX notice_of_subscription ON notice (subscription, day, shard);

CREATE INDEX reject_of_device ON reject (device_id, at) WHERE device_id IS NOT NULL;

CREATE INDEX rollup_block_open ON rollup_block (shard, next_close_at) WHERE next_close_at IS NOT NULL;

CREATE INDEX segment_of_day ON segment (shard, utc_day, id);

CREATE TABLE compacted (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  device_group INTEGER NOT NULL,
  count INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (shard, utc_day, device_group)
) STRICT;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE device (
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  registered_at INTEGER NOT NULL,
  retired_at INTEGER
, import INTEGER NOT NULL DEFAULT 0, erased_at INTEGER, labels TEXT) STRICT;

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
, last_fix_checksum INTEGER, checksum INTEGER) STRICT;

CREATE TABLE due_device (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  device INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL
, cause TEXT NOT NULL DEFAULT 'placement') STRICT;

CREATE TABLE due_segment (
  segment INTEGER PRIMARY KEY,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL
, first_at INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE filler (
  id INTEGER PRIMARY KEY,
  zeros BLOB NOT NULL
) STRICT;

CREATE TABLE import (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  started_at INTEGER NOT NULL,
  files TEXT NOT NULL
) STRICT;

CREATE TABLE import_part (
  import INTEGER NOT NULL REFERENCES import,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  PRIMARY KEY (import, shard, utc_day)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  id TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  type TEXT NOT NULL,
  day INTEGER NOT NULL,
  to_day INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  hash TEXT,
  is_stale INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  done_at INTEGER,
  error TEXT,
  UNIQUE (subscription, type, day, version)
) STRICT;

CREATE TABLE moved_device (
  source INTEGER PRIMARY KEY,
  target INTEGER NOT NULL
) STRICT;

CREATE TABLE moved_segment (
  unit TEXT NOT NULL,
  segment INTEGER NOT NULL,
  PRIMARY KEY (unit, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE moved_unit (
  kind TEXT NOT NULL,
  unit TEXT NOT NULL,
  mark TEXT NOT NULL,
  PRIMARY KEY (kind, unit)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice (
  shard INTEGER NOT NULL,
  day INTEGER NOT NULL,
  device INTEGER NOT NULL,
  subscription TEXT NOT NULL,
  revision INTEGER NOT NULL,
  told_before INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (shard, day, device, subscription)
) STRICT, WITHOUT ROWID;

CREATE TABLE notice_due (
  shard INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (shard, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE noticed (
  shard INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE placement (
  device INTEGER NOT NULL REFERENCES device,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  lat INTEGER NOT NULL,
  lon INTEGER NOT NULL,
  zone TEXT NOT NULL,
  address BLOB,
  removed_at INTEGER, sources TEXT,
  PRIMARY KEY (device, at, seq, lat, lon, zone)
) STRICT, WITHOUT ROWID;

CREATE TABLE reject (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  rejected_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  raw_bytes INTEGER NOT NULL,
  raw TEXT NOT NULL
, device_id BLOB, at INTEGER, import INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE revision (
  device INTEGER NOT NULL REFERENCES device,
  day INTEGER NOT NULL,
  number INTEGER NOT NULL,
  revised_at INTEGER NOT NULL,
  causes TEXT NOT NULL,
  old TEXT,
  PRIMARY KEY (device, day, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE rollup_block (
  shard INTEGER NOT NULL,
  block INTEGER NOT NULL,
  day INTEGER NOT NULL,
  next_close_at INTEGER,
  body BLOB NOT NULL,
  UNIQUE (shard, block, day)
) STRICT;

CREATE TABLE rollup_week (
  shard INTEGER NOT NULL,
  block INTEGER NOT NULL,
  week INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (shard, block, week)
) STRICT;

CREATE TABLE rules (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  text TEXT NOT NULL,
  since_at INTEGER NOT NULL
) STRICT;

CREATE TABLE segment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  utc_day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  body BLOB NOT NULL
, import INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE shard (
  shard INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  rolled_up_at INTEGER
) STRICT;

CREATE TABLE shard_turn (
  shard INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;

CREATE TABLE subscription (
  id TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  ended_why TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE told (
  shard INTEGER NOT NULL,
  day INTEGER NOT NULL,
  subscription TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (shard, day, subscription)
) STRICT, WITHOUT ROWID;
