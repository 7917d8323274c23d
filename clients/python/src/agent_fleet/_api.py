"""The operations whose arguments are not the fields of their bodies; all others are generated."""

from __future__ import annotations

from typing import Any, Literal

from . import models as m
from ._operation import Operation, creation
from ._operations import Operations
from ._request import Request, path_of, read_object, to_request

BulkActionName = Literal["cancel", "retry", "delete"]


class Api(Operations):
    """All operations. A method is named after the `operationId` of the API document, in snake case."""

    @Operation
    def create_tasks(
        self, agent_id: str, tasks: list[m.TaskInput], *, idempotency_key: str | None = None
    ) -> Request[m.TaskBatchResults]:
        """Creates up to 500 tasks. `results` has one for each, in order: a bad task does not affect the others."""
        path, body = path_of("/agents/{}/task-batches", agent_id), {"tasks": tasks}
        return to_request("POST", path, read_object, body=body, headers=creation(idempotency_key))

    @Operation
    def create_bulk_action(
        self, action: BulkActionName, filter: m.TaskFilter, *, idempotency_key: str | None = None
    ) -> Request[m.BulkActionCreated]:
        """Cancels, retries or deletes the tasks that a filter matches, which takes a while: see `read_bulk_action`."""
        return _bulk_action({"action": action, "filter": filter}, idempotency_key)

    @Operation
    def preview_bulk_action(
        self, action: BulkActionName, filter: m.TaskFilter, *, idempotency_key: str | None = None
    ) -> Request[m.BulkActionPreview]:
        """Only counts the tasks that a filter matches."""
        return _bulk_action({"action": action, "filter": filter, "dry_run": True}, idempotency_key)


def _bulk_action(action: m.BulkActionInput, key: str | None) -> Request[Any]:
    return to_request("POST", "/bulk-actions", read_object, body=action, headers=creation(key))
