-- Endpoints that ask for it are sent the alerts of one transaction in the order in which they were made: by `place`,
-- NULL of older alerts. A statement that makes many takes one number of the sequence, and counts on from it.
CREATE SEQUENCE alert_places INCREMENT BY 1000000;
ALTER TABLE alerts ADD COLUMN place bigint;
ALTER TABLE alerts ALTER COLUMN place SET DEFAULT nextval('alert_places');
-- The beginning of what the endpoint answered last.
ALTER TABLE deliveries ADD COLUMN last_answer text;
