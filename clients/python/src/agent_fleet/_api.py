"""The operations of the fleet's API, each described once for both clients.

A method is named after the `operationId` of the API document, in snake case.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, Unpack, overload

from . import models as m
from ._request import (
    Page,
    Reply,
    Request,
    Response,
    not_ours,
    parse_json,
    path_of,
    read_nothing,
    read_object,
    read_page,
    read_text,
    to_page,
    to_request,
)

if TYPE_CHECKING:
    from .fleet import AsyncFleet, Fleet

P = ParamSpec("P")
T = TypeVar("T")

BulkActionName = Literal["cancel", "retry", "delete"]


class Call(Generic[P, T]):
    """An operation of a `Fleet`: call it for the data, or call `reply` for the headers too."""

    def __init__(self, send: Callable[[Request[T]], Reply[T]], request: Callable[P, Request[T]]) -> None:
        self._send = send
        self.request = request
        """Describes the request without sending it."""
        update_wrapper(self, request)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._send(self.request(*args, **kwargs)).data

    def reply(self, *args: P.args, **kwargs: P.kwargs) -> Reply[T]:
        """The data with the status and headers of the response, such as `etag`."""
        return self._send(self.request(*args, **kwargs))


class AsyncCall(Generic[P, T]):
    """An operation of an `AsyncFleet`: await it for the data, or await `reply` for the headers too."""

    def __init__(
        self, send: Callable[[Request[T]], Coroutine[Any, Any, Reply[T]]], request: Callable[P, Request[T]]
    ) -> None:
        self._send = send
        self.request = request
        """Describes the request without sending it."""
        update_wrapper(self, request)

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return (await self._send(self.request(*args, **kwargs))).data

    async def reply(self, *args: P.args, **kwargs: P.kwargs) -> Reply[T]:
        """The data with the status and headers of the response, such as `etag`."""
        return await self._send(self.request(*args, **kwargs))


class Operation(Generic[P, T]):
    """Makes a method that describes a request into one that sends it."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self.describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, fleet: None, owner: type) -> Operation[P, T]: ...
    @overload
    def __get__(self, fleet: Fleet, owner: type) -> Call[P, T]: ...
    @overload
    def __get__(self, fleet: AsyncFleet, owner: type) -> AsyncCall[P, T]: ...
    def __get__(self, fleet: Any, owner: type) -> Any:
        if fleet is None:
            return self
        kind: Any = AsyncCall if fleet.is_async else Call
        return kind(fleet.send, self.describe.__get__(fleet, owner))


def _creation(key: str | None) -> dict[str, str | None]:
    """The same key makes the same thing once, so that a lost response can be asked for again."""
    return {"idempotency-key": key or str(uuid.uuid4())}


def _read_leases(response: Response) -> list[m.Lease]:
    if response.status == 204:
        return []
    leases = read_object(response).get("leases")
    if not isinstance(leases, list) or not all(map(_is_lease, leases)):
        raise not_ours(response, "has no leases")
    return leases


def _is_lease(value: object) -> bool:
    match value:
        case {
            "id": str(),
            "token": str(),
            "attempt": int(),
            "heartbeat_interval_seconds": int() | float(),
            "task": {"id": str()},
        }:
            return True
        case _:
            return False


def _read_skills(response: Response) -> Page[m.Skill]:
    """An array, or with `facets` an object that has one."""
    value = parse_json(response)
    if not isinstance(value, dict):
        return to_page(response, value)
    page: Page[m.Skill] = to_page(response, value.get("skills"))
    page.facets = value.get("facets")
    return page


def _agent(agent_id: str, rest: str = "") -> str:
    return path_of("/agents/{}", agent_id) + rest


def _task(agent_id: str, task_id: str, rest: str = "") -> str:
    return path_of("/agents/{}/tasks/{}", agent_id, task_id) + rest


