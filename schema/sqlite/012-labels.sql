-- labels: short texts by key, as JSON; null for none.
ALTER TABLE device ADD COLUMN labels TEXT;
CREATE INDEX device_labelled ON device (number) WHERE labels IS NOT NULL;
