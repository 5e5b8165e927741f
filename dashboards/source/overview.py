"""What somebody on call looks at first: is the chain followed, what fails, who was not told."""

from parts import BAD, GOOD, HERE, PLAIN, SOON, board, board_link, lines, prometheus, quantiles, stat, table

CHAIN = board_link("Chain and hosts", "receiptd-chain")
FAILURES = board_link("Failures", "receiptd-failures")
WATCHES = board_link("Watches and alerts", "receiptd-watches")


def within(metric, limit):
    """The share of the time shown that a service level promises."""
    return (f'sum(increase({metric}_bucket{{le="{limit}", {HERE}}}[$__range])) / sum(increase({metric}_count{{{HERE}}}[$__range]))', "")


LEVEL = ((BAD, None), (SOON, 0.99), (GOOD, 0.999))
FIRING = 'max by (alertname, severity, instance) (ALERTS{alertname=~"Receiptd.*", alertstate="firing"})'
FAILING = """
SELECT contract_id AS contract, method_name AS method, error_class AS cause, count(*) FILTER (WHERE NOT handled) AS unhandled,
       count(*) AS failures, count(DISTINCT coalesce(user_id, signer_id)) AS users, min(block_time) AS first_seen, max(block_time) AS last_seen
FROM findings WHERE $__timeFilter(block_time) AND kind IN ('failed_receipt', 'failed_transaction')
GROUP BY 1, 2, 3 ORDER BY unhandled DESC, failures DESC LIMIT 10"""

BOARD = board("receiptd-overview", "receiptd: Overview", "Is the chain followed, what fails, and was everybody told?", [
    [
        stat("Daemons", "Daemons that answer Prometheus. At 0 nothing is followed.",
             prometheus((f'sum(up{{job="receiptd", {HERE}}})', "")), steps=((BAD, None), (GOOD, 1)), decimals=0, empty="none", link=CHAIN),
        stat("Behind the chain", "Age of the newest block stored: what the chain, the hosts and the daemon take together.",
             prometheus((f"max(time() - receiptd_committed_timestamp_seconds{{{HERE}}})", "")),
             "s", ((GOOD, None), (SOON, 15), (BAD, 60)), 1, link=CHAIN),
        stat("Missing blocks", "Heights that should be stored and are not; a running backfill counts.",
             prometheus((f"max(receiptd_gap_blocks{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 1)), 0, link=CHAIN),
        stat("Failed somewhere", "Share of the transactions of the time shown in which something failed that nobody handled, even where NEAR says success.",
             prometheus((f'sum(increase(receiptd_verdicts_total{{verdict!~"succeeded.*", {HERE}}}[$__range])) '
                         f"/ sum(increase(receiptd_verdicts_total{{{HERE}}}[$__range]))", ""), instant=True),
             "percentunit", ((PLAIN, None), (SOON, 0.1), (BAD, 0.3)), 1, empty="no transactions", link=FAILURES),
        stat("Stuck watches", "Watched transactions that are longer in their stage than [watching] allows.",
             prometheus((f"max(receiptd_watches_stuck{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 1)), 0, link=WATCHES),
        stat("Alerts given up", "Alerts whose endpoint did not take them for three days, or wants no more. `receiptd alerts resend` sends them again.",
             prometheus((f"sum(max by (endpoint) (receiptd_deliveries_dead{{{HERE}}}))", "")), "locale", ((GOOD, None), (BAD, 1)), 0,
             empty="no endpoints", link=WATCHES),
    ],
    [
        stat("Blocks within 5 s", "Share of the blocks of the time shown that were stored within 5 s of a host telling the head there. 99.9 % is promised.",
             prometheus(within("receiptd_follow_lag_seconds", 5), instant=True), "percentunit", LEVEL, 2, "no blocks", CHAIN, h=6),
        stat("Alerts within 1 s", "Share of the alerts of the time shown that were first attempted within 1 s after they might leave. 99.9 % is promised.",
             prometheus(within("receiptd_delivery_first_attempt_seconds", 1), instant=True), "percentunit", LEVEL, 2, "no alerts", WATCHES, h=6),
        table("Rules that fire", "Alert rules about receiptd itself that fire now; docs/runbook.md has a section for each.", None,
              ("name", "severity", "instance"), w=16, h=6, empty="Good: no rule fires",
              targets=prometheus((FIRING, ""), instant=True, as_table=True),
              transformations=[{"id": "organize", "options": {"excludeByName": {"Time": True, "Value": True},
                                                              "indexByName": {"alertname": 0, "severity": 1, "instance": 2},
                                                              "renameByName": {"alertname": "name"}}}]),
    ],
    [
        lines("Verdicts", "Transactions a minute whose last receipt was executed, by what became of them. callback_failed and receipt_failed are called a success by NEAR's status.",
              prometheus((f"60 * sum by (verdict) (rate(receiptd_verdicts_total{{{HERE}}}[$__rate_interval]))", "{{verdict}}")),
              "suffix:/min", stacked=True, w=12, link=FAILURES, meant=True),
        lines("From the head seen to the block stored", "What the daemon adds to the time of the chain and of its hosts. The line is what the service level promises of 99.9 %.",
              prometheus(*quantiles("receiptd_follow_lag_seconds")), "s", w=12, limit=5, link=CHAIN, meant=True),
    ],
    [table("What fails most", "Causes of the time shown, those first that nobody handled. The board Failures has all of them.", FAILING,
           ("contract", "method", "cause", "unhandled", "failures", "users", "first_seen", "last_seen"),
           empty="Good: nothing failed", link=FAILURES)],
])
