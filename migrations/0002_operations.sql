-- Operations: what the daemon must remember to be complete and to go on after any crash.

CREATE TABLE coverage (
    scope text PRIMARY KEY,
    wanted int8multirange NOT NULL DEFAULT '{}',
    heights int8multirange NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE unavailable_heights (
    height bigint PRIMARY KEY,
    reason text NOT NULL,
    detail text NOT NULL DEFAULT '',
    attempts int NOT NULL DEFAULT 1,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    last_attempt_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE backfills (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    from_height bigint NOT NULL,
    to_height bigint NOT NULL,
    state text NOT NULL DEFAULT 'unfinished' CHECK (state IN ('unfinished', 'finished')),
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    lease_owner uuid,
    lease_until timestamptz,
    CHECK (from_height <= to_height)
);
CREATE UNIQUE INDEX ON backfills (from_height, to_height) WHERE state = 'unfinished';

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
    -- One transaction may be listed by two blocks; only its first execution counts.
    PRIMARY KEY (tx_hash, block_height)
);
CREATE INDEX ON pending_trees (due_at);

CREATE TABLE orphan_receipts (
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('receipt', 'data')),
    id text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    -- tree_id is kept when adopted: rows of that name may still be on their way.
    adopted_into text COLLATE "C",
    adopted_tx_hash text COLLATE "C",
    adopted_at timestamptz,
    PRIMARY KEY (kind, id)
);
CREATE INDEX ON orphan_receipts (block_height);
CREATE INDEX ON orphan_receipts ((coalesce(adopted_into, tree_id)));
