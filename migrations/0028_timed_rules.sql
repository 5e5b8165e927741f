-- Timed rules: how far the leader has counted for each of them, what it has counted, and the episodes in which their
-- conditions held. Times are those of blocks.
CREATE TABLE timed_rules (
    rule text COLLATE "C" PRIMARY KEY,
    version int NOT NULL,
    counted_from timestamptz,
    counted_until timestamptz,
    state text COLLATE "C" NOT NULL,
    CHECK (counted_from <= counted_until)
) WITH (fillfactor = 50);
-- Of each rule the newest successes that can decide it: not more than its at_least, and one block more.
CREATE TABLE timed_successes (
    rule text COLLATE "C" NOT NULL,
    block_height bigint NOT NULL,
    block_time timestamptz NOT NULL,
    successes int NOT NULL,
    tx_hash text COLLATE "C",
    receipt_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (rule, block_height)
);
CREATE TABLE timed_episodes (
    rule text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    version int NOT NULL,
    alert_id text COLLATE "C" NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (rule, began_at),
    CHECK (began_at <= ended_at)
);
CREATE UNIQUE INDEX ON timed_episodes (rule) WHERE ended_at IS NULL;
