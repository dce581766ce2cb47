-- labels: short texts by key, as JSON; null for none.
ALTER TABLE device ADD COLUMN labels text;
CREATE INDEX device_labelled ON device (shard, local) WHERE labels IS NOT NULL;
