"""The documents are there, the change log knows the version, links within the repository hold, and tests that they name
(`Suite.Test`) are there. No query that they show locks the partitions of all times (docs/sql.md)."""
import posixpath
import re

import tree as trees

NEEDED = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/configuration.md")
NAMED_TEST = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)`")
TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
LOCKS_ALL_TIMES = re.compile(r"\bblock_time\s*[<>]=?\s*now\(\)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def check_changelog(tree):
    version = re.search(r"project\(receiptd VERSION (\S+)", tree.get("CMakeLists.txt", ""))
    changes = tree.get("CHANGELOG.md", "")
    problems = []
    if "## [Unreleased]" not in changes:
        problems.append("CHANGELOG.md:1: has no section ## [Unreleased]")
    if version and f"[{version.group(1)}]" not in changes and version.group(1) != "0.1.0":
        problems.append(f"CHANGELOG.md:1: does not name version {version.group(1)} of CMakeLists.txt")
    return problems


def check_links(path, text, tree):
    folders = {posixpath.dirname(p) for p in tree}
    known = set(tree) | folders | {posixpath.dirname(f) for f in folders}
    problems = []
    for match in LINK.finditer(text):
        target = match.group(1)
        if re.match(r"[a-z]+:", target) or target.startswith("../shared"):
            continue
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) not in known:
            problems.append(f"{path}:{trees.line_of(text, match.start())}: link to {target}, which is not there")
    return problems


def check_named_tests(tree):
    tests = {match.groups() for path, text in trees.cpp(tree, "tests/").items() for match in TEST.finditer(text)}
    return [f"{path}:{trees.line_of(text, match.start())}: names the test {match.group(1)}.{match.group(2)}, which is not there"
            for path, text in tree.items() if path.endswith(".md")
            for match in NAMED_TEST.finditer(text) if match.groups() not in tests]


def check_times(path, text):
    return [f"{path}:{trees.line_of(text, match.start())}: give block_time a constant, such as 'yesterday': now() locks partitions of all times"
            for match in LOCKS_ALL_TIMES.finditer(text)]


def check(tree):
    problems = [f"{name}: is missing" for name in NEEDED if name not in tree]
    problems += check_changelog(tree)
    problems += check_named_tests(tree)
    for path, text in tree.items():
        if path.endswith(".md"):
            problems += check_links(path, text, tree)
        if path.endswith(".md") or path.startswith("schema/"):
            problems += check_times(path, text)
    return problems


COMPLETE = {name: "" for name in NEEDED} | {"CHANGELOG.md": "## [Unreleased]\n"}
REFUSED = [
    {name: text for name, text in COMPLETE.items() if name != "LICENSE"},
    COMPLETE | {"CHANGELOG.md": "# Changes\n"},
    COMPLETE | {"README.md": "[gone](docs/gone.md)"},
    COMPLETE | {"README.md": "SELECT * FROM gaps WHERE block_time > now() - interval '1 day'"},
    COMPLETE | {"README.md": "| it is told | `Words.AreTold` |", "tests/a_test.cpp": "TEST_F(Words, AreOther) {"},
    COMPLETE | {"CMakeLists.txt": "project(receiptd VERSION 0.2.0 LANGUAGES CXX)"},
]
ACCEPTED = [COMPLETE, COMPLETE | {"README.md": "`Words.AreTold`", "tests/a_test.cpp": "TEST_F(Words, AreTold) {"},
            COMPLETE | {"README.md": "[here](docs/configuration.md#a) [docs](docs) [web](https://example.com)"}]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
