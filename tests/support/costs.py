#!/usr/bin/env python3
"""ctest … | costs.py FILE: passes ctest's lines on, and prints before the closing ones a table of what each test cost, and
the telling lines of those that failed, as whoever sees the end only wants to know why.

FILE is what run_test.py writes, a line for each test: its name, its seconds of CPU, the CPU seconds of its PostgreSQL, and
its seconds by the clock, with tabs between.
"""

import pathlib
import re
import signal
import sys

CLOSING = re.compile(r"\d+% tests passed")
BEGINS = re.compile(r"( *\d+/\d+ Test +#|    Start +\d+:)")
FAILED = re.compile(r" *\d+/\d+ Test +#\d+: (\S+) \.*\*\*\*")
TELLS = re.compile(r"\[  FAILED  \]|: Failure$|^(FAIL|ERROR): |^\w*(Error|Exception)\b|never came true|^Expected|^ +Which is|\*\*\*")
MOST_LINES, LONGEST = 15, 300  # of a test that failed; of a line
LEAST = 1.0  # seconds of CPU: tests below are counted together


def table(lines):
    rows = []
    for line in lines:
        name, of_test, of_postgres, wall = line.split("\t")
        rows.append((float(of_test) + float(of_postgres), float(of_test), float(of_postgres), float(wall), name))
    rows.sort(reverse=True)
    dear = [row for row in rows if row[0] >= LEAST]
    others = [row for row in rows if row[0] < LEAST]
    total = [sum(row[column] for row in rows) for column in range(4)]
    yield "CPU seconds: all = of the test with its programs + of its PostgreSQL; and seconds by the clock"
    yield f"{'all':>8}{'test':>9}{'PostgreSQL':>12}{'clock':>9}"
    form = "{:8.1f}{:9.1f}{:12.1f}{:9.1f}  {}".format
    for row in dear:
        yield form(*row)
    if others:
        yield form(*(sum(row[column] for row in others) for column in range(4)), f"{len(others)} others, each below {LEAST:g}")
    yield form(*total, f"all {len(rows)}")


class Failures:
    """The telling lines of tests that failed, by name."""

    def __init__(self):
        self.lines, self._of = {}, None

    def read(self, line):
        if BEGINS.match(line):
            failed = FAILED.match(line)
            self._of = self.lines.setdefault(failed[1], []) if failed else None
        if self._of is not None and len(self._of) < MOST_LINES and TELLS.search(line.rstrip()):
            self._of.append(line.rstrip()[:LONGEST])

    def told(self):
        for name, lines in self.lines.items():
            yield f"failed: {name}"
            yield from (f"  {line}" for line in lines)
            yield ""


def main(file):
    failures = Failures()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctest has its last words then
    for line in sys.stdin:
        failures.read(line)
        if CLOSING.match(line) and pathlib.Path(file).exists():
            print(*table(pathlib.Path(file).read_text().splitlines()), "", *failures.told(), sep="\n")
        print(line, end="", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