def _lease(lease_id: str, rest: str = "") -> str:
    return path_of("/leases/{}", lease_id) + rest


def _bulk_action(action: m.BulkActionInput, key: str | None) -> Request[Any]:
    return to_request("POST", "/bulk-actions", read_object, body=action, headers=_creation(key))


class Api:
    """The operations. Those that create something take an `idempotency_key`; by default each call has its own."""

    is_async = False

    # Agents

    @Operation
    def list_agents(self, **query: Unpack[m.ListAgentsParametersQuery]) -> Request[Page[m.Agent]]:
        """One page of the agents."""
        return to_request("GET", "/agents", read_page, query=query)

    @Operation
    def create_agent(self, *, idempotency_key: str | None = None, **agent: Unpack[m.AgentInput]) -> Request[m.Agent]:
        return to_request("POST", "/agents", read_object, body=agent, headers=_creation(idempotency_key))

    @Operation
    def get_agent(self, agent_id: str) -> Request[m.Agent]:
        return to_request("GET", _agent(agent_id), read_object)

    @Operation
    def replace_agent(
        self, agent_id: str, *, if_match: str | None = None, **agent: Unpack[m.AgentInput]
    ) -> Request[m.Agent]:
        return to_request("PUT", _agent(agent_id), read_object, body=agent, headers={"if-match": if_match})

    @Operation
    def delete_agent(self, agent_id: str, *, if_match: str | None = None) -> Request[None]:
        """Deletes an agent and its tasks."""
        return to_request("DELETE", _agent(agent_id), read_nothing, headers={"if-match": if_match})

    @Operation
    def read_pause(self, agent_id: str) -> Request[m.Pause]:
        """Since when an agent is paused, and why. Raises FleetError with status 404 for one that is not."""
        return to_request("GET", _agent(agent_id, "/pause"), read_object)

    @Operation
    def pause_agent(self, agent_id: str, **pause: Unpack[m.PauseInput]) -> Request[m.Pause]:
        """Holds back the tasks of an agent; what runs goes on."""
        return to_request("PUT", _agent(agent_id, "/pause"), read_object, body=pause)

    @Operation
    def resume_agent(self, agent_id: str) -> Request[None]:
        return to_request("DELETE", _agent(agent_id, "/pause"), read_nothing)

    # Tasks

    @Operation
    def search_tasks(self, **query: Unpack[m.SearchTasksParametersQuery]) -> Request[Page[m.Task]]:
        """One page of the tasks of all agents."""
        return to_request("GET", "/tasks", read_page, query=query)

    @Operation
    def list_agent_tasks(
        self, agent_id: str, **query: Unpack[m.ListAgentTasksParametersQuery]
    ) -> Request[Page[m.Task]]:
        """One page of the tasks of an agent."""
        return to_request("GET", _agent(agent_id, "/tasks"), read_page, query=query)

    @Operation
    def create_task(
        self, agent_id: str, *, idempotency_key: str | None = None, **task: Unpack[m.TaskInput]
    ) -> Request[m.Task]:
        path = _agent(agent_id, "/tasks")
        return to_request("POST", path, read_object, body=task, headers=_creation(idempotency_key))

    @Operation
    def create_tasks(
        self, agent_id: str, tasks: list[m.TaskInput], *, idempotency_key: str | None = None
    ) -> Request[m.TaskBatchResults]:
        """Creates up to 500 tasks. `results` has one for each, in order: a bad task does not affect the others."""
        body = {"tasks": tasks}
        path = _agent(agent_id, "/task-batches")
        return to_request("POST", path, read_object, body=body, headers=_creation(idempotency_key))

    @Operation
    def get_task(self, agent_id: str, task_id: str, **query: Unpack[m.GetTaskParametersQuery]) -> Request[m.Task]:
        """Reads a task. `wait` holds the response until the task has ended, up to 30 seconds."""
        hold = query.get("wait", 0)
        return to_request("GET", _task(agent_id, task_id), read_object, query=query, hold_seconds=hold)

    @Operation
    def replace_task(
        self, agent_id: str, task_id: str, *, if_match: str | None = None, **task: Unpack[m.TaskInput]
    ) -> Request[m.Task]:
        """Replaces a task that is still pending."""
        return to_request("PUT", _task(agent_id, task_id), read_object, body=task, headers={"if-match": if_match})

    @Operation
    def delete_task(self, agent_id: str, task_id: str, *, if_match: str | None = None) -> Request[None]:
        return to_request("DELETE", _task(agent_id, task_id), read_nothing, headers={"if-match": if_match})

    @Operation
    def cancel_task(self, agent_id: str, task_id: str, **cancellation: Unpack[m.Cancellation]) -> Request[m.Task]:
        """Cancels a pending task, and asks the worker of a running one to stop."""
        return to_request("PUT", _task(agent_id, task_id, "/cancellation"), read_object, body=cancellation)

    @Operation
    def list_task_attempts(self, agent_id: str, task_id: str) -> Request[Page[m.Attempt]]:
        return to_request("GET", _task(agent_id, task_id, "/attempts"), read_page)

    @Operation
    def read_waiting(self, agent_id: str, task_id: str) -> Request[m.Waiting]:
        """Why a pending task waits."""
        return to_request("GET", _task(agent_id, task_id, "/waiting"), read_object)

    @Operation
    def retry_task(
        self, agent_id: str, task_id: str, *, idempotency_key: str | None = None, **changes: Unpack[m.RetryInput]
    ) -> Request[m.Task]:
        """Creates a task like one that has ended; `input` and `message` may differ."""
        path = _task(agent_id, task_id, "/retries")
        return to_request("POST", path, read_object, body=changes, headers=_creation(idempotency_key))

    @Operation
    def list_log_entries(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListLogEntriesParametersQuery]
    ) -> Request[Page[m.LogEntry]]:
        """One page of the log of a task, oldest first; `follow` reads it as it grows, to the end of the task."""
        return to_request("GET", _task(agent_id, task_id, "/log-entries"), read_page, query=query)

    # Bulk actions

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

    @Operation
    def read_bulk_action(self, bulk_action_id: str) -> Request[m.BulkAction]:
        return to_request("GET", path_of("/bulk-actions/{}", bulk_action_id), read_object)

    @Operation
    def stop_bulk_action(self, bulk_action_id: str) -> Request[m.BulkAction]:
        return to_request("DELETE", path_of("/bulk-actions/{}", bulk_action_id), read_object)

    # The fleet

    @Operation
    def read_stats(self) -> Request[m.Stats]:
        """Counts of agents, tasks, leases, workers, tokens and cost, and the oldest pending tasks."""
        return to_request("GET", "/stats", read_object)

    @Operation
    def read_agent_usage(self, agent_id: str) -> Request[m.AgentUsage]:
        """Tokens and cost of the ended attempts of an agent."""
        return to_request("GET", _agent(agent_id, "/usage"), read_object)

    @Operation
    def read_series(self, **query: Unpack[m.ReadSeriesParametersQuery]) -> Request[m.Series]:
        """What happened in each step of the last hour or two days."""
        return to_request("GET", "/stats/series", read_object, query=query)

    @Operation
    def list_workers(self, **query: Unpack[m.ListWorkersParametersQuery]) -> Request[Page[m.WorkerInfo]]:
        """One page of the workers that were seen in the last minutes."""
        return to_request("GET", "/workers", read_page, query=query)

    @Operation
    def list_leases(self, **query: Unpack[m.ListLeasesParametersQuery]) -> Request[Page[m.LeaseInfo]]:
        """One page of the leases that workers hold, without their tokens."""
        return to_request("GET", "/leases", read_page, query=query)

    # Leases: see `Worker` for all of it

    @Operation
    def lease_tasks(self, **request: Unpack[m.LeaseRequest]) -> Request[list[m.Lease]]:
        """Leases tasks of any agents; an empty list when none came."""
        return to_request("POST", "/leases", _read_leases, body=request, hold_seconds=request.get("wait_seconds", 0))

    @Operation
    def lease_agent_tasks(self, agent_id: str, **request: Unpack[m.AgentLeaseRequest]) -> Request[list[m.Lease]]:
        """Leases tasks of an agent; an empty list when none came."""
        path, hold = _agent(agent_id, "/leases"), request.get("wait_seconds", 0)
        return to_request("POST", path, _read_leases, body=request, hold_seconds=hold)

    @Operation
    def heartbeat_lease(self, lease_id: str, **heartbeat: Unpack[m.Heartbeat]) -> Request[m.HeartbeatAnswer]:
        return to_request("PUT", _lease(lease_id, "/heartbeat"), read_object, body=heartbeat)

    @Operation
    def put_lease_result(self, lease_id: str, **result: Unpack[m.TaskResult]) -> Request[m.Task]:
        """Ends the attempt. The same result may be reported again."""
        return to_request("PUT", _lease(lease_id, "/result"), read_object, body=result)

    @Operation
    def release_lease(self, lease_id: str, *, token: str) -> Request[None]:
        """Gives a task back; the attempt does not count."""
        return to_request("DELETE", _lease(lease_id), read_nothing, headers={"x-lease-token": token})

    @Operation
    def add_log_entries(self, lease_id: str, **log: Unpack[m.LogEntriesInput]) -> Request[None]:
        """Adds up to 100 entries to the log of a task."""
        return to_request("POST", _lease(lease_id, "/log-entries"), read_nothing, body=log)

    # Events: `follow` reads them as they come

    @Operation
    def list_events(self, **query: Unpack[m.ListEventsParametersQuery]) -> Request[Page[m.Event]]:
        """One page of the events of the fleet."""
        return to_request("GET", "/events", read_page, query=query)

    @Operation
    def list_agent_events(
        self, agent_id: str, **query: Unpack[m.ListAgentEventsParametersQuery]
    ) -> Request[Page[m.Event]]:
        return to_request("GET", _agent(agent_id, "/events"), read_page, query=query)

    @Operation
    def list_task_events(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListTaskEventsParametersQuery]
    ) -> Request[Page[m.Event]]:
        return to_request("GET", _task(agent_id, task_id, "/events"), read_page, query=query)

    # Skills

    @Operation
    def list_skills(self, **query: Unpack[m.ListSkillsParametersQuery]) -> Request[Page[m.Skill]]:
        """Searches the skills. Without `limit`, all of them; with `facets`, see `facets` of the page."""
        return to_request("GET", "/api/skills", _read_skills, query=query)

    @Operation
    def get_skill(self, skill_id: str) -> Request[m.Skill]:
        return to_request("GET", path_of("/api/skills/{}", skill_id), read_object)

    @Operation
    def read_skill_file(self, skill_id: str) -> Request[str]:
        """The SKILL.md of a skill."""
        return to_request("GET", path_of("/api/skills/{}/skill.md", skill_id), read_text)

    @Operation
    def search_skills(self, **query: Unpack[m.SearchSkillsParametersQuery]) -> Request[m.FoundSkills]:
        """The best matches in the short form that `npx skills find` reads."""
        return to_request("GET", "/api/search", read_object, query=query)

    @Operation
    def list_suggestions(self, **query: Unpack[m.ListSuggestionsParametersQuery]) -> Request[m.Suggestions]:
        """Completions of a search that is being typed."""
        return to_request("GET", "/api/suggestions", read_object, query=query)

    @Operation
    def list_categories(self) -> Request[m.Categories]:
        """The categories and tags of all skills, with counts."""
        return to_request("GET", "/api/categories", read_object)
