-- Rules choose what an endpoint gets. They stand here, so that whoever commits a block queues for the endpoints
-- of all daemons. Of two rules of one name the one that was loaded later counts.
CREATE TABLE alert_rules (
    name text COLLATE "C" PRIMARY KEY,
    version int NOT NULL DEFAULT 1,
    definition text NOT NULL,
    daemon uuid NOT NULL,
    place text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE alert_rule_versions (
    name text COLLATE "C" NOT NULL,
    version int NOT NULL,
    definition text NOT NULL,
    place text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, version)
);

CREATE TABLE account_lists (
    name text COLLATE "C" PRIMARY KEY,
    from_file boolean NOT NULL,
    daemon uuid NOT NULL,
    place text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);
-- Accounts that left a list stay as removed: who knows an earlier state reads only what changed since.
CREATE TABLE listed_accounts (
    list text COLLATE "C" NOT NULL REFERENCES account_lists ON DELETE CASCADE,
    account_id text COLLATE "C" NOT NULL,
    removed boolean NOT NULL DEFAULT false,
    changed bigint NOT NULL,
    PRIMARY KEY (list, account_id)
);
CREATE INDEX ON listed_accounts (changed);

-- Counts changes of rules, of lists and of silences. Whoever changes them locks the row until it commits, so the counts grow in
-- the order of the commits.
CREATE TABLE alert_rule_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rules bigint NOT NULL DEFAULT 0,
    lists bigint NOT NULL DEFAULT 0,
    silences bigint NOT NULL DEFAULT 0
);
INSERT INTO alert_rule_state DEFAULT VALUES;

-- Which rules an endpoint takes: asked by rule for each alert, whatever their number.
CREATE TABLE endpoint_rules (
    rule text COLLATE "C" NOT NULL,
    endpoint text COLLATE "C" NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    PRIMARY KEY (rule, endpoint)
);
CREATE INDEX ON endpoint_rules (endpoint);

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

-- Failures that somebody expects: nobody is alerted.
CREATE TABLE expected_failures (
    name text COLLATE "C" PRIMARY KEY,
    contract_like text COLLATE "C" NOT NULL,
    method_like text COLLATE "C" NOT NULL,
    error_class_like text COLLATE "C" NOT NULL,
    daemon uuid NOT NULL
);
