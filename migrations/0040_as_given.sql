-- PostgreSQL stores no NUL in a text, and takes no JSON apart that has the escape of one. A row whose texts were changed
-- for that keeps them as they were given; bytea, as they are no text for PostgreSQL.
ALTER TABLE transactions ADD COLUMN as_given bytea;
ALTER TABLE receipts ADD COLUMN as_given bytea;
