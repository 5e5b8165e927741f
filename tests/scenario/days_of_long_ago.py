"""Partitions of days years before the sandbox's chain begins, closed as days are that are over: a statement that locks them
locks all days that there are. PostgreSQL has room for some thousand locks, and five years have 1,826 days of each table."""

FIRST, DAYS = "2023-05-0", 6


def make_days_of_long_ago(test):
    """For a support.Scenario. With the last day's mark, but without a block: hosts are asked for the oldest one."""
    test.query(f"SELECT make_partitions('{FIRST}1', '{FIRST}{DAYS}')")
    for number in range(1, DAYS + 1):
        day = f"timestamptz '{FIRST}{number}Z'"
        test.query(f"SELECT guard_day({day})")
        test.query(f"SELECT close_day({day})")
    test.query(f"INSERT INTO block_marks SELECT {day}::date, 0, {day} + interval '12 hours'")


def days_of_long_ago_locked(session, backend="l.pid = pg_backend_pid()"):
    """By the transaction that this libpq.Session has open, or by that of another backend."""
    return {day for day, in session.ask(
        rf"SELECT DISTINCT substring(c.relname FROM '_p(202305\d\d)') FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
        rf"JOIN pg_stat_activity a ON a.pid = l.pid WHERE c.relname ~ '_p202305\d\d' AND {backend}")}
