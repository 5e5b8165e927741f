-- Watching: what really happened to the transactions that people ask for.

-- Anybody may insert here: what is no hash (the characters of base58 are in the order of their codes, so the
-- largest number of 32 bytes is the last text) and what is no account is refused at once.
CREATE TABLE watches (
    tx_hash text COLLATE "C" PRIMARY KEY
        CHECK (tx_hash ~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$'
               AND (length(tx_hash) < 44 OR tx_hash <= 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')),
    sender_id text COLLATE "C" NOT NULL CHECK (sender_id ~ '^[a-z0-9._-]{2,64}$'),
    stage text COLLATE "C" NOT NULL DEFAULT 'accepted'
        CHECK (stage IN ('accepted', 'pending', 'included', 'executing', 'completed', 'final', 'rejected',
                         'forwarding_failed', 'dropped', 'expired', 'unknown')),
    verdict text COLLATE "C"
        CHECK (verdict IN ('succeeded', 'failed', 'callback_failed', 'receipt_failed',
                           'succeeded_with_handled_failure')),
    reason text COLLATE "C",
    evidence json,
    -- 'hash' (HTTP, command line, SQL), 'rule', 'submission'
    origin text COLLATE "C" NOT NULL DEFAULT 'hash' CHECK (origin IN ('hash', 'rule', 'submission')),
    rule text COLLATE "C",
    -- Facts of a transaction that was handed in here.
    signed_tx_base64 text,
    idempotency_key text COLLATE "C",
    public_key text COLLATE "C",
    nonce numeric(20, 0) CHECK (nonce BETWEEN 0 AND 18446744073709551615),
    valid_until bigint CHECK (valid_until >= 0),
    block_hash text COLLATE "C",
    block_hash_height bigint CHECK (block_hash_height >= 0),
    watched_since bigint CHECK (watched_since >= 0),  -- final height when it was first looked for
    next_check_at timestamptz NOT NULL DEFAULT now(),
    checks int NOT NULL DEFAULT 0 CHECK (checks >= 0),   -- requests made for it
    stuck_since timestamptz,
    stage_since timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    nonce_index int CHECK (nonce_index BETWEEN 0 AND 65535),
    -- Whether the transaction can be paid for, its hosts' own verifier says.
    objection json,
    -- Whether the end is proven, and from when the transaction may be signed anew.
    conclusive boolean NOT NULL DEFAULT false,
    safe_to_resign_after_height bigint,
    safe_to_resign_estimated_at timestamptz,
    -- The block that includes it and is not final yet.
    early_block_hash text COLLATE "C",
    early_block_height bigint CHECK (early_block_height >= 0),
    early_block_time timestamptz,
    CHECK (num_nulls(early_block_hash, early_block_height, early_block_time) IN (0, 3)),
    -- Given by who submits or watches the transaction: each message repeats it.
    metadata json CHECK (length(metadata::text) <= 4096),
    -- The caller's span, of the header of that name: the transaction's trace goes on below it.
    traceparent text COLLATE "C" CHECK (length(traceparent) BETWEEN 55 AND 512),
    -- Whoever inserts may not stop those who read: programs count in nanoseconds.
    CHECK (greatest(next_check_at, stuck_since, stage_since, created_at, updated_at) < '2200-01-01Z'
           AND least(next_check_at, stuck_since, stage_since, created_at, updated_at) > '2000-01-01Z')
) WITH (fillfactor = 70);
-- Those that have ended stay, so the open ones are found by themselves.
CREATE INDEX ON watches (tx_hash) WHERE stage IN ('accepted', 'pending', 'included', 'executing', 'completed');
CREATE INDEX ON watches (tx_hash) WHERE stage IN ('rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown');
CREATE INDEX ON watches (created_at) WHERE watched_since IS NULL
    AND stage IN ('accepted', 'pending', 'included', 'executing', 'completed');
CREATE INDEX ON watches (created_at, tx_hash) WHERE signed_tx_base64 IS NOT NULL
    AND (stage IN ('accepted', 'pending') OR early_block_hash IS NOT NULL);
CREATE UNIQUE INDEX ON watches (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ON watches (created_at, tx_hash);
CREATE INDEX ON watches (sender_id, created_at, tx_hash);
CREATE INDEX ON watches (stage, created_at, tx_hash)
    WHERE stage IN ('final', 'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown');
CREATE INDEX ON watches (verdict, created_at, tx_hash) WHERE verdict IS NOT NULL;
CREATE INDEX ON watches (stage_since) WHERE stage = 'final' AND NOT conclusive;

CREATE TABLE watch_transitions (
    tx_hash text COLLATE "C" NOT NULL,
    from_stage text COLLATE "C" NOT NULL,
    to_stage text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),  -- when it was learned
    block_height bigint,                                -- the block that proves it, and its time
    block_time timestamptz,
    evidence json NOT NULL,
    conclusive boolean,
    safe_to_resign_after_height bigint,
    safe_to_resign_estimated_at timestamptz,
    final boolean,        -- of an inclusion: whether its block is
    inclusion_id text COLLATE "C"  -- of one that was not
);
CREATE INDEX ON watch_transitions (tx_hash, at);
CREATE INDEX ON watch_transitions (at);

-- What /v1/stream tells, in the order of (transaction, id): readers go up to the oldest transaction
-- that is still open, so nothing that commits late is passed by.
CREATE TABLE stream_events (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('transition', 'finding')),
    tx_hash text COLLATE "C",
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    body json NOT NULL
);
CREATE INDEX ON stream_events (written_by, id);
CREATE INDEX ON stream_events (at);

-- Watches that rules ask for. They are written with the block of the transaction, and become rows of `watches` beside
-- it: another session may hold the row of that hash for as long as it likes.
CREATE TABLE wanted_watches (
    tx_hash text PRIMARY KEY,
    sender_id text NOT NULL,
    rule text NOT NULL,
    tries int NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    claimed_at timestamptz  -- the rule matched an account that the transaction names, and that is not proven to have signed
);
CREATE INDEX ON wanted_watches (next_try_at);

-- Trees to be sent as traces, by execution: one that comes again is not sent again. 0: the watch ended without a block.
CREATE TABLE trace_outbox (
    tx_hash text COLLATE "C" NOT NULL,
    included_height bigint NOT NULL,
    ended_at timestamptz NOT NULL,
    queued_at timestamptz NOT NULL DEFAULT now(),
    claimed_until timestamptz,
    done_at timestamptz,
    PRIMARY KEY (tx_hash, included_height)
) WITH (fillfactor = 70);
CREATE INDEX ON trace_outbox (queued_at) WHERE done_at IS NULL;
