"""Where watched transactions are, which of them do not move, and whether every alert reaches its endpoint."""

from parts import BAD, CHOSEN, GOOD, HERE, SOON, board, board_link, is_chosen, lines, prometheus, quantiles, row, stat, table

TRANSACTIONS = board_link("Transactions", "receiptd-transactions")


def newest(metric):
    """One value of each endpoint, of which several daemons may tell."""
    return f"max by (endpoint) ({metric}{{{HERE}}})"


STAGES = f"""
SELECT stage, origin, count(*) AS watches, count(*) FILTER (WHERE stuck) AS stuck, extract(epoch FROM max(in_stage_for))::float8 AS oldest
FROM open_watches WHERE {is_chosen("account", "sender_id")} GROUP BY stage, origin ORDER BY watches DESC LIMIT 50"""
STUCK = f"""
SELECT stuck_since AS since, sender_id AS account, stage, origin, rule, checks, tx_hash
FROM stuck_watches WHERE {is_chosen("account", "sender_id")} ORDER BY stuck_since LIMIT 50"""
ENDS = f"""
SELECT block_time, kind, error_class AS cause, left(error_text, 200) AS text, signer_id AS account, tx_hash
FROM findings WHERE $__timeFilter(block_time) AND kind IN ('rejected', 'forwarding_failed', 'dropped', 'expired', 'unknown', 'stuck', 'corrected')
  AND {is_chosen("account", "signer_id")}
ORDER BY block_time DESC LIMIT 50"""
ENDPOINTS = """
SELECT e.name AS endpoint, CASE WHEN paused_since IS NOT NULL THEN 'paused' WHEN active THEN 'served' ELSE 'off' END AS state, served_at AS last_seen,
       delivered, waiting, dead, held_back
FROM endpoints e
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE d.state = 'delivered') AS delivered, count(*) FILTER (WHERE d.state IN ('grouped', 'silenced', 'withheld', 'late', 'overtaken')) AS held_back
    FROM deliveries d JOIN alerts a USING (alert_id) WHERE d.endpoint = e.name AND $__timeFilter(a.created_at)) AS told
CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM deliveries d WHERE d.endpoint = e.name AND d.state = 'pending') AS left_to_tell
CROSS JOIN LATERAL (SELECT count(*) AS dead FROM deliveries d WHERE d.endpoint = e.name AND d.state = 'dead') AS given_up
ORDER BY dead DESC, waiting DESC, endpoint LIMIT 100"""
UNDELIVERED = """
SELECT d.created_at AS since, d.endpoint, d.state, d.attempts, d.last_status AS status, left(d.last_error, 200) AS text, d.next_attempt_at AS next_attempt,
       a.kind, a.contract_id AS contract, a.tx_hash
FROM ((SELECT * FROM waiting ORDER BY created_at LIMIT 50) UNION ALL (SELECT * FROM given_up ORDER BY created_at DESC LIMIT 50)) AS d
JOIN alerts a USING (alert_id) ORDER BY d.created_at LIMIT 50"""
PART = "SELECT alert_id, endpoint, state, attempts, last_status, last_error, next_attempt_at, created_at FROM deliveries WHERE state"
UNDELIVERED = f"\nWITH waiting AS ({PART} = 'pending'),\n     given_up AS ({PART} = 'dead')" + UNDELIVERED
GROUPS = """
SELECT first_at AS first_seen, last_at AS last_seen, endpoint, left(key, 120) AS name, members, CASE WHEN ended_at IS NULL THEN 'open' ELSE 'over' END AS state
FROM alert_groups WHERE $__timeFilter(last_member_at) ORDER BY members DESC LIMIT 50"""
SILENCES = """
SELECT reason, left(matcher::text, 200) AS text, author, starts_at AS since, ends_at AS ends
FROM silences WHERE ends_at >= $__timeFrom()::timestamptz ORDER BY ends_at DESC LIMIT 50"""
FATES = [(f'60 * sum by (outcome) (rate(receiptd_deliveries_total{{outcome=~"delivered|dead", {HERE}}}[$__rate_interval]))', "{{outcome}}"),
         (f"60 * sum by (fate) (rate(receiptd_alerts_not_sent_total{{{HERE}}}[$__rate_interval]))", "{{fate}}")]

