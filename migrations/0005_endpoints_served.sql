-- An endpoint belongs to the daemons that serve it: another daemon's configuration never switches it off.
ALTER TABLE endpoints ADD COLUMN served_at timestamptz NOT NULL DEFAULT now();
UPDATE endpoints SET served_at = updated_at WHERE NOT active;
