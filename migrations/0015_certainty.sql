-- What a watch says: whether it is proven, and from when its transaction may be signed anew. Whether a transaction can
-- be paid for, its hosts' own verifier says (objection), not a sum of ours.
ALTER TABLE watches DROP COLUMN cost, DROP COLUMN balance_missing_since,
    ADD COLUMN nonce_index int CHECK (nonce_index BETWEEN 0 AND 65535),
    ADD COLUMN objection json,
    ADD COLUMN conclusive boolean NOT NULL DEFAULT false,
    ADD COLUMN safe_to_resign_after_height bigint,
    ADD COLUMN safe_to_resign_estimated_at timestamptz;
ALTER TABLE watch_transitions
    ADD COLUMN conclusive boolean,
    ADD COLUMN safe_to_resign_after_height bigint,
    ADD COLUMN safe_to_resign_estimated_at timestamptz;
ALTER TABLE findings
    ADD COLUMN conclusive boolean,
    ADD COLUMN safe_to_resign_after_height bigint,
    ADD COLUMN safe_to_resign_estimated_at timestamptz;
-- What a told end turned out to be.
ALTER TABLE findings ADD COLUMN correction json;
ALTER TABLE findings DROP CONSTRAINT findings_kind_check;
ALTER TABLE findings ADD CONSTRAINT findings_kind_check
    CHECK (kind IN ('failed_receipt', 'failed_transaction', 'tokens_returned', 'rejected', 'forwarding_failed', 'dropped',
                    'expired', 'unknown', 'stuck', 'corrected')) NOT VALID;
UPDATE watches SET
    conclusive = stage IN ('included', 'executing', 'completed', 'final', 'expired')
        OR (stage = 'dropped' AND reason IN ('superseded', 'key_removed', 'account_removed')),
    safe_to_resign_after_height = CASE
        WHEN stage = 'expired'
            OR (stage = 'dropped' AND reason IN ('superseded', 'key_removed', 'account_removed')) THEN 0
        WHEN stage NOT IN ('included', 'executing', 'completed', 'final') THEN valid_until
    END;
