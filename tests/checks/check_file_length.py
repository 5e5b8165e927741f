"""A source file under 400 lines holds one idea; a longer one is split where the ideas part."""
import tree as trees

MOST = 400


def check(tree):
    lengths = {path: text.count("\n") for path, text in trees.cpp(tree, "daemon/", "sandbox/").items()}
    return [f"{path}:{lines}: {lines} lines, {MOST} are the most" for path, lines in lengths.items() if lines > MOST]


REFUSED = [{"daemon/base/x.cpp": "\n" * 401}, {"sandbox/x.hpp": "\n" * 1000}]
ACCEPTED = [{"daemon/base/x.cpp": "\n" * 400}, {"tests/x.cpp": "\n" * 1000}]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
