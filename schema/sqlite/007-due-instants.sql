-- The first instant of a due segment, so that the oldest due event is found without reading every due segment.
ALTER TABLE due_segment ADD COLUMN first_at INTEGER NOT NULL DEFAULT 0;
UPDATE due_segment SET first_at = coalesce((SELECT first_at FROM segment WHERE id = due_segment.segment), 0);
DROP INDEX due_segment_of_shard;
CREATE INDEX due_segment_of_shard ON due_segment (shard, utc_day, first_at);
