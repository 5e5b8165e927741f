-- Rows that sessions of the daemon's role lock, so that one after the other does something. Advisory locks, which were
-- used before, can be taken by every role of the server.
CREATE TABLE locks (name text PRIMARY KEY);
INSERT INTO locks VALUES ('adoption'), ('daemons'), ('partitions');

-- Watches that rules ask for. They are written with the block of the transaction, and become rows of `watches` beside
-- it: another session may hold the row of that hash for as long as it likes.
CREATE TABLE wanted_watches (
    tx_hash text PRIMARY KEY,
    sender_id text NOT NULL,
    rule text NOT NULL,
    tries int NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON wanted_watches (next_try_at);
