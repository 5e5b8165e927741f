"""A header is read far more often than its source: half of each program's headers fit on a screen."""
import statistics

import tree as trees

MOST = 45
FOLDERS = ("daemon/", "sandbox/")


def medians(tree):
    headers = {folder: [text.count("\n") for path, text in trees.cpp(tree, folder).items() if path.endswith(".hpp")]
               for folder in FOLDERS}
    return {folder: statistics.median(lines) for folder, lines in headers.items() if lines}


def check(tree):
    return [f"{folder}:1: the median of its headers is {median:g} lines, {MOST} are the most"
            for folder, median in medians(tree).items() if median > MOST]


def measure(tree):
    return "median of headers: " + ", ".join(f"{folder} {median:g} lines" for folder, median in medians(tree).items())


def headers(folder, *lengths):
    return {f"{folder}x{i}.hpp": "\n" * lines for i, lines in enumerate(lengths)}


REFUSED = [
    headers("daemon/base/", 10, 46, 300),
    headers("sandbox/sim/", 46),
    {**headers("daemon/base/", 10, 10, 10), **headers("sandbox/sim/", 50, 60)},
]
ACCEPTED = [
    headers("daemon/base/", 45, 45, 300),
    {**headers("daemon/base/", 20), "daemon/base/x.cpp": "\n" * 300, "daemon/base/y.cpp": "\n" * 300},
    headers("tests/support/", 200),
    {},
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED, measure)
