"""Reads the OpenAPI document of a fleet from stdin, and writes its operations for Python to stdout."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

HEAD = '''# Generated from the OpenAPI document by `npm run generate-python -w e2e`. Do not edit.

from __future__ import annotations

from typing import Unpack

from . import models as m
from ._operation import Operation, creation, read_leases
from ._request import Page, Request, path_of, read_nothing, read_object, read_page, read_text, to_request


class Operations:
    """The operations of the API. Those that create something take an `idempotency_key`; by default each call has its
    own."""
'''
# Users, keys, sessions and the service itself: administration, for which there are the terminal and the browser.
OMITTED_TAGS = {"Authentication", "Users", "API keys", "Audit", "Gateway"}
OMITTED = {"getRegistryFile", "getRegistryStatus", "listChanges", "readFeed", "readSkillIndex", "readWellKnownIndex"}
# In `_api.py`: their arguments are not the fields of their bodies.
BY_HAND = {"createTasks", "createBulkAction"}
# Headers that a caller gives, by name: parameter, argument and value. The client itself sets others.
HEADERS = {
    "Idempotency-Key": ("idempotency_key: str | None = None", "creation(idempotency_key)"),
    "If-Match": ("if_match: str | None = None", '{"if-match": if_match}'),
    "X-Lease-Token": ("token: str", '{"x-lease-token": token}'),
}
# Of parameters beside a body, by their type in JSON.
TYPES = {"boolean": "bool", "string": "str"}
# Where the data is not what the schema of the response is.
READERS = {
    "leaseTasks": ("list[m.Lease]", "read_leases"),
    "leaseAgentTasks": ("list[m.Lease]", "read_leases"),
}
# For pages, where a browser logs each 404.
UNUSED_QUERY = {"optional"}


def to_source(document: dict[str, Any]) -> str:
    """Raises ValueError for an operation that no rule is for."""
    methods = [
        to_method(document, verb, path, operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
        if not OMITTED_TAGS.intersection(operation["tags"]) and operation["operationId"] not in OMITTED | BY_HAND
    ]
    return HEAD + "".join(methods)


def to_method(document: dict[str, Any], verb: str, path: str, operation: dict[str, Any]) -> str:
    name = operation["operationId"]
    parameters = [resolved(document, parameter) for parameter in operation.get("parameters", [])]
    query = {p["name"] for p in parameters if p["in"] == "query"} - UNUSED_QUERY
    headers = [HEADERS[p["name"]] for p in parameters if p["in"] == "header" and p["name"] in HEADERS]
    ids = [to_argument(path, key) for key in re.findall(r"\{(\w+)\}", path)]
    body = (
        reference(operation["requestBody"]["content"]["application/json"]["schema"])
        if "requestBody" in operation
        else None
    )
    data, reader = READERS.get(name) or data_of(document, operation)

    # Beside a body, which has the other keywords, parameters have names of their own.
    types = {p["name"]: TYPES[p["schema"]["type"]] for p in parameters if body and p["name"] in query}
    named = [f"{key}: {types[key]} | None = None" for key in sorted(types)]
    keywords = [*(given for given, _ in headers), *named]
    arguments = ["self", *(f"{key}: str" for key in ids), *(["*"] if keywords else []), *keywords]
    values = [f'"{verb.upper()}"', to_path(path, ids), reader]
    if named:
        pairs = [f'"{key}": {key}' for key in sorted(query)]
        values.append(f"query={{{', '.join(pairs)}}}")
    elif query:
        arguments.append(f"**query: Unpack[m.{name[0].upper()}{name[1:]}ParametersQuery]")
        values.append("query=query")
    if body:
        arguments.append(f"**body: Unpack[m.{body}]")
        values.append("body=body")
    values.extend(f"headers={value}" for _, value in headers)
    if "wait" in query:
        values.append('hold_seconds=query.get("wait", 0)')
    if body and "wait_seconds" in document["components"]["schemas"][body]["properties"]:
        values.append('hold_seconds=body.get("wait_seconds", 0)')
    return f"""
    @Operation
    def {to_snake_case(name)}({", ".join(arguments)}) -> Request[{data}]:
{docstring(operation)}
        return to_request({", ".join(values)})
"""


def to_argument(path: str, key: str) -> str:
    """`{id}` is named after what it is of: `/bulk-actions/{id}` has a `bulk_action_id`."""
    noun = path.split("/{id}")[0].rpartition("/")[2].removesuffix("s").replace("-", "_")
    return f"{noun}_id" if key == "id" else key


def to_path(path: str, ids: list[str]) -> str:
    return f'path_of("{re.sub(r"{.+?}", "{}", path)}", {", ".join(ids)})' if ids else f'"{path}"'


def data_of(document: dict[str, Any], operation: dict[str, Any]) -> tuple[str, str]:
    """The type of what a success has, and what reads it."""
    responses = {status: resolved(document, response) for status, response in operation["responses"].items()}
    (found,) = {kind_of(response) for status, response in responses.items() if status.startswith("2")}
    return found


def kind_of(response: dict[str, Any]) -> tuple[str, str]:
    content = response.get("content")
    if not content:
        return "None", "read_nothing"
    schema = content.get("application/json", next(iter(content.values())))["schema"]
    # Null is for pages, too.
    schema = next((variant for variant in schema.get("oneOf", []) if "$ref" in variant), schema)
    if schema.get("type") == "string":
        return "str", "read_text"
    if schema.get("type") == "array":
        # Whole records, as without `fields`.
        return f"Page[m.{reference(schema['items']).removesuffix('Fields')}]", "read_page"
    return f"m.{reference(schema)}", "read_object"


def docstring(operation: dict[str, Any]) -> str:
    text = "\n\n".join(filter(None, [f"{operation['summary']}.", operation.get("description")]))
    lines = [line for part in text.split("\n") for line in textwrap.wrap(part, 112) or [""]]
    whole = "\n".join([f'"""{lines[0]}', *lines[1:]]) + ('"""' if len(lines) == 1 else '\n"""')
    return textwrap.indent(whole, " " * 8)


def reference(schema: dict[str, Any]) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def resolved(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    value: Any = node
    if "$ref" in node:
        value = document
        for part in node["$ref"].split("/")[1:]:
            value = value[part]
    return dict(value)


def to_snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def main() -> None:
    source = to_source(json.load(sys.stdin))
    formatter = [sys.executable, "-m", "ruff", "format", "--stdin-filename=src/agent_fleet/_operations.py", "-"]
    # For the settings of this package.
    folder = Path(__file__).parent.parent
    sys.stdout.write(
        subprocess.run(formatter, input=source, stdout=subprocess.PIPE, text=True, check=True, cwd=folder).stdout
    )


if __name__ == "__main__":
    main()
