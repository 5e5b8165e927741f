"""Compares docs/ with what config-docs writes now: config_docs.py CONFIG_DOCS DOCS_FOLDER."""
import difflib
import pathlib
import subprocess
import sys
import tempfile

NAMES = ("configuration.md", "receiptd.example.toml", "metrics.md")


def main(program, docs):
    failed = False
    with tempfile.TemporaryDirectory() as fresh:
        subprocess.run([program, fresh], check=True)
        for name in NAMES:
            path = pathlib.Path(docs) / name
            stored = path.read_text() if path.exists() else ""
            made = (pathlib.Path(fresh) / name).read_text()
            for line in difflib.unified_diff(stored.splitlines(), made.splitlines(), str(path), "made now", lineterm=""):
                print(line)
                failed = True
    if failed:
        print("docs differ from daemon/config/keys*.cpp or daemon/metrics: run ./dev docs")
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:3]))
