-- Daemons that share the database know of each other: what must agree is refused, what may differ is said.
CREATE TABLE daemons (
    id uuid PRIMARY KEY,
    place text NOT NULL,
    source text NOT NULL,
    keep_receipts_hours int,
    keep_results_hours int,
    accounts text[] COLLATE "C" NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    tells_delegate_duplicates boolean NOT NULL DEFAULT false  -- it wants alerts of relayers' repetitions, too
);

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

-- An id of this database, which is good outside of it.
CREATE TABLE database_identity (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    database_id uuid NOT NULL,
    system_identifier text COLLATE "C",
    database_oid oid NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);
