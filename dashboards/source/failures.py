"""Which contract fails, in which method, why, since when, and for whom; and what fails though NEAR says success."""

from parts import BAD, CHOSEN, GOOD, HERE, PLAIN, SOON, board, board_link, is_chosen, lines, postgres, prometheus, stat, table

CONDITIONS = f"""$__timeFilter(block_time) AND {is_chosen("contract", "contract_id")}
  AND {is_chosen("method", "method_name")} AND {is_chosen("account", "signer_id", "user_id")}"""
FAILED = f"kind IN ('failed_receipt', 'failed_transaction') AND {CONDITIONS}"
# A result has the time of its transaction, a finding that of its failure, minutes later at most.
HIDDEN = f"""findings f WHERE f.kind = 'failed_receipt' AND NOT f.handled AND {CONDITIONS} AND EXISTS (
    SELECT FROM transaction_results r WHERE $__timeFilter(r.block_time) AND r.tx_hash = f.tx_hash AND r.tree_id = f.tree_id
    AND r.near_status = 'success' AND r.verdict <> 'succeeded')"""
USER = "coalesce(user_id, signer_id)"


def number(title, says, what, **more):
    return stat(title, says, postgres(f"SELECT {what} FROM findings WHERE {FAILED}"), "locale", decimals=0, w=5, **more)


RED, YELLOW = ((GOOD, None), (BAD, 1)), ((GOOD, None), (SOON, 1))
CAUSES = f"""
SELECT contract_id AS contract, method_name AS method, error_class AS cause, role, count(*) FILTER (WHERE NOT handled) AS unhandled,
       count(*) AS failures, count(DISTINCT {USER}) AS users, min(block_time) AS first_seen, max(block_time) AS last_seen,
       max(left(error_text, 200)) AS example
FROM findings WHERE {FAILED}
GROUP BY 1, 2, 3, 4 ORDER BY unhandled DESC, failures DESC LIMIT 50"""
# The five most frequent causes have a line each.
OVER_TIME = f"""
WITH failed AS (SELECT block_time, coalesce(error_class, kind) AS cause FROM findings WHERE {FAILED}),
     common AS (SELECT cause FROM failed GROUP BY cause ORDER BY count(*) DESC, cause LIMIT 5)
SELECT $__timeGroupAlias(block_time, $__interval, 0), CASE WHEN cause IN (SELECT cause FROM common) THEN cause ELSE 'others' END AS metric,
       count(*) AS failures
FROM failed GROUP BY 1, 2 ORDER BY 1"""
LATEST_HIDDEN = f"""
SELECT block_time, contract_id AS contract, method_name AS method, error_class AS cause, left(error_text, 200) AS text,
       {USER} AS account, tx_hash
FROM {HIDDEN} ORDER BY block_time DESC LIMIT 50"""
LATEST = f"""
SELECT block_time, kind, contract_id AS contract, method_name AS method, error_class AS cause, left(error_text, 200) AS text,
       {USER} AS account, tx_hash
FROM findings WHERE {FAILED} ORDER BY block_time DESC LIMIT 50"""
USERS = f"""
SELECT {USER} AS account, count(DISTINCT tx_hash) AS transactions, count(*) FILTER (WHERE NOT handled) AS unhandled, max(block_time) AS last_seen
FROM findings WHERE {FAILED} GROUP BY 1 ORDER BY unhandled DESC, transactions DESC LIMIT 50"""
MONEY = f"""
SELECT block_time, kind, effect, contract_id AS contract, (amount_burnt / 1e24)::float8 AS lost, {USER} AS account, tx_hash
FROM findings WHERE kind IN ('tokens_returned', 'burnt_tokens', 'wallet_refused', 'yield_timed_out', 'undecided') AND {CONDITIONS}
ORDER BY block_time DESC LIMIT 50"""

BOARD = board("receiptd-failures", "receiptd: Failures", "Which contract fails, in which method, why, since when and for whom.", [
    [
        number("Failures", "Failed receipts and transactions of the time shown, handled or not.", "count(*) AS failures"),
        number("Nobody handled", "Failures that no callback dealt with.", "count(*) FILTER (WHERE NOT handled) AS unhandled", steps=RED),
        stat("Hidden", "Transactions that NEAR's status calls a success and in which a receipt failed that nobody handled.",
             postgres(f"SELECT count(DISTINCT tx_hash) AS hidden FROM {HIDDEN}"), "locale", RED, 0, w=5),
        number("Users", "Accounts whose transactions failed somewhere: of a relayed transaction the user, not the relayer.",
               f"count(DISTINCT {USER}) AS users", steps=YELLOW),
        stat("Contracts", "Contracts in which something failed.", postgres(f"SELECT count(DISTINCT contract_id) AS contracts FROM findings WHERE {FAILED}"),
             "locale", ((PLAIN, None),), 0),
    ],
    [table("Causes", "One row for each contract, method and cause, those first that nobody handled. First and last: within the time shown.", CAUSES,
           ("contract", "method", "cause", "role", "unhandled", "failures", "users", "first_seen", "last_seen", "example"),
           h=11, empty="Good: nothing failed")],
    [
        lines("Failures over time", "Failures stored, by the five most frequent causes. Blocks that are missing (orange) have no bars, and are not good news.",
              postgres(OVER_TIME, "time_series"), "short", stacked=True, bars=True, w=12, decimals=0, empty="Good: nothing failed", points=100),
        lines("Findings, as the daemons count them", "Findings a minute by kind since the daemons started; not limited to what is chosen above.",
              prometheus((f"60 * sum by (kind) (rate(receiptd_findings_total{{{HERE}}}[$__rate_interval]))", "{{kind}}")),
              "suffix:/min", stacked=True, w=12),
    ],
    [table("Hidden failures", "The newest failures in transactions that NEAR's status calls a success.", LATEST_HIDDEN,
           ("block_time", "contract", "method", "cause", "text", "account", "tx_hash"), empty="Good: no failure is hidden")],
    [table("Newest failures", "All of them, handled ones too.", LATEST, ("block_time", "kind", "contract", "method", "cause", "text", "account", "tx_hash"),
           empty="Good: nothing failed")],
    [
        table("Whom it meets", "Accounts by failures that nobody handled.", USERS, ("account", "transactions", "unhandled", "last_seen"), w=8,
              empty="Good: nobody", link=board_link("Transactions", "receiptd-transactions", account="${account:raw}")),
        table("Tokens that came back or were lost", "Tokens that a receiver did not keep, that were burnt, or that a call waited for in vain. Lost: burnt, and not as a fee.",
              MONEY, ("block_time", "kind", "effect", "contract", "lost", "account", "tx_hash"), w=16, empty="Good: none"),
    ],
], CHOSEN.values())
