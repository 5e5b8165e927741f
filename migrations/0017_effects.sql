-- What came of handled failures, and refunds and payouts that were burnt.
ALTER TABLE transaction_results DROP CONSTRAINT transaction_results_effect_check;
ALTER TABLE transaction_results ADD CONSTRAINT transaction_results_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed')) NOT VALID;
ALTER TABLE findings ADD COLUMN amount_burnt numeric(39, 0);
ALTER TABLE findings DROP CONSTRAINT findings_effect_check;
ALTER TABLE findings ADD CONSTRAINT findings_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed')) NOT VALID;
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused',
                    'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown', 'stuck', 'corrected')) NOT VALID;