BOARD = board("receiptd-watches", "receiptd: Watches and alerts", "Where watched transactions are, which do not move, and whether each alert reaches its endpoint.", [
    [
        stat("Open watches", "Watched transactions that have not ended.", prometheus((f"max(receiptd_watches_open{{{HERE}}})", "")), "locale", decimals=0, w=6),
        stat("Stuck", "Of these, the ones that are longer in their stage than [watching] allows.",
             prometheus((f"max(receiptd_watches_stuck{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 1)), 0, w=6),
        stat("Alerts waiting", "Deliveries that are still to be made.",
             prometheus((f"sum({newest('receiptd_deliveries_pending')})", "")), "locale", ((GOOD, None), (SOON, 100)), 0, empty="no endpoints", w=6),
        stat("Oldest alert waiting", "Age of the oldest delivery that is still to be made. Above ten minutes is an alert.",
             prometheus((f"max({newest('receiptd_deliveries_oldest_pending_seconds')})", "")), "dtdurations", ((GOOD, None), (SOON, 60), (BAD, 600)), 0,
             empty="no endpoints", w=6),
    ],
    row("Watches"),
    [
        lines("Watches over time", "Transactions that are followed and have not ended, those of them that are stuck, and those that something happened to just now.",
              prometheus((f"max(receiptd_watches_open{{{HERE}}})", "open"), (f"max(receiptd_watches_stuck{{{HERE}}})", "stuck"),
                         (f"max(receiptd_watches_to_review{{{HERE}}})", "to review")), "short", decimals=0, meant=True),
        lines("Requests for watches", "Questions a second about watched transactions that followed blocks did not tell of: the transaction, or its signer's key and balance.",
              prometheus((f"sum(rate(receiptd_watch_tx_requests_total{{{HERE}}}[$__rate_interval]))", "transactions"),
                         (f"sum(rate(receiptd_watch_sender_requests_total{{{HERE}}}[$__rate_interval]))", "signers")), "reqps"),
        table("Open watches by stage", "Where watched transactions are now, and for how long the oldest of them has been there.", STAGES,
              ("stage", "origin", "watches", "stuck", "oldest"), w=8, h=8, empty="No watch is open", link=TRANSACTIONS),
    ],
    [
        table("Stuck watches", "Longer in their stage than [watching] allows, the oldest first.", STUCK,
              ("since", "account", "stage", "origin", "rule", "checks", "tx_hash"), w=12, empty="Good: none is stuck"),
        table("Abnormal ends", "Watched transactions of the time shown that were rejected, dropped, expired, never heard of, or stuck.", ENDS,
              ("block_time", "kind", "cause", "text", "account", "tx_hash"), w=12, empty="Good: none"),
    ],
    row("Alerts"),
    [table("Endpoints", "Delivered and held back (grouped, silenced, withheld, late, overtaken): alerts of the time shown. Waiting and given up: now.", ENDPOINTS,
           ("endpoint", "state", "last_seen", "delivered", "waiting", "dead", "held_back"), h=6, empty="No endpoint is configured")],
    [
        lines("Alerts that rules matched", "A minute, by kind. Without an endpoint nobody takes a rule that matched.",
              prometheus((f"60 * sum by (kind, endpoint) (rate(receiptd_alerts_matched_total{{{HERE}}}[$__rate_interval]))", "{{kind}} {{endpoint}}")),
              "suffix:/min", stacked=True),
        lines("What became of alerts", "A minute: delivered, given up (dead), or not sent by itself: grouped, silenced, withheld, late, overtaken, expired.",
              prometheus(*FATES), "suffix:/min", stacked=True, meant=True),
        lines("Attempts", "A minute, by endpoint and outcome: delivered, failed (tried again later), dead (given up).",
              prometheus((f"60 * sum by (endpoint, outcome) (rate(receiptd_deliveries_total{{{HERE}}}[$__rate_interval]))", "{{endpoint}} {{outcome}}")),
              "suffix:/min", stacked=True, meant=True),
    ],
    [
        lines("To the first attempt", "From when an alert may leave to its first attempt. The line is what the service level promises of 99.9 %.",
              prometheus(*quantiles("receiptd_delivery_first_attempt_seconds", ("endpoint",), (0.5, 0.99))), "s", limit=1),
        lines("Time of an attempt, p95", "From connecting to the answer of the endpoint.",
              prometheus(*quantiles("receiptd_delivery_seconds", ("endpoint",), (0.95,))), "s"),
        lines("Oldest alert by endpoint", "Age of the oldest delivery that is still to be made, from the commit of its alert and from the block time of its oldest cause.",
              prometheus((newest("receiptd_deliveries_oldest_pending_seconds"), "{{endpoint}} from commit"),
                         (newest("receiptd_deliveries_oldest_cause_seconds"), "{{endpoint}} from block time")), "s", limit=600),
    ],
    [
        lines("Queue", "Deliveries that are still to be made, and those given up.",
              prometheus((newest("receiptd_deliveries_pending"), "{{endpoint}} waiting"), (newest("receiptd_deliveries_dead"), "{{endpoint}} given up")),
              "short", decimals=0, w=6),
        lines("Endpoints in trouble", "1 while one delivery at a time is tried because nothing else succeeds (out of order), and while an endpoint is off after a 410.",
              prometheus((newest("receiptd_endpoint_circuit_open"), "{{endpoint}} out of order"), (newest("receiptd_endpoint_switched_off"), "{{endpoint}} off")),
              "none", decimals=0, w=6),
        lines("Stream and API", "Readers of /v1/stream now, and requests a second that the daemons answered, by class of status.",
              prometheus((f"sum(receiptd_stream_readers{{{HERE}}})", "readers of the stream"),
                         (f"sum by (status) (rate(receiptd_http_requests_total{{{HERE}}}[$__rate_interval]))", "requests, {{status}}")), "short",
              right=("B", "reqps"), w=6),
        lines("Late alerts", "Share of the alerts of the last hour that were first attempted more than 1 s after they might leave, by what the rules record. Above the line is an alert.",
              prometheus(("receiptd:alerts_late:ratio_rate1h", "{{endpoint}}")), "percentunit", limit=0.0144, decimals=2, w=6),
    ],
    [table("Undelivered", "Deliveries that wait or were given up, with what the endpoint said last.", UNDELIVERED,
           ("since", "endpoint", "state", "attempts", "status", "text", "next_attempt", "kind", "contract", "tx_hash"), empty="Good: all are delivered")],
    [
        lines("Timed rules", "Rules about absence and latency, by state: quiet, alert, or why they are not judged.",
              prometheus((f"max by (state) (receiptd_timed_rules{{{HERE}}})", "{{state}}")), "short", decimals=0, h=9),
        table("Groups of alerts", "Groups that got an alert in the time shown: of each, the first alert was sent at once, the others are counted in digests.", GROUPS,
              ("first_seen", "last_seen", "endpoint", "name", "members", "state"), w=8, empty="None"),
        table("Silences", "Silences of the time shown, and those to come.", SILENCES, ("reason", "text", "author", "since", "ends"), w=8, empty="None"),
    ],
], [CHOSEN["account"]])
