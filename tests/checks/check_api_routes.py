"""docs/api.md lists every route under /v1 that openapi.json describes, and no other."""
import json
import re

import tree as trees

DOCUMENT = "docs/api.md"
DESCRIPTION = "daemon/api/openapi.json"
ROUTE = re.compile(r"`(GET|POST|PUT|DELETE) (/v1/[^`?]*)[^`]*`")


def check(tree):
    paths = json.loads(tree.get(DESCRIPTION, "{}")).get("paths", {})
    described = {(method.upper(), path) for path, item in paths.items() for method in item if path.startswith("/v1/")}
    rows = [line.split("|")[1] for line in tree.get(DOCUMENT, "").splitlines() if re.match(r"\| `[A-Z]+ /v1/", line)]
    listed = set(ROUTE.findall("\n".join(rows)))
    problems = [f"{DOCUMENT}: the table of routes lacks `{' '.join(route)}`" for route in sorted(described - listed)]
    problems += [f"{DOCUMENT}: {DESCRIPTION} has no `{' '.join(route)}`" for route in sorted(listed - described)]
    return problems or ([] if described else [f"{DESCRIPTION}: no route is described"])


ROUTES = json.dumps({"paths": {"/v1/rules": {"get": {}}, "/v1/search": {"get": {}, "post": {}}, "/livez": {"get": {}}}})
TABLE = "| `GET /v1/rules` | rules |\n| `GET /v1/search?q=`, `POST /v1/search` | ids |\n"
REFUSED = [
    {},
    {DESCRIPTION: ROUTES},
    {DESCRIPTION: ROUTES, DOCUMENT: "| `GET /v1/rules` | rules |\n| `GET /v1/search` | ids |\n"},
    {DESCRIPTION: ROUTES, DOCUMENT: TABLE + "| `GET /v1/rules/all` | rules |\n"},
    {DESCRIPTION: ROUTES, DOCUMENT: "`GET /v1/rules`, `GET /v1/search` and `POST /v1/search`\n"},
]
ACCEPTED = [{DESCRIPTION: ROUTES, DOCUMENT: "| route | content |\n" + TABLE}]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
