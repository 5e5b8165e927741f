-- Look-up: on which days the rows of an id lie, so that a question by id goes to the partitions of these days and to no
-- other (docs/decisions/0059). Ids are random: a b-tree over all of them would be read and written from disk once it is
-- larger than memory. So a day is put in here when it is over, sorted; days before that are asked themselves.

-- Times of which every id of every row is in id_runs or id_additions; all other times are asked themselves. Each partition
-- in them has a trigger that writes what comes later into id_additions.
CREATE TABLE closed_days (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    periods tstzmultirange NOT NULL,
    -- The hash of a text that never changes. A server that hashes otherwise does not know what is in here.
    hashed_as bigint NOT NULL
);

-- A run has the ids of some days, and each day is in some runs; eight runs of one level become one of the next.
CREATE TABLE id_runs (
    run_id bigint PRIMARY KEY,
    level smallint NOT NULL,
    from_day date NOT NULL,
    until_day date NOT NULL,  -- not in it
    bits smallint NOT NULL CHECK (bits BETWEEN 8 AND 30),
    keys bigint NOT NULL,
    -- Questions read those that are whole. What is merged is whole until all of it is in the other one, and then gone.
    state text COLLATE "C" NOT NULL CHECK (state IN ('growing', 'whole', 'gone')),
    merged_into bigint,
    next_part bigint  -- of one that grows: up to there it has what it is made of
);

-- The bucket of an id is the first bits of its hash, as many as its run says; its key are the 32 bits that come after the
-- first eight. Each key has a day beside it, counted from the first one of the run. Some 400 of them are a row: half a
-- page, which is neither compressed (it is random) nor moved out of the table.
CREATE TABLE id_buckets (
    run_id bigint NOT NULL,
    bucket int NOT NULL,
    keys int[] NOT NULL,
    days smallint[] NOT NULL,
    PRIMARY KEY (run_id, bucket)
) WITH (toast_tuple_target = 8160);
ALTER TABLE id_buckets ALTER keys SET STORAGE EXTERNAL, ALTER days SET STORAGE EXTERNAL;

-- Not unique: writers that have an id in common would wait for each other.
CREATE TABLE id_additions (
    addition_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    hash bigint NOT NULL,
    day date NOT NULL
);
CREATE INDEX ON id_additions (hash);

-- One block of each day. Heights and times of a chain grow together: a block lies between the times of the two marks that
-- its height lies between. A mark that is missing makes these times longer, never wrong.
CREATE TABLE block_marks (
    day date PRIMARY KEY,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL
);
CREATE INDEX ON block_marks (block_height);
