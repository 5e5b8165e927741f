-- Alerts: who gets what, and what became of it.

-- The [[endpoint]]s of the configuration, written by each daemon that starts. An endpoint belongs to the daemons that serve
-- it: another daemon's configuration never switches it off.
CREATE TABLE endpoints (
    name text COLLATE "C" PRIMARY KEY,
    active boolean NOT NULL DEFAULT true,   -- false: not configured any more, or it answered 410
    updated_at timestamptz NOT NULL DEFAULT now(),
    served_at timestamptz NOT NULL DEFAULT now(),
    served_by text,            -- the daemon that had it in its configuration last
    paused_since timestamptz   -- an operator holds back what it gets (receiptd endpoints pause)
);

-- A statement that makes many alerts takes one number of the sequence, and counts on from it.
CREATE SEQUENCE alert_places INCREMENT BY 1000000;

CREATE TABLE alerts (
    alert_id text COLLATE "C" PRIMARY KEY,  -- the finding's id: what is found again is no new alert; the webhook-id
    kind text COLLATE "C" NOT NULL,
    tx_hash text COLLATE "C",
    payload text,                           -- the body as it is signed and sent; made before the first attempt
    created_at timestamptz NOT NULL DEFAULT now(),
    -- There is another alert of a finding that was taken back and holds after all, and of what changes about it.
    telling int NOT NULL DEFAULT 1,
    handled boolean,
    cause json,  -- what it is about, where no other table has it
    -- Endpoints that ask for it are sent the alerts of one transaction in this order.
    place bigint DEFAULT nextval('alert_places'),
    -- What it is about, so that silences and groups need no other table.
    contract_id text COLLATE "C",
    method_name text COLLATE "C",
    error_class text COLLATE "C",
    signer_id text COLLATE "C",
    user_id text COLLATE "C",
    account_id text COLLATE "C",
    caused_at timestamptz,
    -- One about outcomes waits until these are confirmed, for some time.
    confirmed boolean,
    waits_for bigint
);
CREATE INDEX ON alerts (created_at);
CREATE INDEX ON alerts (tx_hash);
CREATE INDEX ON alerts (waits_for) WHERE confirmed IS NULL AND waits_for IS NOT NULL;

CREATE TABLE deliveries (
    alert_id text COLLATE "C" NOT NULL REFERENCES alerts ON DELETE CASCADE,
    endpoint text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'delivered', 'dead', 'grouped', 'silenced', 'withheld', 'late', 'overtaken')),
    attempts int NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease_owner uuid,
    last_status int,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    rules text[] COLLATE "C",  -- that matched, with their versions: 'payments@3', 'default'
    last_answer text,          -- the beginning of what the endpoint answered last
    dead_because text COLLATE "C" CHECK (dead_because IN ('attempts', 'gone', 'expired', 'unserved')),
    by_hand boolean NOT NULL DEFAULT false,
    silence_id bigint,
    group_id bigint,
    -- It is sent, or would have been, long after its cause.
    late boolean NOT NULL DEFAULT false,
    withhold_late boolean NOT NULL DEFAULT false,
    PRIMARY KEY (alert_id, endpoint)
) WITH (fillfactor = 70);
CREATE INDEX ON deliveries (endpoint, next_attempt_at) WHERE state = 'pending';
CREATE INDEX ON deliveries (endpoint) WHERE state = 'dead';
CREATE INDEX ON deliveries (group_id) WHERE group_id IS NOT NULL;
-- The backlog of an endpoint: how many deliveries wait, and for how long the oldest has waited. Both are read from the
-- index alone, however many there are.
CREATE INDEX ON deliveries (endpoint, created_at) WHERE state = 'pending';
-- The messages of a group, without the alerts that they count.
CREATE INDEX deliveries_of_groups ON deliveries (group_id) WHERE group_id IS NOT NULL AND state <> 'grouped';

-- Alerts that match a silence are not sent while it lasts.
CREATE TABLE silences (
    silence_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    matcher json NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    reason text NOT NULL,
    author text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_by text,  -- who ended it before its time, which ends_at tells
    CHECK (starts_at <= ends_at)
);
CREATE INDEX ON silences (ends_at);

-- Groups of alerts that an endpoint gets as one message and digests.
CREATE TABLE alert_groups (
    group_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    endpoint text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    members bigint NOT NULL DEFAULT 0,
    told bigint NOT NULL DEFAULT 0,
    digests int NOT NULL DEFAULT 0,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    untold_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
    opened_at timestamptz NOT NULL DEFAULT now(),
    told_at timestamptz NOT NULL DEFAULT now(),
    last_member_at timestamptz NOT NULL DEFAULT now(),
    due_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    rules text COLLATE "C",       -- a JSON array of their names: how many groups they have opened in the last hour
    name text COLLATE "C",        -- good outside of this database
    began_with text COLLATE "C",
    CHECK (told <= members)
) WITH (fillfactor = 70);
-- A key may be longer than an index takes.
CREATE UNIQUE INDEX ON alert_groups (endpoint, md5(key)) WHERE ended_at IS NULL;
CREATE INDEX ON alert_groups (endpoint, due_at) WHERE ended_at IS NULL;
CREATE INDEX ON alert_groups (last_member_at);
CREATE INDEX ON alert_groups (endpoint, opened_at);

-- What an endpoint has had in an hour.
CREATE TABLE endpoint_load (
    endpoint text COLLATE "C" PRIMARY KEY,
    hour timestamptz NOT NULL DEFAULT date_trunc('hour', now()),
    passed bigint NOT NULL DEFAULT 0,
    withheld bigint NOT NULL DEFAULT 0,
    free_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
