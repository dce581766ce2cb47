export const SELECT_SEGMENT =
  'SELECT id, shard, utc_day AS utcDay, count, last_at AS lastAt, import AS ofImport, body FROM segment'

/** Selects segments as SELECT_SEGMENT does, but without the bodies of those whose ids are in a JSON list. */
export const selectUnknown = SELECT_SEGMENT.replace(
  ' body ',
  ' CASE WHEN id IN (SELECT value FROM json_each(?)) THEN NULL ELSE body END AS body ',
)
