CREATE OR REPLACE VIEW account_coverage AS
WITH followed AS (
    -- Where everything is wanted, no account is wanted for itself.
    SELECT * FROM followed_accounts f
    WHERE was_whole IS NULL AND (account_id = '*' OR NOT EXISTS (
        SELECT FROM followed_accounts e WHERE e.account_id = '*' AND e.was_whole IS NULL))
), ranges AS (
    SELECT f.account_id, f.since_height, unnest(c.heights - f.not_whole) AS heights, true AS whole
    FROM followed f CROSS JOIN coverage c
    UNION ALL
    SELECT f.account_id, f.since_height, unnest(c.heights * f.not_whole), false
    FROM followed f CROSS JOIN coverage c
)
SELECT account_id,
       lower(heights) AS from_height,
       upper(heights) - 1 AS to_height,
       upper(heights) - lower(heights) AS heights,
       whole,
       since_height
FROM ranges;

CREATE OR REPLACE VIEW gaps AS
WITH missing AS (
    SELECT scope, wanted - heights AS heights FROM coverage
), tried AS (
    SELECT m.scope, u.reason, range_agg(int8range(u.height, u.height + 1)) AS heights
    FROM unavailable_heights u
    JOIN missing m ON m.heights @> u.height
    GROUP BY m.scope, u.reason
), untried AS (
    SELECT m.scope, NULL::text AS reason,
           m.heights - coalesce((SELECT range_agg(one) FROM tried t, unnest(t.heights) AS one
                                 WHERE t.scope = m.scope), '{}') AS heights
    FROM missing m
), ranges AS (
    SELECT scope, reason, unnest(heights) AS heights FROM tried
    UNION ALL
    SELECT scope, reason, unnest(heights) FROM untried
    UNION ALL
    SELECT c.scope, 'skipped by operator', unnest(s.heights - c.wanted - c.heights)
    FROM operator_skips s CROSS JOIN coverage c
)
SELECT lower(r.heights) AS from_height,
       upper(r.heights) - 1 AS to_height,
       upper(r.heights) - lower(r.heights) AS heights,
       coalesce(r.reason, 'not fetched yet') AS reason,
       last_try.detail,
       tries.attempts,
       tries.since,
       tries.last_attempt_at,
       tries.next_attempt_at
FROM ranges r
LEFT JOIN LATERAL (
    SELECT max(u.attempts) AS attempts, min(u.first_seen_at) AS since,
           max(u.last_attempt_at) AS last_attempt_at, min(u.next_attempt_at) AS next_attempt_at
    FROM unavailable_heights u
    WHERE r.reason IS NOT NULL AND u.height >= lower(r.heights) AND u.height < upper(r.heights)
) tries ON true
LEFT JOIN LATERAL (
    SELECT u.detail
    FROM unavailable_heights u
    WHERE r.reason IS NOT NULL AND u.height >= lower(r.heights) AND u.height < upper(r.heights)
    ORDER BY u.last_attempt_at DESC, u.height
    LIMIT 1
) last_try ON true
ORDER BY 1;

CREATE OR REPLACE VIEW skipped_heights AS
SELECT height, b.block_height AS next_block_height, b.block_time AS next_block_time
FROM blocks b
CROSS JOIN LATERAL generate_series(b.prev_height + 1, b.block_height - 1) AS height
WHERE b.prev_height < b.block_height - 1;

CREATE OR REPLACE VIEW failed_receipts AS
SELECT receipt_id, tx_hash, tree_id, block_height, block_time, shard_id, role, predecessor_id, receiver_id,
       method_name, error_class, error_text, parent_receipt_id, signer_id, deposit, gas_burnt, logs
FROM receipts
WHERE status = 'failure';
