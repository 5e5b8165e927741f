-- People are told again of a finding that was taken back and holds after all; and of what changes about it.
ALTER TABLE alerts ADD COLUMN telling int NOT NULL DEFAULT 1, ADD COLUMN handled boolean;
