-- Daemons that share the database know of each other: what must agree is refused, what may differ is said.
CREATE TABLE daemons (
    id uuid PRIMARY KEY,
    place text NOT NULL,
    source text NOT NULL,
    keep_hours int,
    accounts text[] COLLATE "C" NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- Coverage knows heights, not accounts: an account that was added later is complete only from then on.
CREATE TABLE followed_accounts (
    account_id text COLLATE "C" PRIMARY KEY,
    since_height bigint NOT NULL
);
