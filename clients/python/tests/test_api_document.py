"""The client has the operations of the served API document, as it describes them."""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from agent_fleet import Fleet, Page, models
from agent_fleet._api import Api, Operation

METHODS = ("get", "post", "put", "delete")
# Users, keys, sessions and the service itself: administration, for which there are the terminal and the browser.
OMITTED_TAGS = {"Authentication", "Users", "API keys", "Audit", "Gateway"}
OMITTED = {
    "listChanges",
    "readFeed",
    "readSkillIndex",
    "readWellKnownIndex",
    "getRegistryFile",
    "getRegistryStatus",
}
# Set by the client itself, or of no use to it.
HEADERS = {"if-none-match", "if-modified-since", "accept-encoding", "last-event-id"}
MORE = {"preview_bulk_action": "createBulkAction"}


def read_document() -> dict[str, Any]:
    with Fleet() as fleet:
        document: dict[str, Any] = httpx.get(f"{fleet._settings.url}/openapi.json").json()
        return document


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return read_document()


@pytest.fixture(scope="module")
def described(document: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """The operations by the names of their methods: method, path, description."""
    return {
        to_snake_case(operation["operationId"]): (method, path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
        and not OMITTED_TAGS.intersection(operation["tags"])
        and operation["operationId"] not in OMITTED
    }


OPERATIONS = [name for name, value in vars(Api).items() if isinstance(value, Operation)]


def test_has_all_operations(described: dict[str, Any]) -> None:
    assert set(OPERATIONS) - set(MORE) == set(described)


@pytest.mark.parametrize("name", OPERATIONS)
def test_describes_an_operation_as_the_document_does(
    name: str, described: dict[str, Any], document: dict[str, Any]
) -> None:
    method, path, operation = described[to_snake_case(MORE.get(name, name))]
    with Fleet() as fleet:
        call = getattr(fleet, name)
    signature = inspect.signature(call.request)
    ids = re.findall(r"\{(\w+)\}", path)
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = {key: f"<{key}>" for key, parameter in signature.parameters.items() if parameter.kind in named}
    request = call.request(**keywords)
    values = [quote(keywords[key]) for key in [*keywords][: len(ids)]]
    assert (request.method, request.path) == (method.upper(), re.sub(r"\{\w+\}", "{}", path).format(*values))

    parameters = [resolved(document, parameter) for parameter in operation.get("parameters", [])]
    described_headers = {p["name"].lower() for p in parameters if p["in"] == "header"} - HEADERS
    assert set(request.headers) - {"content-type"} == described_headers

    # `optional=true` is for pages, where a browser logs each 404: here, the call raises it.
    query = {p["name"] for p in parameters if p["in"] == "query"} - {"optional"}
    assert typed_fields(call, "Query") == query
    assert returned(call) in successes(document, operation)


def typed_fields(call: Any, suffix: str) -> set[str]:
    """The fields of the TypedDict of the keywords, if its name ends so."""
    annotation = hints(call).get("query")
    if annotation is None:
        return set()
    (typed,) = typing.get_args(annotation)
    assert typed.__name__.endswith(suffix)
    return set(typed.__annotations__)


def returned(call: Any) -> str:
    (data,) = typing.get_args(hints(call)["return"])
    if data in (type(None), str):
        return "nothing" if data is not str else "text"
    if typing.get_origin(data) in (Page, list):
        return f"list of {typing.get_args(data)[0].__name__}"
    return str(data.__name__)


def successes(document: dict[str, Any], operation: dict[str, Any]) -> set[str]:
    """What successes have, in the words of `returned`."""
    if operation["operationId"] == "listSkills":
        return {"list of Skill"}
    responses = operation["responses"]
    return {content_of(resolved(document, responses[status])) for status in responses if status.startswith("2")}


def content_of(response: dict[str, Any]) -> str:
    content = response.get("content")
    if not content:
        return "nothing"
    schema = content.get("application/json", next(iter(content.values())))["schema"]
    schema = next((variant for variant in schema.get("anyOf", []) if "$ref" in variant), schema)
    if schema.get("type") in ("string", "array"):
        return "text" if schema["type"] == "string" else f"list of {reference(schema['items'])}"
    return "list of Lease" if reference(schema) == "Leases" else reference(schema)


def reference(schema: dict[str, Any]) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def resolved(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    value: Any = document
    for part in node["$ref"].split("/")[1:]:
        value = value[part]
    return dict(value)


def hints(call: Any) -> dict[str, Any]:
    function = call.request.__func__
    return typing.get_type_hints(function, {**function.__globals__, "m": models}, include_extras=True)


def to_snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)
