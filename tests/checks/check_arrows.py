"""Which module may include which: the arrows of ARCHITECTURE.md, the only place that lists them."""
import re

import tree as trees

# module: the modules it may include besides itself. CMakeLists.txt must say the same. Who may include chain may
# include all of its rooms, chain/<room>.
ARROWS = {
    "base": "",
    "cli": "base",
    "metrics": "base",
    "rule": "base",
    "channel": "base",
    "storm": "base",
    "config": "base rule channel chain/json",
    "chain": "chain/wire chain/json chain/tree chain/rows chain/proof",
    "chain/wire": "base",
    "chain/json": "base",
    "chain/tree": "base chain/wire chain/json",
    "chain/rows": "base chain/wire chain/json chain/tree chain/proof",
    "chain/proof": "base chain/wire chain/json",
    "draw": "base chain",
    "trace": "base channel chain",
    "net": "base metrics",
    "rpc": "base config metrics chain net",
    "storage": "base rule storm config metrics chain",
    "follow": "base rule config metrics chain rpc storage",
    "alert": "base rule storm channel config metrics chain net storage",
    "watch": "base config metrics chain trace rpc storage",
    "telemetry": "base config metrics chain trace net storage watch",
    "api": "base rule storm metrics chain draw trace net storage watch",
    "page": "base rule metrics chain draw net storage watch api",
    "app": "base cli rule storm channel config metrics chain draw trace net rpc storage follow alert watch telemetry api page",
}
# The parts of the sandbox, sandbox/<part>: what they may include of the daemon and of one another. Of chain only the forms
# and hashes that everybody must agree on: its ground truth would prove nothing if it judged by the daemon's own rules.
SANDBOX_ROOMS = {"chain/wire", "chain/proof"}
SANDBOX = {
    "sim": "base chain",
    "contracts": "base chain sandbox/sim",
    "gateway": "base chain net",
    "replay": "base chain net sandbox/gateway",
    "ledger": "base chain sandbox/sim sandbox/gateway",
    "traffic": "base chain sandbox/sim sandbox/contracts",
    "run": "base chain net sandbox/sim sandbox/contracts sandbox/gateway sandbox/ledger sandbox/traffic",
    "cli": "cli sandbox/replay sandbox/run",
}

