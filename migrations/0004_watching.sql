-- Watching: what really happened to transactions, and who is told.
--
-- transaction_results and findings are history: partitioned, append-only, found by tree_id. A finding is
-- written once, in the transaction that commits the receipt that proves it. The rest is operational.

-- A gas key has several nonces.
ALTER TABLE transactions ADD COLUMN nonce_index int;

CREATE TABLE transaction_results (
    tx_hash text COLLATE "C" NOT NULL,
    tree_id text COLLATE "C" NOT NULL,
    -- Of the block that includes the transaction, as in transactions.
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
    tokens_burnt numeric(39, 0) NOT NULL,
    UNIQUE (tx_hash, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON transaction_results (block_time) WHERE verdict <> 'succeeded';
CREATE INDEX ON transaction_results USING brin (block_time, block_height) WITH (pages_per_range = 32, autosummarize = on);

CREATE TABLE findings (
    -- The same for the same cause, however often it is found: kind and receipt, or kind and transaction.
    finding_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL
        CHECK (kind IN ('failed_receipt', 'failed_transaction', 'rejected', 'forwarding_failed', 'dropped',
                        'expired', 'unknown', 'stuck')),
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
    UNIQUE (finding_id, tree_id, block_time)
) PARTITION BY RANGE (block_time);
CREATE INDEX ON findings (contract_id, block_time);
CREATE INDEX ON findings USING hash (tree_id);
CREATE INDEX ON findings (block_time);
CREATE INDEX ON findings (kind, block_time);

-- Trees that a seam has put together are looked for there.
CREATE INDEX ON orphan_receipts (block_height) WHERE kind = 'receipt' AND adopted_at IS NOT NULL;

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
    -- What is known of a transaction that was handed in here.
    signed_tx_base64 text,
    idempotency_key text COLLATE "C",
    public_key text COLLATE "C",
    nonce numeric(20, 0) CHECK (nonce BETWEEN 0 AND 18446744073709551615),
    valid_until bigint CHECK (valid_until >= 0),
    block_hash text COLLATE "C",
    block_hash_height bigint CHECK (block_hash_height >= 0),
    cost numeric(39, 0) CHECK (cost >= 0),
    watched_since bigint CHECK (watched_since >= 0),  -- final height when it was first looked for
    next_check_at timestamptz NOT NULL DEFAULT now(),
    checks int NOT NULL DEFAULT 0 CHECK (checks >= 0),   -- requests made for it
    balance_missing_since bigint CHECK (balance_missing_since >= 0),    -- height
    stuck_since timestamptz,
    stage_since timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Whoever inserts may not stop those who read: programs count in nanoseconds.
    CHECK (greatest(next_check_at, stuck_since, stage_since, created_at, updated_at) < '2200-01-01Z'
           AND least(next_check_at, stuck_since, stage_since, created_at, updated_at) > '2000-01-01Z')
) WITH (fillfactor = 70);
-- Those that have ended stay, so the open ones are found by themselves.
CREATE INDEX ON watches (tx_hash) WHERE stage IN ('accepted', 'pending', 'included', 'executing', 'completed');
CREATE INDEX ON watches (tx_hash) WHERE stage IN ('rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown');
CREATE INDEX ON watches (created_at) WHERE watched_since IS NULL
    AND stage IN ('accepted', 'pending', 'included', 'executing', 'completed');
CREATE INDEX ON watches (created_at, tx_hash) WHERE signed_tx_base64 IS NOT NULL AND stage IN ('accepted', 'pending');
CREATE UNIQUE INDEX ON watches (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ON watches (created_at, tx_hash);
CREATE INDEX ON watches (sender_id, created_at, tx_hash);
CREATE INDEX ON watches (stage, created_at, tx_hash)
    WHERE stage IN ('final', 'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown');
CREATE INDEX ON watches (verdict, created_at, tx_hash) WHERE verdict IS NOT NULL;

CREATE TABLE watch_transitions (
    tx_hash text COLLATE "C" NOT NULL,
    from_stage text COLLATE "C" NOT NULL,
    to_stage text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),  -- when it was learned
    block_height bigint,                                -- the block that proves it, and its time
    block_time timestamptz,
    evidence json NOT NULL
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

-- The [[endpoint]]s of the configuration, written by each daemon that starts.
CREATE TABLE endpoints (
    name text COLLATE "C" PRIMARY KEY,
    active boolean NOT NULL DEFAULT true,   -- false: not configured any more, or it answered 410
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE alerts (
    alert_id text COLLATE "C" PRIMARY KEY,  -- the finding's id: what is found again is not told again; the webhook-id
    kind text COLLATE "C" NOT NULL,
    tx_hash text COLLATE "C",
    payload text,                           -- the body as it is signed and sent; made before the first attempt
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON alerts (created_at);
CREATE INDEX ON alerts (tx_hash);

CREATE TABLE deliveries (
    alert_id text COLLATE "C" NOT NULL REFERENCES alerts ON DELETE CASCADE,
    endpoint text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts int NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease_owner uuid,
    last_status int,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    PRIMARY KEY (alert_id, endpoint)
) WITH (fillfactor = 70);
CREATE INDEX ON deliveries (endpoint, next_attempt_at) WHERE state = 'pending';
CREATE INDEX ON deliveries (endpoint) WHERE state = 'dead';

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
