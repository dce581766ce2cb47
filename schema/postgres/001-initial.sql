-- What all programs on this store share. A landing reads its one row FOR SHARE; whoever deletes days or devices locks it.
CREATE TABLE guard (
  id int PRIMARY KEY CHECK (id = 1),
  schema int NOT NULL,
  oldest_writer int NOT NULL,
  shards int NOT NULL,
  purged_before bigint NOT NULL DEFAULT 0,
  devices_erased bigint NOT NULL DEFAULT 0
);

CREATE TABLE rules (
  id int PRIMARY KEY CHECK (id = 1),
  text text NOT NULL,
  since_at bigint NOT NULL
);

CREATE TABLE setting (
  name text PRIMARY KEY,
  value bigint NOT NULL
);

-- Running totals: each writer adds to a slot of its own, so that writers do not wait for each other.
CREATE TABLE counter (
  name text NOT NULL,
  slot int NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (name, slot)
) WITH (fillfactor = 50);

CREATE TABLE shard (
  shard int PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  rolled_up_at bigint
) WITH (fillfactor = 50);

-- The worker at work on a shard locks its row.
CREATE TABLE shard_turn (
  shard int PRIMARY KEY
) WITH (fillfactor = 50);

-- Locked by whoever registers devices of the shard. A table of its own, as rollups must not keep landings waiting.
CREATE TABLE shard_devices (
  shard int PRIMARY KEY,
  next_local int NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- A device's shard is the hash of its id, its number local * shards + shard.
CREATE TABLE device (
  shard int NOT NULL,
  local int NOT NULL,
  id bytea NOT NULL,
  registered_at bigint NOT NULL,
  retired_at bigint,
  import int NOT NULL DEFAULT 0,
  erased_at bigint,
  PRIMARY KEY (shard, local),
  UNIQUE (shard, id)
);

CREATE INDEX device_by_id ON device (id, shard);
CREATE INDEX device_of_import ON device (import, shard) WHERE import <> 0;

CREATE TABLE placement (
  shard int NOT NULL,
  device int NOT NULL,
  at bigint NOT NULL,
  seq bigint NOT NULL,
  lat int NOT NULL,
  lon int NOT NULL,
  zone text NOT NULL,
  address bytea,
  removed_at bigint,
  sources text,
  PRIMARY KEY (shard, device, at, seq, lat, lon, zone)
);

CREATE SEQUENCE segment_id INCREMENT 1000;

CREATE TABLE segment (
  shard int NOT NULL,
  utc_day int NOT NULL,
  id bigint NOT NULL,
  count int NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  import int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, utc_day, id)
) PARTITION BY RANGE (utc_day);

CREATE TABLE due_segment (
  shard int NOT NULL,
  utc_day int NOT NULL,
  segment bigint NOT NULL,
  first_at bigint NOT NULL,
  PRIMARY KEY (shard, utc_day, segment)
);

-- Compressed already.
CREATE TABLE compacted (
  shard int NOT NULL,
  utc_day int NOT NULL,
  device_group int NOT NULL,
  id bigint NOT NULL,
  count int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, utc_day, device_group)
) PARTITION BY RANGE (utc_day);

ALTER TABLE compacted ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE due_device (
  shard int NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  device int NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  cause text NOT NULL,
  PRIMARY KEY (shard, id)
);

CREATE TABLE rollup_block (
  shard int NOT NULL,
  block int NOT NULL,
  day int NOT NULL,
  next_close_at bigint,
  body bytea NOT NULL,
  PRIMARY KEY (shard, block, day)
) PARTITION BY RANGE (day);

-- Within the row, where a report finds it without a further look-up.
ALTER TABLE rollup_block ALTER COLUMN body SET STORAGE MAIN;

CREATE INDEX rollup_block_open ON rollup_block (shard, next_close_at) WHERE next_close_at IS NOT NULL;

CREATE TABLE rollup_week (
  shard int NOT NULL,
  block int NOT NULL,
  week int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, block, week)
);

ALTER TABLE rollup_week ALTER COLUMN body SET STORAGE MAIN;

CREATE INDEX rollup_week_of_week ON rollup_week (week, shard);

-- What is current of the devices of a block.
CREATE TABLE state_block (
  shard int NOT NULL,
  block int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, block)
) WITH (fillfactor = 70);

ALTER TABLE state_block ALTER COLUMN body SET STORAGE MAIN;

CREATE TABLE revision (
  shard int NOT NULL,
  device int NOT NULL,
  day int NOT NULL,
  number int NOT NULL,
  revised_at bigint NOT NULL,
  causes text NOT NULL,
  old text,
  PRIMARY KEY (shard, device, day, number)
);

CREATE TABLE import (
  number int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id text NOT NULL UNIQUE,
  started_at bigint NOT NULL,
  files bytea NOT NULL
);

CREATE TABLE import_part (
  import int NOT NULL,
  shard int NOT NULL,
  utc_day int NOT NULL,
  PRIMARY KEY (import, shard, utc_day)
);

CREATE TABLE reject (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  rejected_at bigint NOT NULL,
  reason text NOT NULL,
  raw_bytes int NOT NULL,
  raw bytea NOT NULL,
  device_id bytea,
  at bigint,
  import int NOT NULL
);

CREATE INDEX reject_of_device ON reject (device_id, at) WHERE device_id IS NOT NULL;
