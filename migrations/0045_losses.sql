-- Fees and losses are two sums, tokens can be lost, and an account that a transaction names need not be its user.
ALTER TABLE transaction_results ADD COLUMN tokens_lost numeric(39, 0);
ALTER TABLE transaction_results ADD COLUMN claimed_user_id text COLLATE "C";
ALTER TABLE transactions ADD COLUMN claimed_user_id text COLLATE "C";
ALTER TABLE transaction_results DROP CONSTRAINT transaction_results_effect_check;
ALTER TABLE transaction_results ADD CONSTRAINT transaction_results_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed', 'tokens_lost')) NOT VALID;
ALTER TABLE findings DROP CONSTRAINT findings_effect_check;
ALTER TABLE findings ADD CONSTRAINT findings_effect_check
    CHECK (effect IN ('refunded', 'refunded_in_part', 'told', 'swallowed', 'tokens_lost')) NOT VALID;
ALTER TABLE wanted_watches ADD COLUMN claimed_at timestamptz;
