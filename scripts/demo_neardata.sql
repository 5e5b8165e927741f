-- The closing answers of ./dev demo on whole blocks.
\pset border 1
\pset linestyle ascii

\echo
\echo '-- Blocks, and what they carried.'
SELECT count(*) AS blocks,
       (SELECT count(*) FROM transactions) AS transactions,
       (SELECT count(*) FROM receipts) AS receipts,
       (SELECT count(*) FROM receipts WHERE status = 'failure') AS failed,
       (SELECT count(*) FROM data_receipts) AS data_receipts,
       (SELECT count(*) FROM events) AS events,
       (SELECT coalesce(sum(heights), 0) FROM gaps) AS gaps
FROM blocks;

\echo '-- Events by contract, as NEP-297 logs name them.'
SELECT account_id AS contract, standard, event, count(*)
FROM events
GROUP BY 1, 2, 3
ORDER BY 4 DESC, 1, 2, 3
LIMIT 5;
