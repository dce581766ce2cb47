-- Who is told what. body: the subscription as JSON. ended_why: why nothing is sent any more; null while it is in use.
CREATE TABLE subscription (
  id text PRIMARY KEY,
  body text NOT NULL,
  created_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  ended_why text
);

-- Days (epoch days) of a shard whose rollups have changed since somebody looked for what is to be told of them.
CREATE TABLE notice_due (
  shard int NOT NULL,
  day int NOT NULL,
  PRIMARY KEY (shard, day)
);

-- at: as of when (epoch ms) a shard was last looked through. revision: how often it was.
CREATE TABLE noticed (
  shard int PRIMARY KEY,
  revision int NOT NULL,
  at bigint NOT NULL
);

-- What has been told of the devices of a shard on a day, or is about to be: see told-codec.ts.
CREATE TABLE told (
  shard int NOT NULL,
  day int NOT NULL,
  subscription text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (shard, day, subscription)
);

-- What is to be told of a device-day and is in no message yet. told_before: the exceptions that messages told of, as bits.
CREATE TABLE notice (
  shard int NOT NULL,
  day int NOT NULL,
  device int NOT NULL,
  subscription text NOT NULL,
  revision int NOT NULL,
  told_before int NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (shard, day, device, subscription)
);

CREATE INDEX notice_of_subscription ON notice (subscription, day, shard);

-- Messages, sent or not. body: JSON, deflated. A message of files covers days up to to_day; version counts the messages
-- of a subscription about a day.
CREATE TABLE message (
  id text PRIMARY KEY,
  subscription text NOT NULL,
  type text NOT NULL,
  day int NOT NULL,
  to_day int NOT NULL,
  version int NOT NULL,
  created_at bigint NOT NULL,
  body bytea NOT NULL,
  hash text,
  is_stale int NOT NULL DEFAULT 0,
  state text NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  next_at bigint NOT NULL,
  claimed_until bigint NOT NULL DEFAULT 0,
  done_at bigint,
  error text,
  UNIQUE (subscription, type, day, version)
);

CREATE INDEX message_waiting ON message (subscription, created_at, id) WHERE state = 'waiting';
