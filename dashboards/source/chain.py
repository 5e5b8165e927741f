"""Whether the chain is followed without a gap, and what its hosts give and cost."""

from parts import BAD, GOOD, HERE, HOST, SOON, UPSTREAM, board, lines, prometheus, quantiles, row, stat, table


def each_host(metric):
    return f"max by (upstream) ({metric}{{{HOST}}})"


def rate_of(metric, *by, matchers=HERE, factor=""):
    total = f"sum by ({', '.join(by)})" if by else "sum"
    return f"{factor}{total} (rate({metric}{{{matchers}}}[$__rate_interval]))"


GAPS = """
SELECT from_height, to_height, heights, reason, attempts, next_attempt_at AS next_attempt FROM gaps ORDER BY from_height DESC LIMIT 50"""
COVERED = """
SELECT account_id AS account, from_height, to_height, heights, CASE WHEN whole THEN 'yes' ELSE 'no' END AS whole FROM account_coverage ORDER BY account_id, from_height DESC LIMIT 100"""
ASIDE = """
SELECT what AS kind, id AS name, left(reason, 200) AS reason, since, times AS attempts FROM set_aside ORDER BY since DESC LIMIT 50"""
DAEMONS = """
SELECT d.place AS instance, d.source, d.started_at AS started, d.seen_at AS last_seen, CASE WHEN l.holder IS NULL THEN 'no' ELSE 'yes' END AS leads
FROM daemons d LEFT JOIN leader l ON l.holder = d.id ORDER BY d.seen_at DESC LIMIT 50"""
TROUBLE = [(each_host(f"receiptd_upstream_{what}"), "{{upstream}} " + says)
           for what, says in (("refused", "refuses the key"), ("unpaid", "wants to be paid"), ("other_network", "is of another network"))]

