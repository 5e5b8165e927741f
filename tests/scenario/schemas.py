"""Whether a value is as a JSON Schema promises, to the last member."""

import re

import jsonschema

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")

formats = jsonschema.FormatChecker(formats=())


@formats.checks("date-time")
def is_time(value):
    return not isinstance(value, str) or TIME.fullmatch(value) is not None


def closed(schema):
    """The same, in which no object has a member that is not named: clients may ignore such, we may not forget them."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    if "properties" in schema and isinstance(schema["properties"], dict):
        made.setdefault("additionalProperties", False)
    return made


def faults(value, schema):
    found = jsonschema.Draft202012Validator(closed(schema), format_checker=formats).iter_errors(value)
    return [f"{fault.json_path}: {fault.message[:300]}" for fault in found]
