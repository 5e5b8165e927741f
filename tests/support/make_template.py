#!/usr/bin/env python3
"""make_template.py BUILD CLUSTER: a stopped PostgreSQL cluster with a migrated database, to be copied for each test."""

import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "scenario"))
import databases  # noqa: E402


def postgres(*arguments):
    return subprocess.run([TESTS.parent / "scripts" / "postgres.sh", *arguments], check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def main(build, cluster):
    postgres("remove", cluster)  # an interrupted run has left it
    url = postgres("start", "--memory", cluster)
    databases.make_templates(url, pathlib.Path(build, "receiptd"), lambda name: postgres("url", cluster, name))
    postgres("stop", cluster)


if __name__ == "__main__":
    main(*sys.argv[1:])
