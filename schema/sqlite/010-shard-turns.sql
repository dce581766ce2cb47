-- Which worker is at work on a shard, and until when (epoch ms) unless it says so again.
CREATE TABLE shard_turn (
  shard INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  until INTEGER NOT NULL
) STRICT;
