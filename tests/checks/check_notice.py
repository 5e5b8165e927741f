"""NOTICE names each library that CMake looks for, with its Debian package."""
import re

import tree as trees

# As CMake or pkg-config calls it: as NOTICE does. Threads are part of the C library.
NAMES = {"Boost": "Boost", "CLI11": "CLI11", "OpenSSL": "OpenSSL", "PkgConfig": None, "Threads": None}
# Found by their headers alone.
HEADERS_ONLY = {"mustache": "libkainjow-mustache-dev"}
ROW = re.compile(r"^(\S+) +(\S+) +(shared|compiled in) +(\S+)$", re.M)


def wanted(cmake):
    found = re.findall(r"^find_package\((\S+)", cmake, re.M) + re.findall(r"^pkg_check_modules\((\S+)", cmake, re.M)
    names = {NAMES.get(name, name) for name in found} - {None}
    if re.search(r"^find_package\(Boost .*COMPONENTS url", cmake, re.M):
        names.add("Boost.URL")
    return names | set(HEADERS_ONLY)


def check(tree):
    cmake, packages = tree.get("cmake/dependencies.cmake", ""), tree.get("scripts/packages.txt", "").split()
    rows = {name: package for name, package, _, _ in ROW.findall(tree.get("NOTICE", ""))}
    problems = [f"NOTICE does not name {name}" for name in sorted(wanted(cmake) - set(rows))]
    problems += [f"NOTICE names {name}, which cmake/dependencies.cmake does not look for"
                 for name in sorted(set(rows) - wanted(cmake))]
    return problems + [f"NOTICE: {package} is not in scripts/packages.txt" for package in rows.values()
                       if package not in packages]


CMAKE = "find_package(Threads REQUIRED)\nfind_package(Boost 1.81 REQUIRED COMPONENTS url)\npkg_check_modules(libpq X)\n"
ROWS = ("Boost b-dev shared BSL-1.0\nBoost.URL u-dev shared BSL-1.0\nlibpq p-dev compiled in PostgreSQL\n"
        "mustache m-dev compiled in BSL-1.0\n")
GOOD = {"cmake/dependencies.cmake": CMAKE, "NOTICE": ROWS, "scripts/packages.txt": "b-dev\nu-dev\np-dev\nm-dev\n"}
REFUSED = [
    {},
    GOOD | {"NOTICE": ROWS.replace("libpq ", "libqp ")},
    GOOD | {"NOTICE": ROWS.replace("mustache m-dev compiled in BSL-1.0\n", "")},
    GOOD | {"scripts/packages.txt": "b-dev\nu-dev\nm-dev\n"},
]
ACCEPTED = [GOOD]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
