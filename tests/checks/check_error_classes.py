"""Documents name error classes that there are: in the trees drawn (`✗ class`), in JSON, in columns of that name."""
import re

import tree as trees

RULES, TEXTS, LIFECYCLE = "daemon/chain/json/error_rules.cpp", "daemon/chain/json/errors.cpp", "daemon/chain/tree/lifecycle.cpp"
REASONS = ("daemon/chain/tree/lifecycle.hpp", "daemon/chain/tree/finding.hpp")
RULE = re.compile(r'\{F::(\w+),\s*"\w+",\s*"(\w*)",(?:[^{}"]|"(?:\\.|[^"\\])*")*?(?:F::(\w+))?\s*\}')
DRAWN = re.compile(r"✗ (\w+)")
IN_JSON = re.compile(r'"error_class"\s*:\s*"([^"]*)"')


def known_classes(tree):
    rules = tree.get(RULES, "")
    found = re.findall(RULE, rules)
    by_family = {}
    for family, name, _ in found:
        by_family.setdefault(family, set()).add(name)
    classes = {name for _, name, following in found if name and not following}
    # A rule that leads on puts its class before that of the next one.
    classes |= {name + inner for _, name, following in found if name and following
                for inner in by_family.get(following, ())}
    classes |= set(re.findall(r'\{Match::\w+,\s*"(?:\\.|[^"\\])*",\s*"(\w+)"\}', rules))
    classes |= set(re.findall(r'constexpr std::string_view k\w+ = "(\w+)";', tree.get(TEXTS, "")))
    # The classes of watches, of what is handed in, and of whole transactions.
    for path in REASONS:
        classes |= set(re.findall(r'Text k\w+ = "(\w+)";', tree.get(path, "")))
    classes |= {"stuck_" + stage for stage in re.findall(r'Stage::\w+, "(\w+)"', tree.get(LIFECYCLE, ""))}
    for path, text in trees.cpp(tree, "daemon/watch/").items():
        classes |= set(re.findall(r'error_class = "(\w+)"', text))
    return classes


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def named_in_columns(text):
    """(line number, name) below a header `error_class` (psql) or `error classes` (Markdown)."""
    column, header = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        if "|" not in line:
            column = column if re.match(r"-[-+]*$", line) else None
            continue
        row = cells(line)
        wanted = [i for i, cell in enumerate(row) if cell in ("error_class", "error classes")]
        if wanted:
            column, header = wanted[0], row[wanted[0]]
        elif column is not None and column < len(row) and not re.match(r"-+$", row[column]):
            names = re.findall(r"`(\w+…?)`", row[column]) if header == "error classes" else [row[column]]
            yield from ((number, name) for name in names if name)


def is_known(name, classes):
    return name in classes or name.endswith("…") and any(each.startswith(name[:-1]) for each in classes)


def check(tree):
    classes = known_classes(tree)
    problems = []
    for path, text in tree.items():
        if not path.endswith(".md"):
            continue
        named = [(trees.line_of(text, match.start()), match.group(1))
                 for pattern in (DRAWN, IN_JSON) for match in pattern.finditer(text)]
        problems += [f"{path}:{line}: there is no error class {name}"
                     for line, name in named + list(named_in_columns(text)) if not is_known(name, classes)]
    return problems


CODE = {
    RULES: '{F::action, "Gone", "account_missing", "no {account_id}"},\n{F::action, "Key", "delegate_", "", F::key},\n'
           '{F::key, "None",\n "key_missing", "a {x}, b"},\n{F::other, "Empty", "", "", F::key},\n'
           '{Match::whole, "Too much.", "gas_exceeded"},',
    TEXTS: 'constexpr std::string_view kUnknown = "unknown";',
    REASONS[0]: 'inline constexpr Text kLost = "superseded";',
    LIFECYCLE: '{Stage::pending, "pending"},',
    "daemon/watch/a.cpp": 'error.error_class = "parse_error";',
}


def document(text):
    return CODE | {"docs/a.md": text}


REFUSED = [
    document("tx ✗ lack_balance   decides"),
    document('{"error_class": "delegate_gas_exceeded"}'),
    document("x | error_class | y\n--+--+--\n1 | delegate_ | 2"),
    document("| checked | error classes |\n|---|---|\n| all | `unknown`, `stuck_never` |"),
    document("| checked | error classes |\n|---|---|\n| all | `code_…` |"),
]
ACCEPTED = [
    document("tx ✗ account_missing   decides\n├─ b ✗   handled\n✗   ├─ callback"),
    document('{"error_class":"delegate_key_missing"} {"error_class": "unknown"}'),
    document(" x | error_class | y\n--+--+--\n1 | gas_exceeded | 2\n2 |  | 3\n(2 rows)\na | b | c"),
    document("| checked | error classes |\n|---|---|\n| all | `parse_error` of `superseded`, `stuck_pending`, `key_…` |"),
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
