"""The operations that are written by hand are those of the served API document; the others are generated from it."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from agent_fleet import Fleet, Request, models

TASKS: list[models.TaskInput] = [{"message": "a"}]


@pytest.fixture(scope="module")
def described() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, path and description by the `operationId`."""
    with Fleet() as fleet:
        document = httpx.get(f"{fleet._exchange.settings.url}/openapi.json").json()
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


@pytest.mark.parametrize(
    ("operation_id", "describe", "data"),
    [
        ("createTasks", lambda fleet: fleet.create_tasks.request("a b", TASKS), "TaskBatchResults"),
        ("createBulkAction", lambda fleet: fleet.create_bulk_action.request("cancel", {}), "BulkActionCreated"),
        ("createBulkAction", lambda fleet: fleet.preview_bulk_action.request("cancel", {}), "BulkActionPreview"),
    ],
)
def test_describes_an_operation_as_the_document_does(
    operation_id: str, describe: Any, data: str, described: dict[str, tuple[str, str, dict[str, Any]]]
) -> None:
    method, path, operation = described[operation_id]
    with Fleet() as fleet:
        request: Request[Any] = describe(fleet)
    assert (request.method, request.path) == (method, re.sub(r"\{\w+\}", "a%20b", path))
    assert "idempotency-key" in request.headers
    assert data in str(operation["responses"])
