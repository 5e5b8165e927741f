COMMENT ON TABLE closed_days IS 'Times of which the look-up by ids (id_runs, id_additions) has every id of every row, in one row. Questions by an id go to other times in any case, and to these only where days_of() says so.';
COMMENT ON COLUMN closed_days.only_row IS 'Always true: there is one row at most.';
COMMENT ON COLUMN closed_days.periods IS 'The closed times: each covers whole partitions. Each of these partitions has the trigger note_late_ids.';
COMMENT ON COLUMN closed_days.hashed_as IS 'What hashes_now() was: if it is something else now (another kind of machine), nothing counts as closed.';

COMMENT ON TABLE id_runs IS 'Look-up by ids: runs, each of which has the ids of the rows of some days. Eight of a level are merged into one of the next level.';
COMMENT ON COLUMN id_runs.run_id IS 'Number of the run.';
COMMENT ON COLUMN id_runs.level IS 'How often its ids were merged: 0 is one day, or what came later for any days.';
COMMENT ON COLUMN id_runs.from_day IS 'The first of its days (UTC).';
COMMENT ON COLUMN id_runs.until_day IS 'The day after the last one (UTC).';
COMMENT ON COLUMN id_runs.bits IS 'It has 2 ^ bits buckets.';
COMMENT ON COLUMN id_runs.keys IS 'Number of ids and days in it.';
COMMENT ON COLUMN id_runs.state IS 'growing: it is being merged, and nobody reads it yet. whole: questions read it. gone: it is merged into another one, or its days are dropped, and its buckets are being deleted.';
COMMENT ON COLUMN id_runs.merged_into IS 'The run that it is or was merged into (run_id). NULL: none.';
COMMENT ON COLUMN id_runs.next_part IS 'Of a growing run: the first part that it does not have yet. NULL for others.';

COMMENT ON TABLE id_buckets IS 'Look-up by ids: the ids of one bucket of a run. They are hashes: an id may seem to have rows on a day and have none, never the other way round.';
COMMENT ON COLUMN id_buckets.run_id IS 'The run (see id_runs).';
COMMENT ON COLUMN id_buckets.bucket IS 'id_bucket() of the ids.';
COMMENT ON COLUMN id_buckets.keys IS 'id_key() of each id, in no order.';
COMMENT ON COLUMN id_buckets.days IS 'A day for each of the keys, counted from the first day of the run.';

COMMENT ON TABLE id_additions IS 'Look-up by ids: ids of rows that came after their day was closed. When there are many they become a run.';
COMMENT ON COLUMN id_additions.addition_id IS 'Number of the row.';
COMMENT ON COLUMN id_additions.hash IS 'hashtextextended(id, 0).';
COMMENT ON COLUMN id_additions.day IS 'The day (UTC) of the row that has the id.';

COMMENT ON FUNCTION days_of(text[], timestamptz, timestamptz) IS 'The times at which rows of these ids (transactions, trees, receipts, data, blocks) may lie, both ends included, between two times if given: SELECT r.* FROM receipts r WHERE r.receipt_id = ''…'' AND r.block_time BETWEEN … AND …. Days that are not closed yet are always among them. No rows at other times.';
COMMENT ON FUNCTION id_columns() IS 'The columns by which rows are looked up without a time, by their table.';
COMMENT ON FUNCTION id_bucket(bigint, int) IS 'The bucket that a hash is in, in a run with so many bits.';
COMMENT ON FUNCTION id_key(bigint) IS 'What a bucket has of a hash.';
COMMENT ON FUNCTION id_bits(bigint) IS 'How many bits a run of so many keys has.';
COMMENT ON FUNCTION hashes_now() IS 'How this server hashes: compared with closed_days.hashed_as.';
COMMENT ON FUNCTION note_late_ids() IS 'Trigger of the partitions of closed days: adds the ids of a new row to id_additions.';
COMMENT ON FUNCTION id_partitions() IS 'The partitions of the tables in which rows are looked up by id, with the columns of the ids.';
COMMENT ON FUNCTION notes_late_ids(regclass) IS 'Whether a partition has the trigger note_late_ids, enabled.';
COMMENT ON FUNCTION days_to_close(timestamptz) IS 'Where days begin that were over at a time and are not closed, and how large their partitions are: one that does not grow any more can be closed.';
COMMENT ON FUNCTION guard_day(timestamptz) IS 'Gives the partitions of the day that begins here the trigger note_late_ids. The first half of closing it. The daemon calls it.';
COMMENT ON FUNCTION close_day(timestamptz) IS 'Closes the day that begins here and returns how many ids it has; NULL: its partitions have no triggers, or are not all there. To be called after guard_day(), in a transaction of its own. The daemon calls it.';
COMMENT ON FUNCTION tidy_partition() IS 'Makes the statistics of one closed partition, has autovacuum freeze what is left of it, and returns it; NULL: all are tidy. The daemon calls it.';
COMMENT ON FUNCTION reopen_unguarded_days() IS 'Opens days again of which a partition has no trigger note_late_ids, and says whether there were any. The daemon calls it.';
COMMENT ON FUNCTION forget_ids() IS 'Forgets the ids of days that lie before the oldest partition. The daemon calls it.';
COMMENT ON FUNCTION merge_ids() IS 'One step of merging runs, of additions becoming a run, or of deleting what is merged; false if there was nothing to do. The daemon calls it.';
