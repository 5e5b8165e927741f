-- One daemon of those that share the database follows the head: it holds this lease. Commits of the head share the
-- key of its row until they end, so that nobody takes over in the middle of one.
CREATE TABLE leader (
    only_row boolean NOT NULL UNIQUE DEFAULT true CHECK (only_row),
    epoch bigint PRIMARY KEY,
    holder uuid NOT NULL,
    place text NOT NULL,
    process text NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Written with the heights that make a seam, gone when the seam is closed: a stop or a crash between the two loses
-- no verdict.
CREATE TABLE pending_seams (
    from_height bigint PRIMARY KEY,
    to_height bigint NOT NULL,
    history boolean NOT NULL,
    touched_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
