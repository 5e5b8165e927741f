-- Rules choose what an endpoint is told of. They stand here, so that whoever commits a block queues for the endpoints
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

-- Counts changes of rules and of lists. Whoever changes them locks the row until it commits, so the counts grow in
-- the order of the commits.
CREATE TABLE alert_rule_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rules bigint NOT NULL DEFAULT 0,
    lists bigint NOT NULL DEFAULT 0
);
INSERT INTO alert_rule_state DEFAULT VALUES;

-- Which rules an endpoint takes: asked by rule for each alert, whatever their number.
CREATE TABLE endpoint_rules (
    rule text COLLATE "C" NOT NULL,
    endpoint text COLLATE "C" NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    PRIMARY KEY (rule, endpoint)
);
CREATE INDEX ON endpoint_rules (endpoint);
INSERT INTO endpoint_rules SELECT 'default', name FROM endpoints;
-- What the one who submitted or watches the transaction wants to be told with it.
ALTER TABLE watches ADD COLUMN metadata json CHECK (length(metadata::text) <= 4096);
-- What the alert is about, where no other table tells it.
ALTER TABLE alerts ADD COLUMN cause json;
-- The rules that matched, with their versions: 'payments@3', 'default'. NULL: it was queued before there were rules.
ALTER TABLE deliveries ADD COLUMN rules text[] COLLATE "C";
