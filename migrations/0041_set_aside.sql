-- What the database does not take, or cannot read, because of its own data (daemon/storage/set_aside.hpp).
CREATE TABLE set_aside_rows (
    what text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    times bigint NOT NULL,
    PRIMARY KEY (what, id)
);
-- The view set_aside is counted every few seconds, and both tables may have a million other rows.
CREATE INDEX ON unavailable_heights (height) WHERE reason = 'refused_by_database';
CREATE INDEX ON pending_trees (tx_hash) WHERE reason LIKE 'refused\_by\_database%';
