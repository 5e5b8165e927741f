-- History: what happened on the chain, append-only.
--
-- Every history table is partitioned by block time, so that old days leave by dropping a table and a
-- question with a time in it touches few of them. No foreign keys, no sequences, and unique
-- constraints that contain tree_id and block_time: the schema can be distributed by tree_id as it is.
-- Times are those of the blocks, never of this database. NULL means: not known, or empty.
--
-- Indexes were chosen by measuring (docs/performance.md): hash indexes on ids cost a fifth of a b-tree,
-- BRIN on time and height costs nothing. Long values are stored MAIN: compressed in place, moved out of
-- the row only when it does not fit a page (halves the server's work against the default).

CREATE TABLE chain_identity (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    network text NOT NULL,
    scope text NOT NULL,
    partition_width text NOT NULL CHECK (partition_width IN ('day', 'week', 'month')),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE blocks (
    block_height bigint NOT NULL,
    block_hash text COLLATE "C" NOT NULL,
    prev_hash text COLLATE "C" NOT NULL,
    prev_height bigint,
    block_time timestamptz NOT NULL,
    timestamp_nanosec bigint NOT NULL,
    author_id text COLLATE "C",
    epoch_id text COLLATE "C",
    chunks_included int,
    shard_count int,
    gas_price numeric(39, 0),
    total_supply numeric(39, 0),
    protocol_version int,
    UNIQUE (block_height, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON blocks USING hash (block_hash);
CREATE INDEX ON blocks (block_time);
CREATE INDEX ON blocks (block_height) WHERE prev_height < block_height - 1;

CREATE TABLE chunks (
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    shard_id bigint NOT NULL,
    chunk_hash text COLLATE "C",
    missing boolean NOT NULL,
    height_created bigint,
    height_included bigint,
    gas_used bigint,
    gas_limit bigint,
    balance_burnt numeric(39, 0),
    encoded_length bigint,
    outcome_root text COLLATE "C",
    tx_root text COLLATE "C",
    UNIQUE (block_height, shard_id, block_time)
) PARTITION BY RANGE (block_time);

CREATE TABLE transactions (
    tx_hash text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    shard_id bigint,
    index_in_chunk int,
    signer_id text COLLATE "C" NOT NULL,
    receiver_id text COLLATE "C" NOT NULL,
    nonce numeric(20, 0) NOT NULL,
    public_key text COLLATE "C",
    actions json,
    status text COLLATE "C" CHECK (status IN ('success_receipt_id', 'failure', 'unknown')),
    initial_receipt_id text COLLATE "C",
    error_class text COLLATE "C",
    error_text text,
    gas_burnt bigint,
    tokens_burnt numeric(39, 0),
    UNIQUE (tx_hash, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON transactions (signer_id, block_time);
CREATE INDEX ON transactions USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE transactions ALTER actions SET STORAGE MAIN;

CREATE TABLE receipts (
    receipt_id text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    block_height bigint,
    block_time timestamptz NOT NULL,
    shard_id bigint,
    index_in_chunk int,
    tx_hash text COLLATE "C",
    parent_receipt_id text COLLATE "C",
    predecessor_id text COLLATE "C",
    receiver_id text COLLATE "C" NOT NULL,
    signer_id text COLLATE "C",
    role text COLLATE "C" CHECK (role IN ('initial', 'callback', 'promise', 'detached', 'refund', 'payout')),
    method_name text COLLATE "C",
    actions json,
    deposit numeric(39, 0),
    input_data_ids text[] COLLATE "C",
    output_data_ids text[] COLLATE "C",
    receipt_ids text[] COLLATE "C",
    status text COLLATE "C" NOT NULL
        CHECK (status IN ('success_value', 'success_receipt_id', 'failure', 'unknown')),
    result text COLLATE "C",
    error_class text COLLATE "C",
    error_text text,
    error json,
    gas_burnt bigint,
    tokens_burnt numeric(39, 0),
    logs text[],
    executed_block_hash text COLLATE "C",
    UNIQUE (tree_id, receipt_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON receipts USING hash (receipt_id);
CREATE INDEX ON receipts USING hash (tx_hash);
CREATE INDEX ON receipts (receiver_id, block_time);
CREATE INDEX ON receipts (block_time) WHERE status = 'failure';
CREATE INDEX ON receipts USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE receipts
    ALTER actions SET STORAGE MAIN,
    ALTER result SET STORAGE MAIN,
    ALTER error SET STORAGE MAIN,
    ALTER logs SET STORAGE MAIN;

CREATE TABLE data_receipts (
    data_id text COLLATE "C" NOT NULL,
    receipt_id text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    tx_hash text COLLATE "C",
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    shard_id bigint,
    predecessor_id text COLLATE "C",
    receiver_id text COLLATE "C",
    is_promise_resume boolean,
    data text COLLATE "C",
    UNIQUE (tree_id, receipt_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON data_receipts USING hash (data_id);
CREATE INDEX ON data_receipts USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE data_receipts ALTER data SET STORAGE MAIN;

CREATE TABLE events (
    receipt_id text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    tx_hash text COLLATE "C",
    block_height bigint,
    block_time timestamptz NOT NULL,
    "index" int NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    standard text COLLATE "C",
    version text COLLATE "C",
    event text COLLATE "C",
    data json,
    UNIQUE (tree_id, receipt_id, "index", block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON events (account_id, event, block_time);
CREATE INDEX ON events USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);
ALTER TABLE events ALTER data SET STORAGE MAIN;

-- lz4 costs half the CPU of PostgreSQL's own compression; a server built without it keeps its own.
DO $$
DECLARE
    long_column record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_settings
                   WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        RETURN;
    END IF;
    FOR long_column IN
        SELECT a.attrelid::regclass AS table_name, a.attname AS column_name
        FROM pg_attribute a
        WHERE a.attrelid IN ('transactions'::regclass, 'receipts'::regclass, 'data_receipts'::regclass,
                             'events'::regclass)
          AND a.attstorage = 'm' AND a.atttypid <> 'numeric'::regtype AND NOT a.attisdropped
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER %I SET COMPRESSION lz4',
                       long_column.table_name, long_column.column_name);
    END LOOP;
END
$$;
