"""What the checks share: the files of the work tree as {path: text}, and the way a check runs.

A check is a function tree -> list of problems ("path:line: what is wrong"). It brings samples that
it must refuse and samples that it must accept; --self-test tries them, since a check that cannot
fail says nothing.
"""
import pathlib
import re
import subprocess
import sys


def files_of(root):
    """Text of every file below root that git tracks, or that is new; of one that is no text, nothing."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True
    ).stdout
    tree = {}
    for name in filter(None, names.split("\0")):
        path = pathlib.Path(root, name)
        try:
            tree[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            tree[name] = ""
        except (FileNotFoundError, IsADirectoryError):
            continue
    return tree


def cpp(tree, *folders):
    """The C++ files of the tree below these folders."""
    return {p: t for p, t in tree.items() if p.endswith((".cpp", ".hpp")) and p.startswith(folders)}


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def without_comments_and_strings(text):
    """The text with comments and the inside of literals blanked, every offset and line kept."""
    pattern = re.compile(
        r'R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\'',
        re.S,
    )
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)


def self_test(check, refused, accepted):
    problems = []
    for sample in refused:
        if not check(sample):
            problems.append(f"accepts what it must refuse: {sample}")
    for sample in accepted:
        found = check(sample)
        if found:
            problems.append(f"refuses what it must accept: {sample}: {found}")
    return problems


def main(check, refused, accepted, measure=None):
    """check_x.py ROOT | --self-test; `measure` says in a line what the tree has of what the check limits."""
    if sys.argv[1:] == ["--self-test"]:
        problems = self_test(check, refused, accepted)
    else:
        tree = files_of(sys.argv[1] if len(sys.argv) > 1 else ".")
        problems = check(tree)
        if measure:
            print(measure(tree))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
