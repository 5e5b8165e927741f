"""A function that is longer than a screen does more than one thing."""
import functions
import tree as trees

MOST = 60  # the house aims at 40
FOLDERS = ("daemon/", "sandbox/", "tests/", "bench/", "scripts/")


def lengths(tree):
    """(lines, path, first line, name) of every function."""
    return [(last - first + 1, path, first, name) for path, text in trees.cpp(tree, *FOLDERS).items()
            for name, first, last in functions.functions(text)]


def check(tree):
    return [f"{path}:{first}: {name} has {lines} lines, {MOST} are the most"
            for lines, path, first, name in lengths(tree) if lines > MOST]


def measure(tree):
    found = sorted(lines for lines, *_ in lengths(tree))
    middle, late = found[len(found) // 2], found[len(found) * 9 // 10]
    return (f"{len(found)} functions: median {middle} lines, nine in ten at most {late}, "
            f"{sum(lines > 40 for lines in found)} over 40, longest {found[-1]}")


def lines(count):
    return "    work();\n" * count


def file(text, path="daemon/base/x.cpp"):
    return {path: text}


LONG = lines(59) + "}\n"  # with the line of the head one more than there may be
REFUSED = [
    file("void f() {\n" + LONG + "\n}"),
    file("namespace a::b {\nnamespace {\nvoid f() {\n" + lines(59) + "}\n}\n}\n"),
    file("struct A {\n    int n{0};\n    std::vector<int> list = {1, 2};\n    void f() const noexcept {\n" + lines(59) + "    }\n};\n"),
    file("A::A(int n)\n    : one_{n}, two_(n, Options{n}), three_(std::move(n)) {\n" + lines(58) + "}\n"),
    file("A& A::operator=(const A&) {\n" + lines(59) + "}\n"),
    file("template <class F, class R = std::invoke_result_t<F&>>\nR f(F g) {\n" + lines(59) + "}\n"),
    file("struct Answer ask(int n) {\n" + lines(59) + "}\n"),
    file("TEST_F(Store, keeps_blocks) {\n" + lines(59) + "}\n", "tests/unit/x_test.cpp"),
    file("const auto f = [](int n) -> int {\n" + lines(59) + "};\n"),
    file("void f() {\n    log(\"}}}\");  // }\n" + lines(58) + "}\n"),
    file("#define OPEN {\nvoid f() {\n    for (;;) {\n" + lines(57) + "    }\n}\n"),
    file("void f()\n    requires(sizeof(int) == 4)\n{\n" + lines(57) + "}\n"),
    file("auto f(int n) -> std::optional<int> try {\n" + lines(59) + "} catch (...) {\n}\n"),
    file("int f() {\n    int n = 0;\n    const Table table[] = {\n" + lines(56) + "    };\n}\n"),
]
ACCEPTED = [
    file("void f() {\n" + lines(58) + "}\n"),
    file("namespace a {\n" + "void f() {}\n" * 100 + "}\n"),
    file("class A : public B<int()> {\n" + "    int f() const { return 1; }\n" * 100 + "};\n"),
    file("enum class Kind {\n" + "    a,\n" * 100 + "};\n"),
    file("const Row kTable[] = {\n" + "    {f(1), [] { return 1; }},\n" * 100 + "};\n"),
    file("const Row kTable[]{\n" + "    {f(1)},\n" * 100 + "};\n"),
    file("extern \"C\" {\n" + "void f();\n" * 100 + "}\n"),
    file("const char* kText = R\"(\nvoid f() {\n" + "\n" * 100 + "})\";\n"),
    file("INSTANTIATE_TEST_SUITE_P(\n    All, Stores, Values(\n" + "        Row{1},\n" * 100 + "        Row{2}));\n"),
    file("void f() {\n" + lines(100) + "}\n", "docs/x.cpp"),
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED, measure)
