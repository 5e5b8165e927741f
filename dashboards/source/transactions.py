"""What one account or one contract does: how much, how it ends, how long it takes, what it costs."""

from parts import BAD, CHOSEN, GOOD, HERE, PLAIN, SOON, board, board_link, is_chosen, lines, postgres, prometheus, quantiles, row, stat, table

ACCOUNT, CONTRACT = "${account:sqlstring}", "${contract:sqlstring}"
# The rows of an account and of a contract come from the indexes of what they signed and received; all others are read
# in the order of time. Of the three parts PostgreSQL runs one. A condition on what is chosen stands in a SELECT of its own:
# where it is plainly false PostgreSQL forgets the time beside it, and locks the partitions of all times.
RESULTS = f"""(
    SELECT r.* FROM transaction_results r WHERE (SELECT {ACCOUNT} = '' AND {CONTRACT} = '') AND $__timeFilter(r.block_time)
    UNION ALL
    SELECT r.* FROM transactions t JOIN transaction_results r ON r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time
    WHERE (SELECT {ACCOUNT} <> '') AND t.signer_id = {ACCOUNT} AND {is_chosen("contract", "t.receiver_id")}
      AND $__timeFilter(t.block_time) AND $__timeFilter(r.block_time)
    UNION ALL
    SELECT r.* FROM receipts i JOIN transaction_results r ON r.tx_hash = i.tx_hash AND r.tree_id = i.tree_id
    WHERE (SELECT {ACCOUNT} = '' AND {CONTRACT} <> '') AND i.receiver_id = {CONTRACT} AND i.role = 'initial'
      AND $__timeFilter(i.block_time) AND $__timeFilter(r.block_time)
) AS ended WHERE {is_chosen("method", "method_name")}"""
NONE = "No transaction"
BUCKET = "$__timeGroupAlias(block_time, $__interval, NULL)"
TAKEN = "extract(epoch FROM completed_time - block_time)"


def number(title, says, what, unit="locale", decimals=0, steps=((PLAIN, None),)):
    return stat(title, says, postgres(f"SELECT {what} FROM {RESULTS}"), unit, steps, decimals, empty="none")


def counted(verdict):
    return f"count(*) FILTER (WHERE verdict = '{verdict}') AS {verdict}"


VERDICTS = ",\n       ".join(map(counted, ("succeeded", "succeeded_with_handled_failure", "failed", "callback_failed", "receipt_failed")))
VOLUME = f"SELECT {BUCKET},\n       {VERDICTS}\nFROM {RESULTS} GROUP BY 1 ORDER BY 1"
DURATION = f"""
SELECT {BUCKET}, percentile_cont(0.5) WITHIN GROUP (ORDER BY {TAKEN}) AS p50,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY {TAKEN}) AS p95, percentile_cont(0.99) WITHIN GROUP (ORDER BY {TAKEN}) AS p99
FROM {RESULTS} GROUP BY 1 ORDER BY 1"""
STAGES = f"""
SELECT stage, count(*) AS stays, percentile_cont(0.5) WITHIN GROUP (ORDER BY taken) AS p50,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY taken) AS p95, percentile_cont(0.99) WITHIN GROUP (ORDER BY taken) AS p99
FROM (SELECT l.from_stage AS stage, greatest(extract(epoch FROM coalesce(l.block_time - came.block_time, l.at - coalesce(came.at, w.created_at))), 0)::float8 AS taken
      FROM watch_transitions l JOIN watches w USING (tx_hash)
      LEFT JOIN LATERAL (SELECT t.at, t.block_time FROM watch_transitions t WHERE t.tx_hash = l.tx_hash AND t.at < l.at ORDER BY t.at DESC LIMIT 1) came ON true
      WHERE $__timeFilter(l.at) AND {is_chosen("account", "w.sender_id")}) AS each
GROUP BY stage ORDER BY array_position(ARRAY['accepted', 'pending', 'included', 'executing', 'completed'], stage) LIMIT 20"""
METHODS = f"""
SELECT receiver_id AS receiver, method_name AS method, count(*) AS transactions,
       (count(*) FILTER (WHERE verdict NOT LIKE 'succeeded%'))::float8 / count(*) AS share_failed,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY {TAKEN}) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY {TAKEN}) AS p99,
       (avg(gas_burnt) / 1e12)::float8 AS tgas, (avg(tokens_burnt) / 1e24)::float8 AS fee
FROM {RESULTS} GROUP BY 1, 2 ORDER BY transactions DESC LIMIT 50"""
LATEST = f"""
SELECT block_time, signer_id AS account, receiver_id AS receiver, method_name AS method, verdict, error_class AS cause, {TAKEN}::float8 AS taken,
       receipts, (gas_burnt / 1e12)::float8 AS tgas, (tokens_burnt / 1e24)::float8 AS fee, tx_hash
FROM {RESULTS} ORDER BY block_time DESC LIMIT 50"""
UNFINISHED = f"""
SELECT t.block_time, t.signer_id AS account, t.receiver_id AS receiver, p.reason, p.attempts, t.tx_hash
FROM transactions t LEFT JOIN pending_trees p ON p.tx_hash = t.tx_hash AND p.block_height = t.block_height
WHERE $__timeFilter(t.block_time) AND t.status IS DISTINCT FROM 'failure'
  AND {is_chosen("account", "t.signer_id")} AND {is_chosen("contract", "t.receiver_id")}
  AND NOT EXISTS (SELECT FROM transaction_results r WHERE $__timeFilter(r.block_time) AND r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id
                  AND r.block_time = t.block_time)
ORDER BY t.block_time LIMIT 50"""
NONCES = f"""
SELECT public_key AS key, from_nonce::text AS from_nonce, to_nonce::text AS to_nonce, nonces::text AS nonces, next_block_time AS block_time,
       next_tx_hash AS tx_hash
FROM nonce_gaps($__timeFrom(), $__timeTo(), {ACCOUNT}) ORDER BY next_block_time DESC LIMIT 50"""

