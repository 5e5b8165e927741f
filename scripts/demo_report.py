#!/usr/bin/env python3
"""What ./dev demo shows of the running daemon: on a terminal refreshed in place until Ctrl-C, with --once a single time."""
import argparse
import json
import shutil
import sys
import time
import urllib.request

BLOCKS = 40  # followed before the report has something to say
PATIENCE = 60  # seconds that --once waits for that
FINDINGS = 50  # of the newest, to choose from


def get(address):
    with urllib.request.urlopen(address, timeout=5) as answer:
        return json.load(answer)


class Report:
    def __init__(self, options):
        self.options = options
        self.status = self.findings = None

    def load(self):
        self.status = get(self.options.page + "/v1/status")
        self.findings = get(f"{self.options.page}/v1/findings?limit={FINDINGS}")["findings"]

    def has_content(self):
        return bool(self.status and self.status["covered_heights"] >= BLOCKS and self.looks_fine())

    def looks_fine(self):
        """The newest failure under a transaction that NEAR calls a success."""
        return next((each for each in self.findings
                     if each["kind"] == "failed_receipt" and each["near_status"] == "success" and not each["handled"]), None)

    def lines(self, failures):
        options, status = self.options, self.status
        yield "receiptd follows a chain of our own"
        yield ""
        yield f"  page        {options.page}/    for writing, its token is in {options.folder}/token"
        yield f"  metrics     {options.page}/metrics"
        yield f"  chain       {options.regular} (regular host, keeps the newest 40 blocks)"
        yield f"              {options.archival} (archival host, keeps everything)"
        yield f"              {options.control}/truth (what really happened)"
        yield "  database    ./dev psql"
        yield f"  log         {options.folder}/receiptd.log"
        yield ""
        if not status["committed"]:
            yield "No block is stored yet."
            return
        yield (f"Followed to height {status['committed']['height']}: {status['covered_heights']} heights, "
               f"{status['gap_heights']} missing, {status['pending_trees']} transactions not over")
        yield ""
        yield "Newest failures"
        for finding in self.findings[:failures]:
            yield "  " + words(finding)
        yield ""
        yield "Try"
        example = self.looks_fine() or (self.findings[0] if self.findings else None)
        if example:
            yield f"  build/receiptd tx --config {options.folder}/receiptd.toml {example['tx_hash']}"
        yield f"  build/receiptd status --config {options.folder}/receiptd.toml"
        yield '  ./dev psql -c "SELECT verdict, count(*) FROM transaction_results GROUP BY verdict"'


def words(finding):
    where = ".".join(filter(None, (finding["contract_id"], finding["method_name"]))) or finding["signer_id"]
    if finding["kind"] == "burnt_tokens":
        said = f"{near(finding['amount_burnt'])} NEAR went to nobody: {finding['error_text']}"
    elif finding["kind"] == "tokens_returned":
        said = "tokens came back without a failure"
    else:
        said = finding["error_text"] or finding["error_class"] or finding["kind"]
    beside = "   (handled)" if finding["handled"] else "   (NEAR says success)" if finding["near_status"] == "success" else ""
    return f"{finding['block_time'][11:19]}  {where}: {said}{beside}"


def near(yocto):
    return f"{int(yocto) / 1e24:.6f}".rstrip("0").rstrip(".")


def cut(line, width):
    line = "".join(each if each.isprintable() else "?" for each in line)  # the chain's texts are anybody's
    return line if len(line) <= width else line[:width - 1] + "…"


def show_in_place(report):
    print("\x1b[2J", end="")
    while True:
        try:
            report.load()
        except (OSError, ValueError) as error:  # the daemon may be busy; once it is gone, the log says why
            shown = [f"{report.options.page} does not answer: {error}", f"Its log is {report.options.folder}/receiptd.log"]
        else:
            height = shutil.get_terminal_size((100, 40)).lines
            shown = list(report.lines(failures=max(3, height - 22))) + ["", "Ctrl-C ends all of it."]
        width = shutil.get_terminal_size((100, 40)).columns
        print("\x1b[H" + "".join(f"{cut(line, width)}\x1b[K\n" for line in shown) + "\x1b[J", end="", flush=True)
        time.sleep(1)


def show_once(report):
    begun = time.monotonic()
    while True:
        report.load()
        if report.has_content() or time.monotonic() - begun > PATIENCE:
            break
        time.sleep(0.5)
    for line in report.lines(failures=8):
        print(cut(line, 160))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true")
    for name in ("--page", "--folder", "--regular", "--archival", "--control"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    try:
        (show_once if options.once else show_in_place)(Report(options))
    except KeyboardInterrupt:
        pass
    except (OSError, ValueError) as error:
        sys.exit(f"demo: {options.page} does not answer: {error}")


main()
