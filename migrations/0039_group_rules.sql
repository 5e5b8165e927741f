-- The rules of a group's alerts, as a JSON array of their names: how many groups they have opened in the last hour.
ALTER TABLE alert_groups ADD COLUMN rules text COLLATE "C";
CREATE INDEX ON alert_groups (endpoint, opened_at);