BOARD = board("receiptd-transactions", "receiptd: Transactions", "What an account or a contract does: how much, how it ends, how long it takes, what it costs.", [
    [
        number("Transactions", "Transactions of the time shown whose last receipt was executed.", "count(*) AS transactions"),
        number("Failed", "Share of them in which something failed that nobody handled.",
               "(count(*) FILTER (WHERE verdict NOT LIKE 'succeeded%'))::float8 / nullif(count(*), 0) AS failed", "percentunit", 1,
               ((GOOD, None), (SOON, 0.05), (BAD, 0.2))),
        number("Accounts", "Accounts that signed them.", "count(DISTINCT signer_id) AS accounts"),
        number("Median time to the end", "From the block that included a transaction to its last receipt, by the times of the blocks.",
               f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {TAKEN}) AS p50", "s", 2),
        number("Gas", "Gas burnt by them and by all their receipts.", "(sum(gas_burnt) / 1e12)::float8 AS gas", "suffix:Tgas", 0),
        number("Fees", "Tokens burnt as fees.", "(sum(tokens_burnt) / 1e24)::float8 AS fees", "suffix:NEAR", 3),
    ],
    [
        lines("How they end", "Transactions by the time of their block. Where blocks are missing nothing is drawn.", postgres(VOLUME, "time_series"),
              "short", stacked=True, bars=True, w=12, decimals=0, meant=True, empty=NONE, link=board_link("Failures", "receiptd-failures", account="${account:raw}", contract="${contract:raw}")),
        lines("From the block to the last receipt", "Time of a transaction by the times of its blocks.", postgres(DURATION, "time_series"), "s", w=12, meant=True, empty=NONE),
    ],
    [
        table("Methods", "What is called, by the receiver of the transaction; gas and fee of one transaction with all its receipts.", METHODS,
              ("receiver", "method", "transactions", "share_failed", "p50", "p99", "tgas", "fee"), w=14, empty=NONE),
        table("Time in each stage", "Of watched transactions: of one account, if it is chosen.", STAGES, ("stage", "stays", "p50", "p95", "p99"), w=10, empty="No watched transaction"),
    ],
    [table("Newest transactions", "Click a hash for the whole tree. Accounts: who signed; a relayer signs for others.", LATEST,
           ("block_time", "account", "receiver", "method", "verdict", "cause", "taken", "receipts", "tgas", "fee", "tx_hash"), h=11, empty=NONE)],
    [
        table("Not finished", "Transactions of the time shown whose last receipt is not stored yet; the newest are simply under way.", UNFINISHED,
              ("block_time", "account", "receiver", "reason", "attempts", "tx_hash"), w=12, empty="Good: all are finished"),
        table("Nonces that were skipped", "Of the account that is chosen: nonces without a transaction. One that was dropped leaves such a gap.", NONCES,
              ("key", "from_nonce", "to_nonce", "nonces", "block_time", "tx_hash"), w=12, empty="None, or no account is chosen"),
    ],
    row("Watched transactions, as the daemons count them"),
    [
        lines("From inclusion to a stage, p95", "Chain time of watched transactions, by the stage that they came to; not limited to what is chosen above.",
              prometheus(*quantiles("receiptd_watch_stage_seconds", ("stage",), (0.95,))), "s", w=12, meant=True),
        lines("Stages reached", "Steps of watched transactions a second, by the stage that they came to; not limited to what is chosen above.",
              prometheus((f"sum by (stage) (rate(receiptd_watch_stages_total{{{HERE}}}[$__rate_interval]))", "{{stage}}")), "suffix:/s", w=12, meant=True),
    ],
], CHOSEN.values())
