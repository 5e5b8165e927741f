-- Whether a daemon wants relayers' repetitions to be told, too.
ALTER TABLE daemons ADD COLUMN tells_delegate_duplicates boolean NOT NULL DEFAULT false;
