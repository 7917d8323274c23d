"""Reads the OpenAPI document of a fleet from stdin, and writes its models for Python to stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

HEAD = "# Generated from the OpenAPI document by `npm run generate-python -w e2e`. Do not edit."
METHODS = ("get", "post", "put", "delete")
OPTIONS = [
    "--input-file-type=openapi",
    "--output-model-type=typing.TypedDict",
    "--target-python-version=3.11",
    "--openapi-scopes",
    "schemas",
    "paths",
    "parameters",
    "--use-operation-id-as-name",
    "--enum-field-as-literal=all",
    "--no-use-closed-typed-dict",
    "--use-schema-description",
    "--use-field-description",
    "--use-inline-field-description",
    "--formatters",
    "ruff-check",
    "ruff-format",
    f"--custom-file-header={HEAD}",
]


def prepared(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what differs between fleets or is not used."""
    types = document["components"]["schemas"]["AgentInput"]["properties"]["type"]["enum"]
    without_enum(document, types)
    for path, item in document["paths"].items():
        if path.endswith("/events"):
            with_text_ids(item["get"])
        for method in METHODS:
            operation = item.get(method)
            # FleetError has what errors say.
            if operation is not None:
                responses = operation["responses"]
                operation["responses"] = {status: responses[status] for status in responses if status.startswith("2")}
    return document


def with_text_ids(list_events: dict[str, Any]) -> None:
    """The id of an event is text, so that it may be given back as it was read."""
    for parameter in list_events["parameters"]:
        if parameter["name"] == "after":
            parameter["schema"] = {"type": "string"}


def without_enum(node: object, values: list[str]) -> None:
    """Each fleet has agent types of its own."""
    if isinstance(node, dict):
        if node.get("enum") == values:
            del node["enum"]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            without_enum(child, values)


def main() -> None:
    document = json.dumps(prepared(json.load(sys.stdin)))
    command = [sys.executable, "-m", "datamodel_code_generator", *OPTIONS]
    done = subprocess.run(command, input=document, capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr)
    sys.stdout.write(done.stdout)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
