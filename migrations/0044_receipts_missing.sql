-- Trees of which no host tells all receipts: what is known is stored, and they stay pending.
ALTER TABLE pending_trees ADD COLUMN receipts_missing_since timestamptz;
ALTER TABLE pending_trees ADD COLUMN stored_part text COLLATE "C" CHECK (stored_part IN ('rows', 'undecided'));
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'burnt_tokens', 'wallet_refused',
                    'yield_timed_out', 'undecided', 'rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown',
                    'stuck', 'corrected')) NOT VALID;
