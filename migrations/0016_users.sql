-- Users behind relayers, and wallets that do not do what their owners signed. NULL: the signer.
ALTER TABLE transactions ADD COLUMN user_id text COLLATE "C";
ALTER TABLE transaction_results ADD COLUMN user_id text COLLATE "C";
ALTER TABLE findings ADD COLUMN user_id text COLLATE "C";
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'wallet_refused', 'rejected',
                    'forwarding_failed', 'dropped', 'expired', 'unknown', 'stuck', 'corrected')) NOT VALID;
