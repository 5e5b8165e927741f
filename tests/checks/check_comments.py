"""Comments begin with their subject: none begins with "Of", "Those", "They", "Who" or "Whoever"."""
import re

import tree as trees

# How a comment begins, by the ending of the file's name. Docstrings are comments, too.
LEADS = {
    ("cpp", "hpp", "js", "mjs", "go", "rs"): r"//+",
    ("sql",): "--",
    ("py",): '#|"""',
    ("sh", "cmake", "dev"): "#",
    ("css",): r"/\*",
}
WORDS = "Of|Those|They|Who|Whoever"
# Applied migrations keep their checksum: their comments can no longer change.
EXEMPT = re.compile(r"migrations/|tests/data/")


def lead_of(path):
    ending = path.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
    return next((lead for endings, lead in LEADS.items() if ending in endings), None)


def check(tree):
    problems = []
    for path, text in tree.items():
        lead = lead_of(path)
        if lead is None or EXEMPT.match(path):
            continue
        begins = re.compile(rf"(?:^|\s)(?:{lead})\s*({WORDS})\b")
        goes_on = re.compile(rf"\s*(?:{lead})\s*\S")
        before = ""
        for number, line in enumerate(text.split("\n"), 1):
            found = begins.search(line)
            is_whole_line = found and not line[: found.start()].strip()
            if found and not (is_whole_line and goes_on.match(before)):
                problems.append(f'{path}:{number}: a comment begins with "{found[1]}": begin with its subject')
            before = line
    return problems


# In pieces where this file would be refused itself.
REFUSED = [
    {"daemon/a.cpp": "int a;\n// Of a line that was read.\nint b;\n"},
    {"daemon/a.hpp": "int a;  // Those of others\n"},
    {"schema/a.sql": "-- Whoever reads waits.\n"},
    {"tests/a.py": 'def a():\n    """Th' + 'ey are judged."""\n'},
    {"tests/a.py": "# Who asks.\n"},
    {"dev": "    # Th" + "ey come as services.\n"},
]
ACCEPTED = [
    {"daemon/a.cpp": "// The length of a line, and of those that follow. They are read, and all others as well.\n// Of these the first counts.\n"},
    {"daemon/a.cpp": "int status = 0;  // of HTTP\n// Offers come later.\n"},
    {"migrations/0001_a.sql": "-- Of the block.\n"},
    {"docs/a.md": "# Who may ask\n"},
    {"tests/a.py": 'def a():\n    """The first of those that are judged."""\n'},
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
