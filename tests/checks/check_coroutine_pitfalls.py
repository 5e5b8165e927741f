"""Refuses what g++ 12 compiles wrongly: aggregate temporaries, capturing lambdas and conditionals in a co_await.

g++ 12.2 destroys an aggregate temporary inside a co_await expression twice, and so the value of `a ? b : c` inside of
it or around it. A lambda with captures is such an aggregate. Name the object in a statement before, and move it; make a
lambda in an ordinary function that returns Task<T>. Captures by reference and of `this` have no destructor and may stay.
"""
import re

import tree as trees

LAMBDA = re.compile(r"(?<![\w)\]])\[([^\[\]]*)\]\s*(?:\(|\{|mutable\b|<)")
BRACES = re.compile(r"(?:[\w>]|[(,]|\breturn)\s*(\{)")
# A type that is no aggregate, or one without a destructor: braces around it are harmless.
HARMLESS = re.compile(r"(?:std::(?:string|string_view|vector<[^<>]*>|chrono::\w+|nullopt)|\bHeightRange|\bDuration)\s*$")


def operand(code, start):
    """The text of the expression that begins at start, up to where its statement or argument ends."""
    depth = 0
    for i in range(start, len(code)):
        c = code[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return code[start:i]
        elif c in ";," and depth == 0:
            return code[start:i]
    return code[start:]


def harmless_capture(capture):
    items = [item.strip() for item in capture.split(",")]
    return all(item in ("", "this") or re.fullmatch(r"&\w*", item) for item in items)


def lambda_bodies_removed(text):
    """Blanks what stands between the braces of lambdas: statements of another function."""
    result = list(text)
    for match in re.finditer(r"\[[^\[\]]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)\s*)?(?:mutable\s*)?(?:->\s*[\w:<>]+\s*)?\{", text):
        depth, i = 1, match.end()
        while i < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[i], 0)
            i += 1
        for k in range(match.end() - 1, i):
            if result[k] != "\n":
                result[k] = " "
    return "".join(result)


def faults(expression):
    """Offset and description of every pitfall in one co_await expression."""
    for match in LAMBDA.finditer(expression):
        if not harmless_capture(match.group(1)):
            yield match.start(), "a lambda with captures inside co_await"
    for match in BRACES.finditer(lambda_bodies_removed(expression)):
        if not HARMLESS.search(expression[: match.start(1)]):
            yield match.start(1), "a braced temporary inside co_await"
    for match in re.finditer(r"\?", lambda_bodies_removed(expression)):
        yield match.start(), "a conditional inside co_await"


def is_in_conditional(code, at):
    """Whether a `?` stands between the beginning of its statement and this place."""
    statement = code[max(code.rfind(mark, 0, at) for mark in ";{}") + 1: at]
    return "?" in statement


def check(tree):
    problems = set()
    for path, text in trees.cpp(tree, "daemon/", "sandbox/", "tests/", "bench/").items():
        code = trees.without_comments_and_strings(text)
        for match in re.finditer(r"\bco_await\b", code):
            if is_in_conditional(code, match.start()):
                problems.add(f"{path}:{trees.line_of(code, match.start())}: co_await inside a conditional: make it an if")
            for offset, what in faults(operand(code, match.end())):
                line = trees.line_of(code, match.end() + offset)
                problems.add(f"{path}:{line}: {what}: name the object in a statement before, then move it")
    return sorted(problems)


def body(statement):
    return {"daemon/x/x.cpp": "Task<> f() {\n    " + statement + "\n}\n"}


REFUSED = [
    body("co_await offload(pool, [text = std::move(text)] { return parse(text); });"),
    body("co_await offload(pool, [=]() mutable { return n; });"),
    body("auto answer = co_await client.get(Request{url, headers});"),
    body("co_await store.commit({rows, coverage});"),
    body("if ((co_await run(Job{name})).ok()) return;"),
    body("co_await f(\n        g(1),\n        Agg{.a = text});"),
    body("co_await f(net::HttpRequest{});"),
    body("auto refusal = check ? co_await check->refusal(block) : std::optional<Fault>();"),
    body("const bool done = first ? true : is_good(co_await next());"),
    body("co_await send(name.empty() ? std::string(other) : name);"),
]
ACCEPTED = [
    body("Request request{url, headers};\n    co_await client.get(std::move(request));"),
    body("co_await offload(pool, [&] { return n; });"),
    body("co_await wait([this, &done] { Agg a{1}; return done; });"),
    body("if (co_await ready()) { Agg a{1}; use([x] { return x; }); }"),
    body("co_await table[index](1);"),
    body("co_await store.want(base::HeightRange{1, 2});"),
    body("// co_await f(Agg{1});\n    log(\"co_await f({1})\");"),
    body("use(co_await next(), [x] { return x; });"),
    body("const auto name = a ? b : c;\n    co_await send(name);"),
    body("if (check) refusal = co_await check->refusal(block);"),
    body("co_await wait([this, &done] { return done ? a : b; });"),
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
