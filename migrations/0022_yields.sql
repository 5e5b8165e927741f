-- Yields that nobody resumed in time.
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused',
                    'yield_timed_out', 'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown', 'stuck',
                    'corrected')) NOT VALID;
