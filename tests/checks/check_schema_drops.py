"""schema/ replaces its views and functions and never drops them, because a DROP fails as soon as somebody built a view on
them. A migration drops what must change its shape."""
import re

import tree as trees

# Within a function's body there may be one: EXECUTE format('DROP TABLE …').
DROP = re.compile(r"^\s*DROP\b|^CREATE (?!OR REPLACE)(?:FUNCTION|VIEW|TRIGGER|PROCEDURE)\b", re.M)


def check(tree):
    return [f"{path}:{trees.line_of(text, match.start())}: use CREATE OR REPLACE; a migration drops what must change its shape"
            for path, text in tree.items() if path.startswith("schema/") and path.endswith(".sql")
            for match in DROP.finditer(text)]


GOOD = "CREATE OR REPLACE VIEW a AS SELECT 1;\n-- A DROP in a comment\n"
BAD = ("DROP VIEW a;\n", "CREATE VIEW a AS SELECT 1;\n", "  DROP FUNCTION IF EXISTS f();\n", "CREATE FUNCTION f()\n")

if __name__ == "__main__":
    trees.main(check, [{"schema/10_a.sql": bad} for bad in BAD], [{"schema/10_a.sql": GOOD}])
