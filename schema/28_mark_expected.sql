-- Marks findings of failures that somebody expects, in the transaction that stores them. Money that is gone and
-- ends of watches are nothing that one expects. Mostly nobody expects anything: then it costs nothing.
CREATE OR REPLACE FUNCTION mark_expected(ids text[], since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM expected_failures) THEN
        RETURN;
    END IF;
    UPDATE findings f SET expected = true
    WHERE f.finding_id = ANY (ids) AND f.block_time BETWEEN since AND until
      AND f.kind IN ('failed_receipt', 'failed_transaction', 'yield_timed_out')
      AND EXISTS (SELECT FROM expected_failures e
                  WHERE coalesce(f.contract_id, '') LIKE e.contract_like
                    AND coalesce(f.method_name, '') LIKE e.method_like
                    AND coalesce(f.error_class, '') LIKE e.error_class_like);
END
$$;
