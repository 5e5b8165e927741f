-- Blocks whose header is taken on the word of the hosts, though something speaks against it.
ALTER TABLE blocks ADD COLUMN on_trust text;
