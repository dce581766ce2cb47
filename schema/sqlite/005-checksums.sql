-- Checksums of a device's state, see src/summary/state-checksum.ts: of its last fix, and of all else. NULL: written by a
-- program that knew none.
ALTER TABLE device_state ADD COLUMN last_fix_checksum INTEGER;
ALTER TABLE device_state ADD COLUMN checksum INTEGER;
