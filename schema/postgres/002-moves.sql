-- Whether the store may be used, and the last run of a move to it; see src/store/moving.ts.
ALTER TABLE guard ADD COLUMN move_state int NOT NULL DEFAULT 0;
ALTER TABLE guard ADD COLUMN move_run bigint NOT NULL DEFAULT 0;

-- What a move to this store has copied, until the move is finished. Numbers that devices of the source have here.
CREATE TABLE moved_device (
  source int PRIMARY KEY,
  target int NOT NULL
);

-- Parts of the source that are here. mark: identifies the state in which the part was copied.
CREATE TABLE moved_unit (
  kind text NOT NULL,
  unit text NOT NULL,
  mark text NOT NULL,
  PRIMARY KEY (kind, unit)
);

-- The segments that hold the events of a part.
CREATE TABLE moved_segment (
  unit text NOT NULL,
  shard int NOT NULL,
  utc_day int NOT NULL,
  segment bigint NOT NULL,
  PRIMARY KEY (unit, shard, utc_day, segment)
);
