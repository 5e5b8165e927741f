"""No secrets, no package hosts, no unfinished work in the repository."""
import re

import tree as trees

# The refused words, in pieces so that this file does not hold them.
PATTERNS = {
    "a private key": re.compile("-----BEGIN [A-Z ]*PRIVATE " + "KEY-----"),
    "an API key in clear": re.compile(r"api" + r"Key=[A-Za-z0-9_-]{20,}"),
    "a bearer token in clear": re.compile(r"Bear" + r"er [A-Za-z0-9_-]{24,}"),
    "a cloud key": re.compile(r"\bAK" + r"IA[0-9A-Z]{16}\b"),
    "the host of a package registry": re.compile(
        r"(deb\.deb" + r"ian\.org|security\.deb" + r"ian\.org|registry\.np" + r"mjs|py" + r"pi\.org|crates\." + r"io)"
    ),
    "unfinished work": re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"),
}
# Vectors hold made-up keys; the licence is not ours to word.
EXEMPT = re.compile(r"tests/data/|LICENSE$")


def check(tree):
    problems = []
    for path, text in tree.items():
        if EXEMPT.match(path):
            continue
        for what, pattern in PATTERNS.items():
            for match in pattern.finditer(text):
                problems.append(f"{path}:{trees.line_of(text, match.start())}: {what}")
    return problems


REFUSED = [
    {"a.md": "-----BEGIN OPENSSH PRIVATE " + "KEY-----"},
    {"a.cpp": "https://x/?api" + "Key=" + "a1" * 12},
    {"a.sh": "curl -H 'Authorization: Bear" + "er " + "a1" * 20 + "'"},
    {"a.txt": "deb http://deb.deb" + "ian.org/debian bookworm main"},
    {"daemon/x.cpp": "// TO" + "DO: later"},
]
ACCEPTED = [
    {"a.md": "Send `Authorization: Bearer KEY` or `?apiKey=KEY`; a Debian package."},
    {"tests/data/keys.json": "-----BEGIN PRIVATE " + "KEY-----"},
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
