"""What the database holds and costs: disk, partitions, retention, commits, statements; and the daemon's own process."""

from parts import BAD, GOOD, HERE, SOON, board, lines, postgres, prometheus, quantiles, row, stat, table

BYTES = f"max by (table, part) (receiptd_table_bytes{{{HERE}}})"
AHEAD = f"max(receiptd_partitions_until_timestamp_seconds{{{HERE}}}) - max(receiptd_committed_timestamp_seconds{{{HERE}}})"

PARTITIONS = """
SELECT table_name AS "table", count(*) AS partitions, min(from_time) FILTER (WHERE isfinite(from_time)) AS first_seen,
       max(until_time) FILTER (WHERE isfinite(until_time)) AS until, sum(table_bytes + index_bytes)::float8 AS bytes
FROM partitions GROUP BY 1 ORDER BY bytes DESC LIMIT 50"""
TABLES = """
SELECT relname AS name, n_live_tup::float8 AS rows, n_dead_tup::float8 AS dead_rows, seq_scan AS scans, greatest(last_vacuum, last_autovacuum) AS last_seen
FROM pg_stat_user_tables ORDER BY n_dead_tup DESC, relname LIMIT 20"""
STATEMENTS = """
SELECT pid AS process, coalesce(usename, '') AS name, coalesce(state, '') AS state, extract(epoch FROM now() - xact_start)::float8 AS running,
       coalesce(wait_event_type || ': ' || wait_event, '') AS reason, left(query, 200) AS text
FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
ORDER BY xact_start NULLS LAST LIMIT 20"""

BOARD = board("receiptd-database", "receiptd: Database", "What the database holds and costs, and the daemon's own process.", [
    [
        stat("Size", "All tables with their partitions and indexes; the leader measures every five minutes.", prometheus((f"sum({BYTES})", "")), "bytes", decimals=1),
        stat("Growth", "Over the last hour.", prometheus((f"sum(max by (table, part) (deriv(receiptd_table_bytes{{{HERE}}}[1h]))) * 86400", "")),
             "suffix:B/day", decimals=0),
        stat("Partitions made ahead", "Time from the newest block to the end of the newest partition. Below a day is an alert.",
             prometheus((AHEAD, "")), "dtdurations", ((BAD, None), (GOOD, 86400)), 0),
        stat("Retention overdue", "For how long the oldest partition has been past its retention. Others' sessions, or objects built on a partition, hold it up.",
             prometheus((f"max(receiptd_retention_overdue_seconds{{{HERE}}})", "")), "dtdurations", ((GOOD, None), (SOON, 3600), (BAD, 7200)), 0),
        stat("Held up", "For how long something of the daemon has been waiting for a lock that a session of somebody else holds.",
             prometheus((f"max(receiptd_held_up_seconds{{{HERE}}})", "")), "dtdurations", ((GOOD, None), (SOON, 10), (BAD, 60)), 0),
        stat("Days to close", "Days of partitions that are over and not closed yet. One is closed within minutes after its rows have stopped coming.",
             prometheus((f"max(receiptd_unclosed_partitions{{{HERE}}})", "")), "locale", ((GOOD, None), (SOON, 3)), 0),
    ],
    row("Disk"),
    [
        lines("Disk by table", "Tables with their partitions and indexes.", prometheus((f"sum by (table) ({BYTES})", "{{table}}")), "bytes", stacked=True, w=12),
        lines("Tables and indexes", "Where the disk goes.", prometheus((f"sum by (part) ({BYTES})", "{{part}}")), "bytes", stacked=True, w=12),
    ],
    [
        table("Partitions by table", "Which time each history table holds; retention drops whole partitions.", PARTITIONS,
              ("table", "partitions", "first_seen", "until", "bytes"), w=12, h=10, empty="No partition is there yet"),
        lines("Partitions over time", "Tables of history, by the number of their partitions.",
              prometheus((f"max by (table) (receiptd_partitions{{{HERE}}})", "{{table}}")), "short", decimals=0, w=12, h=10),
    ],
    row("Work"),
    [
        lines("Rows", "Rows committed a second, by table.", prometheus((f"sum by (table) (rate(receiptd_database_rows_total{{{HERE}}}[$__rate_interval]))", "{{table}}")),
              "suffix:/s", stacked=True),
        lines("Bytes", "COPY data committed a second, by table.",
              prometheus((f"sum by (table) (rate(receiptd_database_bytes_total{{{HERE}}}[$__rate_interval]))", "{{table}}")), "Bps", stacked=True),
        lines("Commits", "Time of one database transaction of rows, from its start to its commit.", prometheus(*quantiles("receiptd_database_commit_seconds")), "s", meant=True),
    ],
    [
        lines("Connections", "Open connections of the daemons, and how often one was opened again after a loss.",
              prometheus((f"sum(receiptd_database_connected{{{HERE}}})", "open"),
                         (f"sum(increase(receiptd_database_reconnects_total{{{HERE}}}[$__rate_interval]))", "reconnects")), "short", decimals=0),
        lines("Maintenance", "Rounds of maintenance in each hour: partitions, retention, old rows.",
              prometheus((f"sum by (outcome) (increase(receiptd_maintenance_total{{{HERE}}}[1h]))", "{{outcome}}")), "short", decimals=0, meant=True),
        lines("Held up by others", "Waiting for locks of other sessions, and lines of /v1/stream that wait for older transactions of the cluster. Above the line is an alert.",
              prometheus((f"max(receiptd_held_up_seconds{{{HERE}}})", "locks"), (f"max(receiptd_stream_held_up_seconds{{{HERE}}})", "stream")), "s", limit=60),
    ],
    [table("Statements that run", "Sessions that are at work, the oldest transaction first. Others' are seen only with GRANT pg_read_all_stats to Grafana's user.", STATEMENTS,
           ("process", "name", "state", "running", "reason", "text"), w=14, empty="None that Grafana's user may see"),
     table("Tables that need vacuum", "By dead rows; rows and dead rows as PostgreSQL estimates them. Last: of a vacuum.", TABLES,
           ("name", "rows", "dead_rows", "scans", "last_seen"), w=10, empty="No table is there yet")],
    row("The daemon's process"),
    [
        lines("Memory", "Resident memory of each daemon.", prometheus((f'process_resident_memory_bytes{{job="receiptd", {HERE}}}', "{{instance}}")), "bytes"),
        lines("CPU", "Cores in use.", prometheus((f'rate(process_cpu_seconds_total{{job="receiptd", {HERE}}}[$__rate_interval])', "{{instance}}")), "suffix:cores", decimals=2),
        lines("Open files", "Open file descriptors.", prometheus((f'process_open_fds{{job="receiptd", {HERE}}}', "{{instance}}")), "short", decimals=0),
    ],
])
