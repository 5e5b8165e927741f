"""Where the functions of a C++ file begin and end."""
import re

import tree as trees

# A brace after such a head holds functions; any other belongs to a body, an initialiser or an enumeration.
SCOPE = re.compile(r"(?:inline\s+)?namespace\b|extern\s|(?:class|struct|union)\b[\w\s:<>,*]*(?::[^:].*)?$", re.S)
ASSIGNED = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)")
LAMBDA = re.compile(r"=\s*\[[^\[\]]*\]\s*(?:\([^{}]*\)[^(){}]*)?$")
# `Class::Class() : first_{1}, second_(2) {`: the braces of a member follow its name, those of the body do not.
MEMBER = re.compile(r"\)[^{]*[^:]:[^:].*\w\s*$", re.S)


def blanked(text):
    return re.sub(r"[^\n]", " ", text)


def without_preprocessor(code):
    """Directives blanked with their continued lines: their braces need not match."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: blanked(m.group(0)), code, flags=re.M)


def plain(head):
    """A head without access specifiers, attributes and the parameters of its template."""
    head = re.sub(r"\b(?:public|private|protected):(?!:)|\[\[[^\]]*\]\]", " ", head).lstrip()
    while head.startswith("template"):
        depth = 0
        for match in re.finditer(r"<|(?<!-)>", head):
            depth += 1 if match.group(0) == "<" else -1
            if depth == 0:
                head = head[match.end() :].lstrip()
                break
        else:
            return head
    return head


def is_function(head):
    if LAMBDA.search(head):
        return True
    name = head.split("(")[0]
    assigned = ASSIGNED.search(name) and not re.search(r"operator\W*$", name)
    return "(" in head and not assigned and not MEMBER.search(head)


def closing(code, opening, pair="{}"):
    depth = 0
    for match in re.finditer("[" + re.escape(pair) + "]", code[opening:]):
        depth += 1 if match.group(0) == pair[0] else -1
        if depth == 0:
            return opening + match.start()
    return len(code) - 1


def name_in(head):
    found = re.search(r"(operator\W+|~?[\w:]+)\s*\(([^(),]*,\s*[^(),]*\))?", head)
    if not found:
        return head.split("=")[0].split()[-1]
    return head[: found.end()] if found.group(1).startswith("TEST") else found.group(1).strip()


def functions(text):
    """(name, first line, last line) of each function with a body; what is inside of one belongs to it."""
    code = without_preprocessor(trees.without_comments_and_strings(text))
    found = []
    head, begin, at = "", None, 0  # the head of the next brace so far, where it begins, where to look on
    for match in iter(lambda: re.compile(r"[(){};]|\S").search(code, at), None):
        begin = match.start() if begin is None else begin
        at, mark = match.end(), match.group(0)
        if mark == "(":  # braces in parentheses are neither scopes nor bodies
            at = closing(code, match.start(), "()") + 1
        elif mark == "{" and not SCOPE.match(plain(head := code[begin : match.start()])):
            at = closing(code, match.start()) + 1
            if is_function(head := plain(head)):
                first = trees.line_of(code, match.start()) - head.count("\n")
                found.append((name_in(head), first, trees.line_of(code, at - 1)))
                begin = None
        elif mark in "{};":
            begin = None
    return found
