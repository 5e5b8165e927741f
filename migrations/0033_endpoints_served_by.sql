-- Which daemon had an endpoint in its configuration last.
ALTER TABLE endpoints ADD COLUMN served_by text;
