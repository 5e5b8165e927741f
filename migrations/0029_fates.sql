-- What an alert is about, so that silences and groups need no other table; and what became of each delivery.
ALTER TABLE alerts
    ADD COLUMN contract_id text COLLATE "C",
    ADD COLUMN method_name text COLLATE "C",
    ADD COLUMN error_class text COLLATE "C",
    ADD COLUMN signer_id text COLLATE "C",
    ADD COLUMN user_id text COLLATE "C",
    ADD COLUMN account_id text COLLATE "C",
    ADD COLUMN caused_at timestamptz;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_state_check;
ALTER TABLE deliveries
    ADD CONSTRAINT deliveries_state_check
        CHECK (state IN ('pending', 'delivered', 'dead', 'grouped', 'silenced', 'withheld', 'late')) NOT VALID,
    ADD COLUMN dead_because text COLLATE "C"
        CHECK (dead_because IN ('attempts', 'gone', 'expired', 'unserved')),
    ADD COLUMN by_hand boolean NOT NULL DEFAULT false;
