# Generated from the OpenAPI document by `npm run generate-python -w e2e`. Do not edit.

from __future__ import annotations

from typing import Unpack

from . import models as m
from ._operation import Operation, creation, read_leases
from ._request import Page, Request, path_of, read_nothing, read_object, read_page, read_text, to_request


class Operations:
    """The operations of the API. Those that create something take an `idempotency_key`; by default each call has its
    own."""

    @Operation
    def list_agents(self, **query: Unpack[m.ListAgentsParametersQuery]) -> Request[Page[m.Agent]]:
        """List agents."""
        return to_request("GET", "/agents", read_page, query=query)

    @Operation
    def create_agent(
        self, *, idempotency_key: str | None = None, owner: str | None = None, **body: Unpack[m.AgentInput]
    ) -> Request[m.Agent]:
        """Create an agent."""
        return to_request(
            "POST", "/agents", read_object, query={"owner": owner}, body=body, headers=creation(idempotency_key)
        )

    @Operation
    def check_agent(
        self, *, allow_unknown_skills: bool | None = None, **body: Unpack[m.AgentCheckInput]
    ) -> Request[m.AgentCheck]:
        """Check an agent and its definition.

        Stores nothing. A fault is the same response as when it is stored.
        """
        return to_request(
            "POST", "/agent-checks", read_object, query={"allow_unknown_skills": allow_unknown_skills}, body=body
        )

    @Operation
    def get_agent(self, agent_id: str) -> Request[m.Agent]:
        """Read an agent."""
        return to_request("GET", path_of("/agents/{}", agent_id), read_object)

    @Operation
    def replace_agent(
        self, agent_id: str, *, if_match: str | None = None, owner: str | None = None, **body: Unpack[m.AgentInput]
    ) -> Request[m.Agent]:
        """Replace an agent.

        Replaces name and type, and the owner only if the query has it. Does not create an agent.
        """
        return to_request(
            "PUT",
            path_of("/agents/{}", agent_id),
            read_object,
            query={"owner": owner},
            body=body,
            headers={"if-match": if_match},
        )

    @Operation
    def delete_agent(self, agent_id: str, *, if_match: str | None = None) -> Request[None]:
        """Delete an agent and its tasks."""
        return to_request("DELETE", path_of("/agents/{}", agent_id), read_nothing, headers={"if-match": if_match})

    @Operation
    def read_pause(self, agent_id: str) -> Request[m.Pause]:
        """Read since when and why an agent is paused."""
        return to_request("GET", path_of("/agents/{}/pause", agent_id), read_object)

    @Operation
    def pause_agent(self, agent_id: str, **body: Unpack[m.PauseInput]) -> Request[m.Pause]:
        """Pause an agent.

        Then no task of the agent is leased. Tasks that run go on, and new ones can be created. An agent that is paused
        keeps its `paused_at`; its `reason` changes.
        """
        return to_request("PUT", path_of("/agents/{}/pause", agent_id), read_object, body=body)

    @Operation
    def resume_agent(self, agent_id: str) -> Request[None]:
        """Resume an agent.

        Workers that wait get its tasks at once. Also successful if the agent is not paused.
        """
        return to_request("DELETE", path_of("/agents/{}/pause", agent_id), read_nothing)

    @Operation
    def read_definition(self, agent_id: str) -> Request[m.Definition]:
        """Read the definition of an agent."""
        return to_request("GET", path_of("/agents/{}/definition", agent_id), read_object)

    @Operation
    def replace_definition(
        self,
        agent_id: str,
        *,
        if_match: str | None = None,
        allow_unknown_skills: bool | None = None,
        **body: Unpack[m.DefinitionInput],
    ) -> Request[m.Definition]:
        """Replace the definition of an agent.

        Makes a new version of all fields, which tasks that are created from now on name. Without any difference to the
        current version it makes none.
        """
        return to_request(
            "PUT",
            path_of("/agents/{}/definition", agent_id),
            read_object,
            query={"allow_unknown_skills": allow_unknown_skills},
            body=body,
            headers={"if-match": if_match},
        )

    @Operation
    def delete_definition(self, agent_id: str, *, if_match: str | None = None) -> Request[None]:
        """Delete the definition of an agent.

        Its versions stay. Also successful if the agent has no definition.
        """
        return to_request(
            "DELETE", path_of("/agents/{}/definition", agent_id), read_nothing, headers={"if-match": if_match}
        )

    @Operation
    def list_definition_versions(
        self, agent_id: str, **query: Unpack[m.ListDefinitionVersionsParametersQuery]
    ) -> Request[Page[m.ListedDefinition]]:
        """List the versions of a definition.

        Kept are the last 500 and all that a task names, at most 16 MiB: a page may have fewer than `limit` entries, and
        `X-Total-Count` counts removed ones too.
        """
        return to_request("GET", path_of("/agents/{}/definition/versions", agent_id), read_page, query=query)

    @Operation
    def read_definition_version(self, agent_id: str, version: str) -> Request[m.Definition]:
        """Read a version of a definition."""
        return to_request("GET", path_of("/agents/{}/definition/versions/{}", agent_id, version), read_object)

    @Operation
    def search_tasks(self, **query: Unpack[m.SearchTasksParametersQuery]) -> Request[Page[m.Task]]:
        """Search the tasks of all agents.

        A task must match all filters. A filter value that no task has yields an empty list. A page of large tasks may
        have fewer than `limit` entries. While tasks of deleted agents are being removed, a page may have fewer or none,
        and `X-Total-Count` includes them. The `next` link continues after the page. A search by `q`, `error_code`,
        `model`, `created_by` or `min_duration_seconds` looks at 10,000 tasks or 16 MiB of them at most: its page may
        have fewer than `limit` entries, or none, though the `next` link continues after the last task that it has
        looked at, whose id has its time; `X-Total-Count` counts the tasks that match the other filters.
        """
        return to_request("GET", "/tasks", read_page, query=query)

    @Operation
    def list_agent_tasks(
        self, agent_id: str, **query: Unpack[m.ListAgentTasksParametersQuery]
    ) -> Request[Page[m.Task]]:
        """List an agent's tasks.

        A page of large tasks may have fewer than `limit` entries. Its `next` link continues after the last one.
        """
        return to_request("GET", path_of("/agents/{}/tasks", agent_id), read_page, query=query)

    @Operation
    def create_task(
        self,
        agent_id: str,
        *,
        idempotency_key: str | None = None,
        allow_unknown_skills: bool | None = None,
        **body: Unpack[m.TaskInput],
    ) -> Request[m.Task]:
        """Create a task."""
        return to_request(
            "POST",
            path_of("/agents/{}/tasks", agent_id),
            read_object,
            query={"allow_unknown_skills": allow_unknown_skills},
            body=body,
            headers=creation(idempotency_key),
        )

    @Operation
    def create_task_graph(
        self,
        *,
        idempotency_key: str | None = None,
        allow_unknown_skills: bool | None = None,
        **body: Unpack[m.TaskGraph],
    ) -> Request[m.TaskGraphResults]:
        """Create up to 500 tasks of any agents that come after each other.

        All or none: the first fault refuses the whole, unless `partial` is true. Then each task that is at fault is
        refused, and those that come after it. They are stored in steps; what an interruption leaves is created within
        seconds.
        """
        return to_request(
            "POST",
            "/task-batches",
            read_object,
            query={"allow_unknown_skills": allow_unknown_skills},
            body=body,
            headers=creation(idempotency_key),
        )

    @Operation
    def get_task(self, agent_id: str, task_id: str, **query: Unpack[m.GetTaskParametersQuery]) -> Request[m.Task]:
        """Read a task, or wait until it ends or needs input."""
        return to_request(
            "GET",
            path_of("/agents/{}/tasks/{}", agent_id, task_id),
            read_object,
            query=query,
            hold_seconds=query.get("wait", 0),
        )

    @Operation
    def replace_task(
        self,
        agent_id: str,
        task_id: str,
        *,
        if_match: str | None = None,
        allow_unknown_skills: bool | None = None,
        **body: Unpack[m.TaskInput],
    ) -> Request[m.Task]:
        """Replace a pending task.

        Replaces all client-supplied fields. A missing field takes its default.
        """
        return to_request(
            "PUT",
            path_of("/agents/{}/tasks/{}", agent_id, task_id),
            read_object,
            query={"allow_unknown_skills": allow_unknown_skills},
            body=body,
            headers={"if-match": if_match},
        )

    @Operation
    def delete_task(self, agent_id: str, task_id: str, *, if_match: str | None = None) -> Request[None]:
        """Delete a task.

        Revokes the lease if the task is running.
        """
        return to_request(
            "DELETE", path_of("/agents/{}/tasks/{}", agent_id, task_id), read_nothing, headers={"if-match": if_match}
        )

    @Operation
    def cancel_task(self, agent_id: str, task_id: str, **body: Unpack[m.Cancellation]) -> Request[m.Task]:
        """Cancel a task.

        Cancels a pending task at once. The same holds for one that waits for a person without a worker. The worker of
        another one receives the request with its next heartbeat. If the worker does not respond, the task is cancelled
        when its lease expires. Idempotent.
        """
        return to_request("PUT", path_of("/agents/{}/tasks/{}/cancellation", agent_id, task_id), read_object, body=body)

    @Operation
    def retry_task(
        self, agent_id: str, task_id: str, *, idempotency_key: str | None = None, **body: Unpack[m.RetryInput]
    ) -> Request[m.Task]:
        """Create a task like one that has ended.

        The new task has all that a client gave the ended one but its times, and names it in `retry_of`. It may start at
        once, and expires after 24 h. What it came after and has completed is taken over; in place of what has failed,
        name others in `after`, or retry that `with_dependencies`: else 422.
        """
        return to_request(
            "POST",
            path_of("/agents/{}/tasks/{}/retries", agent_id, task_id),
            read_object,
            body=body,
            headers=creation(idempotency_key),
        )

    @Operation
    def list_task_attempts(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListTaskAttemptsParametersQuery]
    ) -> Request[Page[m.Attempt]]:
        """List attempts.

        The last 1,000, oldest first. Released attempts are listed with `all=true` only; suspended and parked ones
        always, with the number of the attempt that goes on.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/attempts", agent_id, task_id), read_page, query=query)

    @Operation
    def get_task_thread(
        self, agent_id: str, task_id: str, **query: Unpack[m.GetTaskThreadParametersQuery]
    ) -> Request[Page[m.Task]]:
        """List the tasks of a conversation.

        The task with those that it continues and that continue it, and so on: at most the 100 that were created nearest
        to it, oldest first. A page of large tasks may have fewer.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/thread", agent_id, task_id), read_page, query=query)

    @Operation
    def get_task_graph(self, agent_id: str, task_id: str) -> Request[m.TaskDependencies]:
        """Read what a task comes after, and what comes after it.

        All tasks that are connected with it, at most the 500 nearest, by creation. Tasks that the caller may not see,
        or that were deleted, are left out.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/graph", agent_id, task_id), read_object)

    @Operation
    def list_input_requests(self, **query: Unpack[m.ListInputRequestsParametersQuery]) -> Request[Page[m.InputRequest]]:
        """List what tasks ask.

        The input requests of all agents, oldest first by default. A page of large requests may have fewer than `limit`
        entries. Its `next` link continues.
        """
        return to_request("GET", "/input-requests", read_page, query=query)

    @Operation
    def list_task_input_requests(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListTaskInputRequestsParametersQuery]
    ) -> Request[Page[m.InputRequest]]:
        """List what a task has asked.

        Of all states, oldest first by default. A page of large requests may have fewer than `limit` entries.
        """
        return to_request(
            "GET", path_of("/agents/{}/tasks/{}/input-requests", agent_id, task_id), read_page, query=query
        )

    @Operation
    def get_input_request(self, agent_id: str, task_id: str, request_id: str) -> Request[m.InputRequest]:
        """Read an input request."""
        return to_request(
            "GET", path_of("/agents/{}/tasks/{}/input-requests/{}", agent_id, task_id, request_id), read_object
        )

    @Operation
    def answer_input_request(
        self, agent_id: str, task_id: str, request_id: str, **body: Unpack[m.InputAnswerInput]
    ) -> Request[m.InputRequest]:
        """Answer an input request.

        With options, a text or values, as the request allows. Of several answers the first counts; the same again
        returns the request.
        """
        return to_request(
            "PUT",
            path_of("/agents/{}/tasks/{}/input-requests/{}/answer", agent_id, task_id, request_id),
            read_object,
            body=body,
        )

    @Operation
    def send_message(
        self, agent_id: str, task_id: str, *, idempotency_key: str | None = None, **body: Unpack[m.MessageInput]
    ) -> Request[m.Message]:
        """Say something to a task.

        `queue`: for the turn after this one; `steer`: for the running turn, where the agent can take it; `interrupt`:
        stops the turn and goes on with the text. A pending task has it in its first prompt. A task has at most 100
        messages that are not delivered, and 500 in its life.
        """
        return to_request(
            "POST",
            path_of("/agents/{}/tasks/{}/messages", agent_id, task_id),
            read_object,
            body=body,
            headers=creation(idempotency_key),
        )

    @Operation
    def list_messages(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListMessagesParametersQuery]
    ) -> Request[Page[m.Message]]:
        """List what was said to a task.

        Oldest first by default. A page of large messages may have fewer than `limit` entries.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/messages", agent_id, task_id), read_page, query=query)

    @Operation
    def interrupt_task(self, agent_id: str, task_id: str) -> Request[m.Interruption]:
        """Interrupt a running task.

        Its agent stops what it does; within 5 s the task is `input_required` with a question: continue, stop, or what
        else it is to do. Idempotent.
        """
        return to_request("PUT", path_of("/agents/{}/tasks/{}/interruption", agent_id, task_id), read_object)

    @Operation
    def create_input_request(self, lease_id: str, **body: Unpack[m.InputRequestInput]) -> Request[m.InputRequest]:
        """Ask a person.

        The task is `input_required` until all its open requests are answered, withdrawn or expired with a default;
        meanwhile the clock of `timeout_seconds` stands still. A task has at most 16 open requests, and 200 in its life.
        """
        return to_request("POST", path_of("/leases/{}/input-requests", lease_id), read_object, body=body)

    @Operation
    def withdraw_input_request(self, lease_id: str, request_id: str, *, token: str) -> Request[None]:
        """Withdraw an input request.

        Idempotent. An answered request stays answered.
        """
        return to_request(
            "DELETE",
            path_of("/leases/{}/input-requests/{}", lease_id, request_id),
            read_nothing,
            headers={"x-lease-token": token},
        )

    @Operation
    def report_message(self, lease_id: str, message_id: str, **body: Unpack[m.MessageReport]) -> Request[None]:
        """Report how the agent took a message.

        Delivered as `interrupt`, it withdraws the input requests of the turn that it stopped. Idempotent.
        """
        return to_request("PUT", path_of("/leases/{}/messages/{}", lease_id, message_id), read_nothing, body=body)

    @Operation
    def confirm_interruption(self, lease_id: str, **body: Unpack[m.InterruptionConfirmation]) -> Request[None]:
        """Confirm that the agent has stopped its turn.

        Opens the question to a person at once. Idempotent.
        """
        return to_request("PUT", path_of("/leases/{}/interruption", lease_id), read_nothing, body=body)

    @Operation
    def read_inbox(self, lease_id: str, *, token: str, **query: Unpack[m.ReadInboxParametersQuery]) -> Request[m.Inbox]:
        """Read what people say to a task.

        Answers, messages, interruptions and a cancellation, in order, at most 100. What was not acknowledged by `after`
        is there for the next attempt.
        """
        return to_request(
            "GET",
            path_of("/leases/{}/inbox", lease_id),
            read_object,
            query=query,
            headers={"x-lease-token": token},
            hold_seconds=query.get("wait", 0),
        )

    @Operation
    def suspend_lease(self, lease_id: str, **body: Unpack[m.Suspension]) -> Request[m.Task]:
        """Stop working on a task that waits for a person.

        Ends the lease; the attempt does not count. The task stays `input_required` until its requests are answered, and
        is then reserved for this worker for 60 s, or for 24 h if its session has no `data`. The same again is 200.
        """
        return to_request("PUT", path_of("/leases/{}/suspension", lease_id), read_object, body=body)

    @Operation
    def send_delta(self, lease_id: str, **body: Unpack[m.Delta]) -> Request[None]:
        """Pass on live text.

        To clients that follow the log now. It is stored nowhere, and dropped under load: the entry that follows is the
        truth. At most 10 a second.
        """
        return to_request("POST", path_of("/leases/{}/deltas", lease_id), read_nothing, body=body)

    @Operation
    def read_waiting(self, agent_id: str, task_id: str) -> Request[m.Waiting]:
        """Read why a task waits."""
        return to_request("GET", path_of("/agents/{}/tasks/{}/waiting", agent_id, task_id), read_object)

    @Operation
    def lease_agent_tasks(self, agent_id: str, **body: Unpack[m.AgentLeaseRequest]) -> Request[list[m.Lease]]:
        """Lease an agent's next tasks.

        Leases tasks by priority, then first in, first out. Waits for a first task for at most `wait_seconds`.
        """
        return to_request(
            "POST",
            path_of("/agents/{}/leases", agent_id),
            read_leases,
            body=body,
            hold_seconds=body.get("wait_seconds", 0),
        )

    @Operation
    def lease_tasks(self, **body: Unpack[m.LeaseRequest]) -> Request[list[m.Lease]]:
        """Lease the next tasks of agents of the given types.

        Agents take turns, so that an agent with many tasks does not starve the others. Priority applies within an
        agent. Waits for a first task for at most `wait_seconds`.
        """
        return to_request("POST", "/leases", read_leases, body=body, hold_seconds=body.get("wait_seconds", 0))

    @Operation
    def list_leases(self, **query: Unpack[m.ListLeasesParametersQuery]) -> Request[Page[m.LeaseInfo]]:
        """List leases.

        The leases that workers hold, without their tokens, by the creation of their tasks. A page of large tasks, or of
        leases that have just ended, may have fewer than `limit` entries. Its `next` link continues. `X-Total-Count`
        also counts suspended tasks, whose leases have ended.
        """
        return to_request("GET", "/leases", read_page, query=query)

    @Operation
    def heartbeat_lease(self, lease_id: str, **body: Unpack[m.Heartbeat]) -> Request[m.HeartbeatAnswer]:
        """Extend a lease and check for a cancellation request.

        The lease then expires `lease_seconds` from now, but no later than the `timeout_seconds` of the attempt.
        """
        return to_request("PUT", path_of("/leases/{}/heartbeat", lease_id), read_object, body=body)

    @Operation
    def put_lease_result(self, lease_id: str, **body: Unpack[m.TaskResult]) -> Request[m.Task]:
        """Report the result of a task.

        Ends the lease. `failed` returns the task to the queue for its next attempt, unless no attempt is left or
        `retryable` is false. A repeated identical report returns the current task.
        """
        return to_request("PUT", path_of("/leases/{}/result", lease_id), read_object, body=body)

    @Operation
    def release_lease(self, lease_id: str, *, token: str) -> Request[None]:
        """Return a task to the queue.

        The attempt does not count. The task goes to the back of the queue of its priority.
        """
        return to_request("DELETE", path_of("/leases/{}", lease_id), read_nothing, headers={"x-lease-token": token})

    @Operation
    def add_log_entries(self, lease_id: str, **body: Unpack[m.LogEntriesInput]) -> Request[None]:
        """Add entries to the log of a task.

        A task keeps its last 10,000 entries, and at most 5 MiB of text and data. Entries are added in order; after an
        error, some of many large ones may have been added. The body may have 1.5 MiB.
        """
        return to_request("POST", path_of("/leases/{}/log-entries", lease_id), read_nothing, body=body)

    @Operation
    def list_log_entries(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListLogEntriesParametersQuery]
    ) -> Request[Page[m.LogEntry]]:
        """List or stream the log of a task.

        Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events that starts with the
        past entries and closes after the task ends, with a comment every 15 s. If entries were dropped, the first one
        says so. A page of large entries may have fewer than `limit`; its `Link` continues.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/log-entries", agent_id, task_id), read_page, query=query)

    @Operation
    def read_bulk_action(self, bulk_action_id: str) -> Request[m.BulkAction]:
        """Read the progress of a bulk action.

        Kept for a week after its end.
        """
        return to_request("GET", path_of("/bulk-actions/{}", bulk_action_id), read_object)

    @Operation
    def stop_bulk_action(self, bulk_action_id: str) -> Request[m.BulkAction]:
        """Stop a bulk action.

        What it has done remains.
        """
        return to_request("DELETE", path_of("/bulk-actions/{}", bulk_action_id), read_object)

    @Operation
    def list_budgets(self, **query: Unpack[m.ListBudgetsParametersQuery]) -> Request[Page[m.ScopeBudget]]:
        """List budgets.

        Also those of the definitions of agents. The period that ends first comes first.
        """
        return to_request("GET", "/budgets", read_page, query=query)

    @Operation
    def read_budget(self, scope: str) -> Request[m.ScopeBudget]:
        """Read a budget."""
        return to_request("GET", path_of("/budgets/{}", scope), read_object)

    @Operation
    def replace_budget(self, scope: str, **body: Unpack[m.BudgetInput]) -> Request[m.ScopeBudget]:
        """Set a budget.

        What a period has cost counts for a new amount too. That of an agent is set by its definition. Once a budget is
        used up, nothing more of its scope is leased in the period.
        """
        return to_request("PUT", path_of("/budgets/{}", scope), read_object, body=body)

    @Operation
    def delete_budget(self, scope: str) -> Request[None]:
        """Delete a budget.

        Also successful without one. That of an agent is deleted by its definition.
        """
        return to_request("DELETE", path_of("/budgets/{}", scope), read_nothing)

    @Operation
    def list_workers(self, **query: Unpack[m.ListWorkersParametersQuery]) -> Request[Page[m.WorkerInfo]]:
        """List workers.

        The workers that requested tasks or used a lease in the last hour, by `worker_id`; at most the last 10,000. One
        that is no longer counted by `GET /stats`, after 5 minutes, is lost.
        """
        return to_request("GET", "/workers", read_page, query=query)

    @Operation
    def read_stats(self) -> Request[m.Stats]:
        """Count agents, tasks, leases, workers and usage.

        Exact at one moment. Tasks of deleted agents count until they are removed; `by_type` counts a task by the type
        that its agent had at its creation. `usage` counts attempts that have ended, since the fleet exists: those of
        deleted tasks and agents too, but for those that ran when their agent was deleted.
        """
        return to_request("GET", "/stats", read_object)

    @Operation
    def read_agent_usage(self, agent_id: str) -> Request[m.AgentUsage]:
        """Read what an agent has used.

        Counts the attempts of its tasks that have ended, those of deleted tasks too.
        """
        return to_request("GET", path_of("/agents/{}/usage", agent_id), read_object)

    @Operation
    def read_series(self, **query: Unpack[m.ReadSeriesParametersQuery]) -> Request[m.Series]:
        """Read what happened to tasks over time.

        Exact counts per step, kept for 48 h, also of tasks that were deleted. The window ends with the current minute;
        it has at most 720 steps. `step` is a multiple of 60 and divides `window`. An unknown type or agent, and an
        agent of another type, have zeros.
        """
        return to_request("GET", "/stats/series", read_object, query=query)

    @Operation
    def read_spend(self, **query: Unpack[m.ReadSpendParametersQuery]) -> Request[m.Spend]:
        """Read what was used over time.

        Counts every attempt when it ends, released and suspended ones too, also of tasks that were deleted. `key` is
        null for what has none. Steps are hours, days or months of the time zone, as many as have a part of the time
        from `from` to `to`: at most 90 days by hour, which are kept for 90 days, 400 by day, and 36 months. Days of
        more than 90 days ago are those of UTC. In a quarter of an hour, and in a day of more than 90 days ago or of
        UTC, 98 names count apart, and `other` has all further ones.
        """
        return to_request("GET", "/stats/spend", read_object, query=query)

    @Operation
    def list_events(self, **query: Unpack[m.ListEventsParametersQuery]) -> Request[Page[m.Event]]:
        """List or stream events of the fleet.

        Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15
        s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that
        are no longer stored. The last 100,000 events are stored. Without `Last-Event-ID` a stream has new events only.
        Filters are combined. With filters, or an API key that is limited to agents, a page may have fewer than `limit`
        events, or none, although more follow. Its `Link` then continues. A `resync` always matches.
        """
        return to_request("GET", "/events", read_page, query=query)

    @Operation
    def list_agent_events(
        self, agent_id: str, **query: Unpack[m.ListAgentEventsParametersQuery]
    ) -> Request[Page[m.Event]]:
        """List or stream events of an agent and its tasks.

        Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15
        s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that
        are no longer stored. The last 1,000 events are stored. Without `Last-Event-ID` a stream has new events only.
        """
        return to_request("GET", path_of("/agents/{}/events", agent_id), read_page, query=query)

    @Operation
    def list_task_events(
        self, agent_id: str, task_id: str, **query: Unpack[m.ListTaskEventsParametersQuery]
    ) -> Request[Page[m.Event]]:
        """List or stream events of a task.

        Returns a JSON array, or with `Accept: text/event-stream` a stream of Server-Sent Events with a comment every 15
        s. To resume a stream, send the id of the last event as `Last-Event-ID`. One `resync` event replaces events that
        are no longer stored. A stream starts with the task's past events and closes after the task ends.
        """
        return to_request("GET", path_of("/agents/{}/tasks/{}/events", agent_id, task_id), read_page, query=query)

    @Operation
    def list_skills(self, **query: Unpack[m.ListSkillsParametersQuery]) -> Request[Page[m.Skill]]:
        """List and search the indexed skills with their metadata.

        Returns all skills unless a filter or a page is requested. Needs no credentials.
        """
        return to_request("GET", "/api/skills", read_page, query=query)

    @Operation
    def get_catalogue(self, **query: Unpack[m.GetCatalogueParametersQuery]) -> Request[m.Catalogue]:
        """Search the indexed skills a page at a time, with facets.

        Finds the skills that `/api/skills` does. Needs no credentials.
        """
        return to_request("GET", "/api/catalogue", read_object, query=query)

    @Operation
    def get_skill(self, skill_id: str) -> Request[m.Skill]:
        """Read one skill.

        Needs no credentials.
        """
        return to_request("GET", path_of("/api/skills/{}", skill_id), read_object)

    @Operation
    def read_skill_file(self, skill_id: str) -> Request[str]:
        """Read the SKILL.md of a skill.

        The file itself, at most 256 KiB, fetched from where the skill lives (GitHub, GitLab or its raw address) and
        cached for some minutes. It is not checked: read it before you use it. Status 502 and 504 also mean that its
        host failed or did not respond in time, and 503 that too many files are being fetched. Needs no credentials.
        """
        return to_request("GET", path_of("/api/skills/{}/skill.md", skill_id), read_text)

    @Operation
    def search_skills(self, **query: Unpack[m.SearchSkillsParametersQuery]) -> Request[m.FoundSkills]:
        """Search skills in the format of the `skills` package.

        For `SKILLS_API_URL=<registry> npx skills find <words>`. Other clients get more from `/api/skills?q=`. Finds
        skills only, no plugins. Needs no credentials.
        """
        return to_request("GET", "/api/search", read_object, query=query)

    @Operation
    def list_categories(self) -> Request[m.Categories]:
        """List the categories and tags of the skills.

        Each has its number of skills. Needs no credentials.
        """
        return to_request("GET", "/api/categories", read_object)

    @Operation
    def list_suggestions(self, **query: Unpack[m.ListSuggestionsParametersQuery]) -> Request[m.Suggestions]:
        """Suggest completions for a search.

        Returns names of skills, tags, authors and categories that begin with the text. Needs no credentials.
        """
        return to_request("GET", "/api/suggestions", read_object, query=query)
