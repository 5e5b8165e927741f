-- NEAR's own status of a transaction beside the verdict, who handled a failure, and its root cause.
--
-- Rows that are there already are not looked at again: a table of billions would be read for nothing.
ALTER TABLE receipts DROP CONSTRAINT receipts_role_check;
ALTER TABLE receipts ADD CONSTRAINT receipts_role_check
    CHECK (role IN ('initial', 'callback', 'promise', 'returned', 'detached', 'refund', 'payout')) NOT VALID;

ALTER TABLE transaction_results ADD COLUMN near_status text COLLATE "C", ADD COLUMN near_status_receipt_id text COLLATE "C",
    ADD COLUMN root_cause text COLLATE "C";
ALTER TABLE transaction_results ADD CONSTRAINT transaction_results_near_status_check
    CHECK (near_status IN ('success', 'failure')) NOT VALID;
ALTER TABLE findings ADD COLUMN handled_by text[] COLLATE "C", ADD COLUMN root_cause text COLLATE "C";
