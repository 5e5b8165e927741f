-- What a later version might bring. Tests add it to the migrations of this program: the "later program" of
-- tests/scenario/schema_upgrade_test.py has it built in.
-- Locks: receipts ACCESS EXCLUSIVE
-- Afterwards: receipts
ALTER TABLE receipts ADD COLUMN later_note text COLLATE "C";
ALTER TABLE receipts ADD CONSTRAINT later_note_is_short CHECK (length(later_note) < 100) NOT VALID;
CREATE INDEX receipts_by_predecessor ON ONLY receipts (predecessor_id, block_time);
