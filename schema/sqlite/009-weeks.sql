-- Sums of the rollups of a block over seven days (epoch days 7 x week to 7 x week + 6), so that reports of a range read
-- less. A row goes in the transaction that changes one of its days, and is made again by the upkeep.
CREATE TABLE rollup_week (
  shard INTEGER NOT NULL,
  block INTEGER NOT NULL,
  week INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (shard, block, week)
) STRICT;
