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

-- Where the partitions lie, so that lists of tables show what people ask. Whoever owns it could drop them.
DO $$
BEGIN
    IF to_regnamespace('receiptd_partitions') IS NULL THEN
        CREATE SCHEMA receiptd_partitions;
    ELSIF NOT (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'receiptd_partitions') THEN
        RAISE insufficient_privilege;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'user "%" needs a schema for partitions: a superuser runs CREATE SCHEMA receiptd_partitions AUTHORIZATION %',
        current_user, quote_ident(current_user);
END
$$;

CREATE TABLE chain_identity (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    network text NOT NULL,
    scope text NOT NULL,
    -- Block time in each partition that is made from now on; automatic: what closed days take decides.
    partition_width text NOT NULL DEFAULT 'day' CHECK (partition_width IN ('day', 'week', 'month')),
    width_is_automatic boolean NOT NULL DEFAULT true,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The hash of the chain's genesis block, as the hosts told it at the first start. NULL: nobody has told it yet.
    genesis_hash text COLLATE "C"
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
    -- The header is taken on the word of the hosts, though this speaks against it.
    on_trust text,
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
    -- Outcomes of whole blocks are compared with the root that the shard's next new chunk has of them.
    executed_root text COLLATE "C",
    covered boolean,
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
    nonce_index int,  -- a gas key has several nonces
    -- The user behind a relayer. NULL: the signer. A claimed user is named, and not proven to have signed.
    user_id text COLLATE "C",
    confirmed boolean,
    -- PostgreSQL stores no NUL in a text, and takes no JSON apart that has the escape of one. A row whose texts were
    -- changed for that keeps them as they were given; bytea, as they are no text for PostgreSQL.
    as_given bytea,
    claimed_user_id text COLLATE "C",
    UNIQUE (tx_hash, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON transactions (signer_id, block_time);
-- Those of a receiver are found by their first receipts; these few have none.
CREATE INDEX ON transactions (receiver_id, block_time) WHERE initial_receipt_id IS NULL;
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
    role text COLLATE "C" CHECK (role IN ('initial', 'callback', 'promise', 'returned', 'detached', 'refund', 'payout')),
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
    is_promise_yield boolean,  -- it waits for a resume, not for other receipts
    as_given bytea,            -- as that of transactions
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

-- The events of a receipt are committed with the receipt, which is unique; they are found by their tree.
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
    data json
) PARTITION BY RANGE (block_time);
CREATE INDEX ON events (account_id, event, block_time);
CREATE INDEX ON events USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX ON events USING hash (tree_id);
ALTER TABLE events ALTER data SET STORAGE MAIN;

-- A result says what became of a transaction, a finding what went wrong in it. A finding is written once, in the transaction that commits
-- the receipt that proves it. Both are found by tree_id.
CREATE TABLE transaction_results (
    tx_hash text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    -- The block that includes the transaction, as in transactions.
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    signer_id text COLLATE "C" NOT NULL,
    receiver_id text COLLATE "C" NOT NULL,
    verdict text COLLATE "C" NOT NULL
        CHECK (verdict IN ('succeeded', 'failed', 'callback_failed', 'receipt_failed',
                           'succeeded_with_handled_failure')),
    error_class text COLLATE "C",
    error_text text,
    included_height bigint NOT NULL,
    completed_height bigint NOT NULL,
    completed_time timestamptz NOT NULL,
    settled_height bigint NOT NULL,
    receipts int NOT NULL,
    failed_receipts int NOT NULL,
    gas_burnt bigint NOT NULL,
    tokens_burnt numeric(39, 0) NOT NULL,  -- fees
    -- NEAR's own status of the transaction, beside the verdict.
    near_status text COLLATE "C" CHECK (near_status IN ('success', 'failure')),
    near_status_receipt_id text COLLATE "C",
    root_cause text COLLATE "C",
    -- The effect says what came of handled failures, and of tokens that were sent along.
    effect text COLLATE "C"
        CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed', 'tokens_lost')),
    judged_by smallint,  -- the rules that it was made by
    user_id text COLLATE "C",
    method_name text COLLATE "C",
    net_deposit numeric(39, 0),
    gas_refunded numeric(39, 0),
    deposit_refunded numeric(39, 0),
    tokens_lost numeric(39, 0),  -- burnt, and not as fees
    claimed_user_id text COLLATE "C",
    UNIQUE (tx_hash, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON transaction_results (block_time) WHERE verdict <> 'succeeded';
CREATE INDEX ON transaction_results USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);

CREATE TABLE findings (
    -- The same for the same cause, however often it is found: kind and receipt, or kind and transaction.
    finding_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL
        CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused',
                        'yield_timed_out', 'undecided', 'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown',
                        'stuck', 'corrected')),
    tx_hash text COLLATE "C",
    tree_id text COLLATE "C" NOT NULL,
    receipt_id text COLLATE "C",
    role text COLLATE "C",
    handled boolean,
    contract_id text COLLATE "C",
    method_name text COLLATE "C",
    signer_id text COLLATE "C",
    error_class text COLLATE "C",
    error_text text,
    block_height bigint,
    block_time timestamptz NOT NULL,
    handled_by text[] COLLATE "C",
    root_cause text COLLATE "C",
    effect text COLLATE "C"
        CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed', 'tokens_lost')),
    amount_kept numeric(39, 0),
    amount_returned numeric(39, 0),
    -- The end of a watch: whether it is proven, and from when its transaction may be signed anew.
    conclusive boolean,
    safe_to_resign_after_height bigint,
    safe_to_resign_estimated_at timestamptz,
    correction json,  -- what a reported end turned out to be
    user_id text COLLATE "C",
    amount_burnt numeric(39, 0),
    expected boolean,  -- somebody expects it: nobody is alerted
    UNIQUE (finding_id, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON findings (contract_id, block_time);
CREATE INDEX ON findings USING hash (tree_id);
CREATE INDEX ON findings (block_time);
CREATE INDEX ON findings (kind, block_time);
CREATE INDEX ON findings (signer_id, block_time);
CREATE INDEX ON findings (user_id, block_time) WHERE user_id IS NOT NULL;

-- Receipts that carry a global contract from shard to shard, one row for each shard that it is sent to.
CREATE TABLE global_contract_distributions (
    receipt_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    shard_id bigint,
    deployer_id text COLLATE "C" NOT NULL,
    contract_hash text COLLATE "C",
    contract_account_id text COLLATE "C",
    code text COLLATE "C" NOT NULL,
    nonce numeric(20, 0),
    target_shard_id bigint NOT NULL,
    delivered int NOT NULL,
    UNIQUE (receipt_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON global_contract_distributions (deployer_id, block_time);

-- Hashes that the chain executed in several blocks: each execution is a tree of its own (schema/37_executions.sql).
CREATE TABLE executions (
    tx_hash text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tx_hash, block_height)
);
CREATE INDEX ON executions (block_time);

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
