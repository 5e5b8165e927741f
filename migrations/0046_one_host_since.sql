-- A first start by the word of one host: who tells another chain later makes the daemon begin again.
ALTER TABLE coverage ADD COLUMN one_host_since bigint;
