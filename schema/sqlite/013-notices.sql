-- Who is told what. body: the subscription as JSON. ended_why: why nothing is sent any more; null while it is in use.
CREATE TABLE subscription (
  id TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  ended_why TEXT
) STRICT, WITHOUT ROWID;

-- Days (epoch days) of a shard whose rollups have changed since somebody looked for what is to be told of them.
CREATE TABLE notice_due (
  shard INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (shard, day)
) STRICT, WITHOUT ROWID;

-- at: as of when (epoch ms) a shard was last looked through. revision: how often it was.
CREATE TABLE noticed (
  shard INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

-- What has been told of the devices of a shard on a day, or is about to be: see told-codec.ts.
CREATE TABLE told (
  shard INTEGER NOT NULL,
  day INTEGER NOT NULL,
  subscription TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (shard, day, subscription)
) STRICT, WITHOUT ROWID;

-- What is to be told of a device-day and is in no message yet. told_before: the exceptions that messages told of, as bits.
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

CREATE INDEX notice_of_subscription ON notice (subscription, day, shard);

-- Messages, sent or not. body: JSON, deflated. A message of files covers days up to to_day; version counts the messages
-- of a subscription about a day.
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

CREATE INDEX message_waiting ON message (subscription, created_at, id) WHERE state = 'waiting';
