"""A source file of at most 400 lines holds one idea; a longer one is split where the ideas part."""
import tree as trees

MOST = 400
FOLDERS = ("daemon/", "sandbox/", "tests/", "bench/", "scripts/")


def lengths(tree):
    return {path: text.count("\n") for path, text in trees.cpp(tree, *FOLDERS).items()}


def check(tree):
    return [f"{path}:{lines}: {lines} lines, {MOST} are the most"
            for path, lines in lengths(tree).items() if lines > MOST]


def measure(tree):
    found = lengths(tree)
    path = max(found, key=found.get)
    return f"{len(found)} C++ files, the longest has {found[path]} lines: {path}"


REFUSED = [{"daemon/base/x.cpp": "\n" * 401}, {"sandbox/x.hpp": "\n" * 1000}, {"tests/x_test.cpp": "\n" * 401}]
ACCEPTED = [{"daemon/base/x.cpp": "\n" * 400}, {"docs/x.cpp": "\n" * 1000}, {"tests/x.py": "\n" * 1000}]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED, measure)
