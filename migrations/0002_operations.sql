-- Operations: what the daemon must remember to be complete and to go on after any crash.

CREATE TABLE coverage (
    scope text PRIMARY KEY,
    wanted int8multirange NOT NULL DEFAULT '{}',
    heights int8multirange NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- The rules that verdicts are made by, and heights whose verdicts were made by earlier ones.
    judged_by smallint NOT NULL DEFAULT 1,
    judged_before int8multirange NOT NULL DEFAULT '{}',
    -- Where heights of one source meet heights of the other, trees cross from blocks that tell outcomes into blocks
    -- that tell none.
    without_outcomes int8multirange NOT NULL DEFAULT '{}',
    -- The height on which the head was followed first. Everything from there on is wanted, but for what an operator
    -- gives up: blocks of a time without a daemon are a gap.
    followed_since bigint,
    compared int8multirange NOT NULL DEFAULT '{}',
    unconfirmed int8multirange NOT NULL DEFAULT '{}',
    confirm_within interval,  -- alerts about outcomes wait for so long until these are confirmed
    -- A first start by the word of one host: who tells another chain later makes the daemon begin again.
    one_host_since bigint,
    -- Grows with each change of followed_accounts. A commit whose rows were made by an earlier one tells so.
    scope_serial bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Retention has dropped the rows of blocks before that. Coverage still has their heights.
CREATE TABLE pruned (
    table_name text COLLATE "C" PRIMARY KEY,
    before_time timestamptz NOT NULL
);

CREATE TABLE unavailable_heights (
    height bigint PRIMARY KEY,
    reason text NOT NULL,
    detail text NOT NULL DEFAULT '',
    attempts int NOT NULL DEFAULT 1,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    last_attempt_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz NOT NULL DEFAULT now()
);
-- The view set_aside is counted every few seconds, and both this table and pending_trees may have a million other rows.
CREATE INDEX ON unavailable_heights (height) WHERE reason = 'refused_by_database';

CREATE TABLE backfills (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    from_height bigint NOT NULL,
    to_height bigint NOT NULL,
    -- Whose rows are fetched for heights that are stored; none: heights that are missing are stored.
    accounts text[] COLLATE "C" NOT NULL DEFAULT '{}',
    to_replace int8multirange,
    state text NOT NULL DEFAULT 'unfinished' CHECK (state IN ('unfinished', 'finished')),
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    lease_owner uuid,
    lease_until timestamptz,
    CHECK (from_height <= to_height)
);
CREATE UNIQUE INDEX ON backfills (from_height, to_height, accounts, (to_replace IS NULL)) WHERE state = 'unfinished';

CREATE TABLE pending_trees (
    tx_hash text COLLATE "C" NOT NULL,
    sender_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_hash text COLLATE "C" NOT NULL,
    block_time timestamptz NOT NULL,
    timestamp_nanosec bigint NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    reason text,
    shard_id bigint,  -- of the transaction: hosts that do not track it cannot tell its tree
    placed_at timestamptz NOT NULL DEFAULT now(),
    -- No host tells all receipts: what is known is stored, and the tree stays pending. 'whole': all of it is stored, and is
    -- replaced when it comes.
    receipts_missing_since timestamptz,
    stored_part text COLLATE "C" CHECK (stored_part IN ('rows', 'undecided', 'whole')),
    -- One transaction may be listed by two blocks: each execution is a tree of its own.
    PRIMARY KEY (tx_hash, block_height)
);
CREATE INDEX ON pending_trees (due_at);
CREATE INDEX ON pending_trees (placed_at);
CREATE INDEX ON pending_trees (tx_hash) WHERE reason LIKE 'refused\_by\_database%';

-- An id is only ever looked up, so a hash index on it does; a tree's orphans are the receipt that names the tree and those
-- adopted into it. tree_id is NULL where it would repeat id.
CREATE TABLE orphan_receipts (
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('receipt', 'data', 'block')),
    id text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C",
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    -- tree_id is kept when adopted: rows of that name may still be on their way.
    adopted_into text COLLATE "C",
    adopted_tx_hash text COLLATE "C",
    adopted_at timestamptz
);
CREATE INDEX ON orphan_receipts (block_height);
CREATE INDEX ON orphan_receipts USING hash (id);
CREATE INDEX ON orphan_receipts USING hash (adopted_into) WHERE adopted_into IS NOT NULL;
-- Trees that a seam has put together are looked for there.
CREATE INDEX ON orphan_receipts (block_height) WHERE kind = 'receipt' AND adopted_at IS NOT NULL;

-- Source rpc, scope accounts: receipts that a followed block lists and whose tree is not stored yet. Most belong
-- to a transaction in scope and are gone with its tree; of the others the transaction is asked for.
CREATE TABLE unplaced_receipts (
    receipt_id text COLLATE "C" NOT NULL,
    receiver_id text COLLATE "C" NOT NULL,
    signer_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    timestamp_nanosec bigint NOT NULL,
    tx_hash text COLLATE "C",  -- once it is told
    -- 'outcome': nobody can tell its transaction, what became of it is asked for.
    stage text COLLATE "C" NOT NULL DEFAULT 'transaction' CHECK (stage IN ('transaction', 'outcome')),
    attempts int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now() + interval '1 second',
    reason text,
    created_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX ON unplaced_receipts (due_at);
CREATE INDEX ON unplaced_receipts USING hash (receipt_id);

-- Trees of which receipts were stored that nobody could judge as they went by: their parents, or the whole tree, were
-- not in memory any more. Written with the rows, gone when the tree was judged from its rows.
CREATE TABLE late_trees (
    tx_hash text COLLATE "C" PRIMARY KEY,
    since timestamptz NOT NULL,
    history boolean NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    -- One whose resume is still on its way is looked at again within seconds, not after an hour.
    looks smallint NOT NULL DEFAULT 0
);
CREATE INDEX ON late_trees (due_at);

-- Written with the heights that make a seam, gone when the seam is closed: a stop or a crash between the two loses
-- no verdict.
CREATE TABLE pending_seams (
    from_height bigint PRIMARY KEY,
    to_height bigint NOT NULL,
    history boolean NOT NULL,
    touched_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE operator_skips (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    heights int8multirange NOT NULL,
    skipped_at timestamptz NOT NULL DEFAULT now(),
    skipped_by text NOT NULL DEFAULT session_user
);

-- Coverage knows heights. Of these an account that was added later lacks those that were stored without it.
CREATE TABLE followed_accounts (
    account_id text COLLATE "C" PRIMARY KEY,
    since_height bigint NOT NULL,
    added bigint NOT NULL DEFAULT 0,  -- coverage.scope_serial that brought it
    not_whole int8multirange NOT NULL DEFAULT '{}',
    was_whole int8multirange  -- of '*', while the scope is not all
);

-- Rows and trees that the database does not take, or cannot read, because of their own data
-- (daemon/storage/set_aside.hpp).
CREATE TABLE set_aside_rows (
    what text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    times bigint NOT NULL,
    PRIMARY KEY (what, id)
);

-- Rows that sessions of the daemon's role lock, so that one after the other does something. Advisory locks can be taken
-- by every role of the server.
CREATE TABLE locks (name text PRIMARY KEY);
INSERT INTO locks VALUES ('adoption'), ('daemons'), ('days'), ('partitions');
