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
-- Counts their changes, so that a claim knows whether those that it knows still count.
ALTER TABLE alert_rule_state ADD COLUMN silences bigint NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN silence_id bigint;
