"""JSON of others is read by read_json() and written by write_json() (daemon/base/exact_json.hpp), which keep the digits of every
number. nlohmann's own parse() and dump() stand only where a text is ours, or where a number of another size is refused."""
import re

import tree as trees

# File and what it may use.
OWN = {
    "daemon/base/exact_json.cpp": "dump",
    "daemon/rule/messages.cpp": "parse dump",  # schemas
    "daemon/rule/required_members.cpp": "parse",  # schemas
    "daemon/storm/silence.cpp": "parse dump",  # patterns, which are texts
    "daemon/api/body.cpp": "parse",  # requests: a number that is too large is answered with 400
    "daemon/api/rules.cpp": "dump",  # a text
    "daemon/watch/metadata.cpp": "parse dump",  # refuses such numbers
    "daemon/rpc/questions.cpp": "dump",  # our questions
    "daemon/rpc/result_json.cpp": "parse",  # short answers: their numbers are heights and limits
    "daemon/alert/verify.cpp": "parse",  # of which only the type is read
    "daemon/alert/test_message.cpp": "dump",
    "daemon/alert/standstill_payload.cpp": "dump",
    "daemon/app/database_commands.cpp": "dump",  # of our own status
}
USE = re.compile(r"(?:\b[jJ]son|\bMetadata|\bSchema|\bSchemaPart|_json)::(parse)\(|(?:\.|->)(dump)\(")


def check(tree):
    problems = []
    for path, text in tree.items():
        if not path.startswith("daemon/") or not path.endswith((".cpp", ".hpp")):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for found in USE.finditer(line.split("//")[0]):
                what = found[1] or found[2]
                if what not in OWN.get(path, "").split():
                    instead = "read_json" if found[1] else "write_json"
                    problems.append(f"{path}:{number}: {what}() changes numbers: use base::{instead}()")
    return problems


REFUSED = [
    {"daemon/alert/payload.cpp": "auto told = Json::parse(text, nullptr, false);\n"},
    {"daemon/api/a.cpp": "return nlohmann::ordered_json::parse(text);\n"},
    {"daemon/page/a.cpp": "    return value->dump(2);\n"},
    {"daemon/rpc/questions.cpp": "auto x = json::parse(text);\n"},
]
ACCEPTED = [
    {"daemon/alert/payload.cpp": "auto told = base::read_json(text);  // json::parse( rounds\n"},
    {"daemon/rpc/questions.cpp": "return body.dump();\n"},
    {"daemon/rule/a.cpp": "auto document = JsonDocument::parse(text);\n"},
    {"tests/unit/a.cpp": "auto body = Json::parse(text);\n"},
]

if __name__ == "__main__":
    trees.main(check, REFUSED, ACCEPTED)
