"""What a PromQL expression asks for: enough of its grammar to name metrics, labels and values.

Prometheus itself says whether an expression is one; this says whether what it names is there.
"""

import re
from typing import NamedTuple

TOKEN = re.compile(r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<range>\[[^\]]*\])|(?P<number>\d[\w.]*)"""
                   r"""|(?P<word>[A-Za-z_:][\w:]*)|(?P<sign>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},])|(?P<space>\s+)""")
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = {"and", "or", "unless", "bool", "offset", "sum", "min", "max", "avg", "count", "topk", "bottomk", "quantile",
         "group", "stddev", "stdvar", "count_values", "inf", "nan"}


class Selector(NamedTuple):
    metric: str
    matchers: tuple  # of (label, operator, value)


class Asked(NamedTuple):
    selectors: list
    grouping: set  # labels of by, on and their like


def tokens(expression):
    at, found = 0, []
    while at < len(expression):
        match = TOKEN.match(expression, at)
        if not match:
            raise ValueError(f"cannot read {expression[at:at + 20]!r} in {expression!r}")
        at = match.end()
        if match.lastgroup not in ("space", "range", "number"):
            found.append(match.group())
    return found


def matchers_from(row, at):
    """The matchers of {…} at this place, and the place after it."""
    found, at = [], at + 1
    while row[at] != "}":
        if row[at] != ",":
            found.append((row[at], row[at + 1], row[at + 2][1:-1]))
            at += 2
        at += 1
    return tuple(found), at + 1


def asked(expression):
    row, at = tokens(expression), 0
    selectors, grouping = [], set()
    while at < len(row):
        word, after = row[at], row[at + 1] if at + 1 < len(row) else ""
        at += 1
        if not re.match(r"[A-Za-z_:]", word):
            continue
        if word.lower() in GROUPING:
            if after == "(":
                end = row.index(")", at)
                grouping.update(label for label in row[at + 1:end] if label != ",")
                at = end + 1
        elif after == "{":
            found, at = matchers_from(row, at)
            selectors.append(Selector(word, found))
        elif after != "(" and word.lower() not in WORDS:
            selectors.append(Selector(word, ()))
    return Asked(selectors, grouping)


def values_named(operator, value):
    """The values that a matcher names outright; a pattern names none."""
    if operator in ("=", "!="):
        return [value] if value else []
    parts = value.split("|")
    return parts if all(re.fullmatch(r"\w+", part) for part in parts) else []


def missing(expression, exposed):
    """Tells in words what the expression names and {metric: {label: {values}}} does not have."""
    found, wanted = [], asked(expression)
    known_labels = set()
    for metric, matchers in wanted.selectors:
        if metric not in exposed:
            found.append(f"no metric {metric}")
            continue
        labels = exposed[metric]
        known_labels |= set(labels)
        for label, operator, value in matchers:
            if label not in labels:
                found.append(f"{metric} has no label {label}")
                continue
            found += [f'{metric} has no {label}="{each}"' for each in values_named(operator, value)
                      if each not in labels[label]]
    if not found:
        found += [f"no label {label} in what is grouped: {expression}" for label in wanted.grouping - known_labels]
    return found
