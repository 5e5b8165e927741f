-- Tokens that came back to the sender of a transaction.
ALTER TABLE transaction_results ADD COLUMN effect text COLLATE "C";
ALTER TABLE transaction_results ADD CONSTRAINT transaction_results_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part')) NOT VALID;
ALTER TABLE findings ADD COLUMN effect text COLLATE "C", ADD COLUMN amount_kept numeric(39, 0),
    ADD COLUMN amount_returned numeric(39, 0);
ALTER TABLE findings ADD CONSTRAINT findings_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part')) NOT VALID;
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'rejected', 'forwarding_failed', 'dropped',
                    'expired', 'unknown', 'stuck')) NOT VALID;