BOARD = board("receiptd-chain", "receiptd: Chain and hosts", "Whether the chain is followed without a gap, and what its hosts give and cost.", [
    [
        stat("Head", "Height of the newest final block known.", prometheus((f"max(receiptd_head_height{{{HERE}}})", "")), "locale", decimals=0),
        stat("Blocks behind", "Heights between the head and the highest block committed. /readyz says 503 above 100.",
             prometheus((f"max(receiptd_head_height{{{HERE}}} - receiptd_committed_height{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 10), (BAD, 100)), 0),
        stat("Age of the newest block", "Of the chain, the hosts and the daemon together.",
             prometheus((f"max(time() - receiptd_committed_timestamp_seconds{{{HERE}}})", "")), "s", ((GOOD, None), (SOON, 15), (BAD, 60)), 1),
        stat("Heights to fetch", "Heights that should be stored and are not; a running backfill counts.",
             prometheus((f"max(receiptd_gap_blocks{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 1)), 0),
        stat("Nobody has them", "Of these, the ones that no host could give. They are tried again for ever.",
             prometheus((f"max(receiptd_unavailable_blocks{{{HERE}}})", "")), "locale", ((GOOD, None), (BAD, 1)), 0),
        stat("Clock", "The clock of the daemon's machine minus the time that hosts tell. Receivers refuse messages that are five minutes off.",
             prometheus((f"max(abs(receiptd_clock_off_seconds{{{HERE}}}))", "")), "s", ((GOOD, None), (SOON, 5), (BAD, 60)), 1),
    ],
    row("Following"),
    [
        lines("Heights", "A minute: new heights at the head, blocks stored, heights without a block, and trees of transactions completed.",
              prometheus((rate_of("receiptd_new_heads_total", factor="60 * "), "head"),
                         (rate_of("receiptd_database_rows_total", matchers=f'table="blocks", {HERE}', factor="60 * "), "blocks stored"),
                         (rate_of("receiptd_skipped_heights_total", factor="60 * "), "heights without a block"),
                         (rate_of("receiptd_trees_completed_total", factor="60 * "), "trees completed")), "suffix:/min"),
        lines("Behind the head", "Heights between the head and the highest block committed. Above the line for five minutes is an alert.",
              prometheus((f"receiptd_head_height{{{HERE}}} - receiptd_committed_height{{{HERE}}}", "{{instance}}")), "short", decimals=0, limit=100),
        lines("From the head seen to each block stored", "What the daemon adds to the time of the chain and of its hosts. The line is the service level.",
              prometheus(*quantiles("receiptd_follow_lag_seconds")), "s", limit=5, meant=True),
    ],
    [
        lines("Stages of a height, p95", "Time of a height in each stage of following; commit: of one batch. fetch is the hosts, rows the machine, commit the database.",
              prometheus(*quantiles("receiptd_follow_stage_seconds", ("stage",), (0.95,))), "s"),
        lines("What is missing", "Heights to fetch, those of them that no host could give, transactions whose tree is not complete, and those of them that are overdue.",
              prometheus((f"max(receiptd_gap_blocks{{{HERE}}})", "heights to fetch"), (f"max(receiptd_unavailable_blocks{{{HERE}}})", "unavailable"),
                         (f"max(receiptd_pending_trees{{{HERE}}})", "pending trees"), (f"max(receiptd_overdue_trees{{{HERE}}})", "overdue trees")), "short", decimals=0),
        lines("Receipts of others' transactions", "A minute: receipts that touch a followed account though its transaction is none of theirs, by what brought their tree; unplaced: those still without one.",
              prometheus((rate_of("receiptd_orphan_receipts_total", "resolved_by", factor="60 * "), "{{resolved_by}}"),
                         (f"max(receiptd_unplaced_receipts{{{HERE}}})", "unplaced")), "suffix:/min", right=("B", "short")),
    ],
    [table("Gaps", "Ranges that should be stored and are not, with the reason and the next attempt.", GAPS,
           ("from_height", "to_height", "heights", "reason", "attempts", "next_attempt"), w=12, h=7, empty="Good: nothing is missing"),
     table("What is stored of whom", "The heights at which each account that is followed by name is stored, whole or not; * is every account, where a database stored fewer before.", COVERED,
           ("account", "from_height", "to_height", "heights", "whole"), w=12, h=7, empty="No account is followed by name")],
    [table("Set aside", "What is not dealt with because of its own data, while all others go on.", ASIDE, ("kind", "name", "reason", "since", "attempts"),
           w=12, h=7, empty="Good: nothing is set aside"),
     table("Daemons of this database", "The leader follows the head; the others answer, deliver and fill gaps.", DAEMONS,
           ("instance", "source", "started", "last_seen", "leads"), w=12, h=7, empty="No daemon has been here yet")],
    row("Hosts"),
    [
        lines("Requests by outcome", "By class of the answer: pruned goes to archival hosts, not_yet waits, chain_state is an answer.",
              prometheus((rate_of("receiptd_rpc_requests_total", "upstream", "outcome", matchers=HOST), "{{upstream}} {{outcome}}")), "reqps", stacked=True),
        lines("Requests by purpose", "What they are for: submit, head, watch (trees, too), gap, backfill; and the budget of each host.",
              prometheus((rate_of("receiptd_upstream_wait_seconds_count", "upstream", "purpose", matchers=HOST), "{{upstream}} {{purpose}}"),
                         (f"{each_host('receiptd_upstream_budget_limit')} > 0", "{{upstream}} limit")), "reqps"),
        lines("Share of errors", "Faults and limits of each host among its requests. Above the line for ten minutes is an alert.",
              prometheus((f"""{rate_of("receiptd_rpc_requests_total", "upstream", matchers=f'outcome=~"endpoint_fault|rate_limited", {HOST}')}
/ {rate_of("receiptd_rpc_requests_total", "upstream", matchers=HOST)}""", "{{upstream}}")), "percentunit", limit=0.2, max=1),
    ],
    [
        lines("Time of a request, p95", "Without waiting for the budget.",
              prometheus(*quantiles("receiptd_rpc_request_seconds", ("upstream",), (0.95,), HOST)), "s"),
        lines("Wait for the budget, p95", "How long a request waits for the budget of its upstream and a free connection, by purpose.",
              prometheus(*quantiles("receiptd_upstream_wait_seconds", ("upstream", "purpose"), (0.95,), HOST)), "s"),
        lines("Budget left and requests running", "Requests that each host's budget lets start at once, and those that run. At no tokens the daemon waits for itself.",
              prometheus((f"min by (upstream) (receiptd_upstream_budget_tokens{{{HOST}}})", "{{upstream}} tokens"),
                         (f"sum by (upstream) (receiptd_upstream_in_flight{{{HOST}}})", "{{upstream}} running")), "short", decimals=0),
    ],
    [
        lines("Health", "How well each host does, 0 to 1; -1: it refuses the API key and is not asked any more.",
              prometheus((f"min by (upstream) (receiptd_upstream_health{{{HOST}}})", "{{upstream}}")), "percentunit", minimum=None),
        lines("Heads of the hosts", "By how many blocks each upstream is behind the highest head that one of them has told.",
              prometheus((f"scalar(max(receiptd_upstream_head_height{{{HERE}}})) - {each_host('receiptd_upstream_head_height')}", "{{upstream}}")), "short", decimals=0),
        lines("Depth of the hosts", "How many heights each upstream is known to hold below its head, learned from its answers. Older blocks come from archival hosts.",
              prometheus((f"{each_host('receiptd_upstream_head_height')} - {each_host('receiptd_upstream_horizon_height')}", "{{upstream}}")), "short", decimals=0),
    ],
    [
        lines("Received", "Bytes of answers, as they came over the wire.", prometheus((rate_of("receiptd_rpc_received_bytes_total", "upstream", matchers=HOST), "{{upstream}}")), "Bps"),
        lines("Hosts that are put aside", "1 while a host refuses the key, wants to be paid, or is of another network.", prometheus(*TROUBLE), "none", decimals=0),
        lines("Shards that a host does not track", "Learned from its answers. A shard that no host tracks is an alert.",
              prometheus((each_host("receiptd_upstream_untracked_shards"), "{{upstream}}")), "none", decimals=0),
    ],
    [
        lines("Not confirmed", "Stored heights on which the hosts do not agree yet. While they stay, no second host confirms what is stored.",
              prometheus((f"max(receiptd_committed_height{{{HERE}}} - receiptd_agreed_height{{{HERE}}})", "heights")), "short", decimals=0),
        lines("Late blocks", "Share of the blocks that were stored more than 5 s after the head was there, by what the rules record. The line: of an hour, an alert.",
              prometheus(("receiptd:blocks_late:ratio_rate1h", "last hour"), ("receiptd:blocks_late:ratio_rate6h", "last six hours")), "percentunit", limit=0.0144,
              decimals=2),
        lines("Told otherwise", "Blocks an hour whose header or outcomes are not those of the chain, by the word of the other hosts; and what the service of whole blocks left out. All are good at 0.",
              prometheus((f'sum by (word) (increase(receiptd_header_word_total{{{HERE}}}[1h]))', "header: {{word}}"),
                         (f"sum(increase(receiptd_false_outcome_blocks_total{{{HERE}}}[1h]))", "false outcomes"),
                         (f"sum by (what) (increase(receiptd_left_out_total{{{HERE}}}[1h]))", "left out: {{what}}")), "short", decimals=0),
    ],
], [UPSTREAM])
