-- What a move to another store has copied, in the target until the move is finished. The settings `move state` and
-- `move run` say whether the store may be used, see src/store/moving.ts.

-- Numbers that devices of the source have here.
CREATE TABLE moved_device (
  source INTEGER PRIMARY KEY,
  target INTEGER NOT NULL
) STRICT;

-- Parts of the source that are here. mark: identifies the state in which the part was copied.
CREATE TABLE moved_unit (
  kind TEXT NOT NULL,
  unit TEXT NOT NULL,
  mark TEXT NOT NULL,
  PRIMARY KEY (kind, unit)
) STRICT, WITHOUT ROWID;

-- The segments that hold the events of a part.
CREATE TABLE moved_segment (
  unit TEXT NOT NULL,
  segment INTEGER NOT NULL,
  PRIMARY KEY (unit, segment)
) STRICT, WITHOUT ROWID;
