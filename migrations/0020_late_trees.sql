-- Trees of which receipts were stored that nobody could judge as they went by: their parents, or the whole tree, were
-- not in memory any more. Written with the rows, gone when the tree was judged from its rows.
CREATE TABLE late_trees (
    tx_hash text COLLATE "C" PRIMARY KEY,
    since timestamptz NOT NULL,
    history boolean NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON late_trees (due_at);
