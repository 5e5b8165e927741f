-- Groups of alerts that an endpoint gets as one message and digests, and what it has had in an hour.
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
    CHECK (told <= members)
) WITH (fillfactor = 70);
-- A key may be longer than an index takes.
CREATE UNIQUE INDEX ON alert_groups (endpoint, md5(key)) WHERE ended_at IS NULL;
CREATE INDEX ON alert_groups (endpoint, due_at) WHERE ended_at IS NULL;
CREATE INDEX ON alert_groups (last_member_at);
CREATE TABLE endpoint_load (
    endpoint text COLLATE "C" PRIMARY KEY,
    hour timestamptz NOT NULL DEFAULT date_trunc('hour', now()),
    passed bigint NOT NULL DEFAULT 0,
    withheld bigint NOT NULL DEFAULT 0,
    free_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
ALTER TABLE deliveries ADD COLUMN group_id bigint;
CREATE INDEX ON deliveries (group_id) WHERE group_id IS NOT NULL;