# start of a system include: the paths that may have it.
LIBRARIES = {
    "boost/beast": r"daemon/net/[^/]+\.cpp",
    "boost/asio": r"(daemon/(base|net|rpc|storage|follow|alert|watch|telemetry|api|page|app)|sandbox|tests|bench)/",
    "openssl/": r"(daemon|tests/unit)/net/",
    "kainjow/": r"daemon/(page/render|channel/words)\.cpp",
    "curl/": r"daemon/net/[^/]+\.cpp",
    "libdeflate": r"(daemon/net|sandbox|tests)/",
    "nlohmann/": r"daemon/base/exact_json\.|daemon/(rule|storm)/[^/]+\.cpp|(daemon/(channel|rpc|alert|watch|api|page|app)|sandbox|tests|bench)/",
    "pqxx/": r"(daemon/storage|tests|bench)/",
    "simdjson": r"(daemon/chain|sandbox|tests|bench)/",
    "sodium": r"(daemon/(chain/wire|channel|storage|alert|api)|sandbox/sim|tests|bench)/",
    "secp256k1": r"(daemon/chain/wire|sandbox/sim)/",
    "toml++/": r"daemon/config/",
    "CLI/": r"(daemon/(cli|app)|sandbox/cli|tests/unit/cli)/",
    "prometheus/": r"(daemon/metrics|tests|bench)/",
    "spdlog/": r"daemon/base/",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def allowed_modules(path):
    """The modules whose headers `path` may include, or None where all are."""
    part = path.split("/")
    if part[0] == "daemon" and len(part) > 2:
        own = module_of(path.removeprefix("daemon/"))
        return with_rooms({own, *ARROWS.get(own, "").split()})
    if part[0] == "sandbox" and len(part) > 2:
        own = f"sandbox/{part[1]}"
        return {own, *SANDBOX.get(part[1], "").split()} | SANDBOX_ROOMS
    return None


def with_rooms(modules):
    return modules | set(ARROWS["chain"].split()) if "chain" in modules else modules


def module_of(header):
    """base/clock.hpp -> base, chain/json/model.hpp -> chain/json, sandbox/sim/state.hpp -> sandbox/sim"""
    return re.match(r"((sandbox|chain)/(?=[^/]*/))?[^/]*", header).group()


def check_includes(path, text):
    problems = []
    allowed = allowed_modules(path)
    for match in INCLUDE.finditer(text):
        kind, header = match.groups()
        where = f"{path}:{trees.line_of(text, match.start(2))}"
        if kind == '"' and "/" not in header and not path.startswith("tests/"):
            problems.append(f'{where}: name the module: #include "module/{header}"')
        module = module_of(header)
        if kind == '"' and allowed is not None and "/" in header and module not in allowed:
            problems.append(f"{where}: {path.rsplit('/', 1)[0]} must not include {module}/")
        for library, place in LIBRARIES.items():
            if kind == "<" and header.startswith(library) and not re.match(place, path):
                problems.append(f"{where}: <{header}> belongs in {place}")
    return problems


def check_cmake(tree):
    """Module lines of CMakeLists.txt against the table."""
    text = tree.get("CMakeLists.txt")
    if text is None:
        return []
    found = {}
    for prefix, name, rest in re.findall(r"receiptd_(sandbox_part|module)\(([\w/]+)\s*([^)]*)\)", text):
        uses = re.search(r"USES\s+([a-z/ ]+)", rest)
        shares = re.search(r"SHARES\s+([a-z ]+)", rest)
        modules = uses.group(1).split() if uses else []
        if prefix == "sandbox_part":
            modules = [f"sandbox/{part}" for part in modules] + (shares.group(1).split() if shares else [])
            name = f"sandbox/{name}"
        found[name] = set(modules)
    wanted = {name: set(uses.split()) for name, uses in ARROWS.items()}
    wanted.update((f"sandbox/{name}", set(uses.split())) for name, uses in SANDBOX.items() if name != "main")
    return [
        f"CMakeLists.txt: module {name} uses {sorted(found.get(name, []))}, the table says {sorted(wanted.get(name, []))}"
        for name in sorted(found.keys() | wanted.keys())
        if found.get(name) != wanted.get(name)
    ]


def check(tree):
    problems = check_cmake(tree)
    for path, text in trees.cpp(tree, "daemon/", "sandbox/", "bench/", "tests/").items():
        module = module_of(path.removeprefix("daemon/"))
        part = path.split("/")[1]
        if path.startswith("daemon/") and path.count("/") > 1 and (module == "chain" or module not in ARROWS):
            problems.append(f"{path}:1: module {module} has no arrows: add it to tests/checks/check_arrows.py")
        if path.startswith("sandbox/") and path.count("/") > 1 and part not in SANDBOX:
            problems.append(f"{path}:1: sandbox part {part} has no arrows: add it to tests/checks/check_arrows.py")
        problems += check_includes(path, text)
    return problems


REFUSED = [
    {"daemon/chain/json/x.cpp": '#include "net/url.hpp"\n'},
    {"daemon/chain/x.cpp": '#include "base/clock.hpp"\n'},
    {"daemon/chain/json/x.cpp": '#include "chain/tree/tree.hpp"\n'},
    {"daemon/chain/wire/x.cpp": '#include "chain/json/model.hpp"\n'},
    {"daemon/chain/tree/x.cpp": '#include "chain/rows.hpp"\n'},
    {"daemon/chain/novel/x.cpp": '#include "base/clock.hpp"\n'},
    {"daemon/base/x.hpp": '#include "config/settings.hpp"\n'},
    {"daemon/chain/json/x.cpp": "#include <nlohmann/json.hpp>\n"},
    {"daemon/chain/json/x.cpp": "#include <boost/asio/post.hpp>\n"},
    {"daemon/net/x.hpp": "#include <boost/beast/core.hpp>\n"},
    {"daemon/follow/x.cpp": "#include <pqxx/connection>\n"},
    {"daemon/rpc/x.cpp": "  #  include <pqxx/connection>\n"},
    {"sandbox/sim/x.cpp": '#include "storage/store.hpp"\n'},
    {"sandbox/sim/x.cpp": '#include "sandbox/gateway/chain.hpp"\n'},
    {"sandbox/ledger/x.cpp": '#include "chain/tree/judge.hpp"\n'},
    {"sandbox/novel/x.cpp": '#include "base/clock.hpp"\n'},
    {"daemon/rule/x.hpp": "#include <nlohmann/json.hpp>\n"},
    {"daemon/rule/x.cpp": '#include "chain/tree/finding.hpp"\n'},
    {"CMakeLists.txt": "receiptd_sandbox_part(sim USES gateway SHARES base chain)\n"},
    {"daemon/base/x.cpp": '#include "clock.hpp"\n'},
    {"daemon/novel/x.cpp": '#include "base/clock.hpp"\n'},
    {"CMakeLists.txt": "receiptd_module(chain/json USES base net)\n"},
]
ACCEPTED = [
    {"daemon/net/x.cpp": '#include <boost/beast/core.hpp>\n#include "base/clock.hpp"\n#include "net/url.hpp"\n'},
    {"daemon/app/x.cpp": '#include "follow/head.hpp"\n'},
    {"daemon/main.cpp": '#include "app/commands.hpp"\n'},
    {"sandbox/sim/x.cpp": '#include "sandbox/sim/y.hpp"\n#include "chain/wire/hash.hpp"\n#include <nlohmann/json.hpp>\n'},
    {"tests/unit/chain/x.cpp": "#include <nlohmann/json.hpp>\n"},
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
