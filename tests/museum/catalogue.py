"""docs/museum.md, as it follows from exhibits.toml. Run it to write that page."""
import pathlib
import re
import tomllib

SOURCE = "tests/museum/exhibits.toml"
DOCUMENT = "docs/museum.md"
OWN_TESTS = "tests/museum/"
HEAD = """\
# The museum of public reports

Others have met what can go wrong with transactions on NEAR, hosts, webhooks and large tables, and have written it down. Each row is such a report, what people saw,
what receiptd does in the same case, and the tests that play it. {counts}

This page is made from [exhibits.toml](../{source}) by `./dev docs`; a check compares them and looks for each test. Numbers are those of a collection of reports of
November 2026; those with an A are of a first trial with such reports. Some rows of the collection are not here yet; they come with their subjects: 63 and 66 (many
years of partitions), 9, 16 and 21 (where the money is), 40 (outcomes that a resharding leaves out).
"""
HEADING = "| | report | what people saw | what receiptd does | tests |\n|---|---|---|---|---|\n"


def exhibits(parts):
    return [exhibit for part in parts for exhibit in part["exhibit"]]


def report_link(report):
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)(?:#(\d+))?", report)
    if found:
        return f"[{report}](https://github.com/{found[1]}{'/issues/' + found[2] if found[2] else ''})"
    return f"[{report.split('/')[2]}]({report})" if report.startswith("https://") else report


def test_link(test):
    path, _, name = test.partition("::")
    return f"[`{name}`](../{path})"


def cells(exhibit):
    reports = ", ".join(map(report_link, exhibit["reports"]))
    tests = ", ".join(map(test_link, exhibit.get("tests", [])))
    left = exhibit.get("not_played")
    return (exhibit["number"], f"{reports} ({exhibit['date']})" if "date" in exhibit else reports, exhibit["symptom"],
            exhibit["right"], "; ".join(filter(None, (tests, left and f"not played: {left}"))))


def counts(parts):
    rows = exhibits(parts)
    own = sum(any(test.startswith(OWN_TESTS) for test in row.get("tests", [])) for row in rows)
    return f"Of {len(rows)} rows {own} have tests of their own; the others name the unit, integration or scenario tests that play them."


def render(text):
    """The page that this text of exhibits.toml gives."""
    parts = tomllib.loads(text)["part"]
    page = HEAD.format(counts=counts(parts), source=SOURCE)
    for part in parts:
        rows = "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |\n" for row in part["exhibit"])
        page += f"\n## {part['title']}\n\n{HEADING}{rows}"
    return page


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    (root / DOCUMENT).write_text(render((root / SOURCE).read_text()))
