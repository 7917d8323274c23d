"""Runs one leased task to its end: heartbeats, handler, log, report or release."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..errors import FleetError
from ..models import Lease, Task
from ._context import Context
from ._conversation import Accepts, Conversation
from ._heartbeats import Heartbeats
from ._lease_client import LeaseClient, is_lease_lost, is_outage, is_unauthorized, logger, retry, traceparent_of
from ._log import TaskLog
from ._report import AbortReason, HeartbeatField, Report, Used, cancelled, completed, failed, refused

ABORT_GRACE_SECONDS = 3.0
"""How long a handler may take to end when the worker stops; then its task is released anyway."""

SyncHandler = Callable[[Task, Context], object]
AsyncHandler = Callable[[Task, Context], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Returned:
    report: Report


@dataclass(frozen=True, slots=True)
class Raised:
    error: BaseException


Outcome = Returned | Raised


class HandlerRun:
    """A handler at work in a thread of its own, or in the loop of the handlers."""

    def __init__(self, handler: SyncHandler | AsyncHandler, loop: asyncio.AbstractEventLoop | None) -> None:
        """`loop`: of a coroutine function."""
        self._handler = handler
        self._loop = loop
        self._here = asyncio.get_running_loop()
        self._outcome: asyncio.Future[Outcome] = self._here.create_future()
        self._task: asyncio.Task[None] | None = None

    def start(self, task: Task, context: Context) -> asyncio.Future[Outcome]:
        if self._loop is None:
            name = f"task {task['id']}"
            # Nothing can end a thread, but a daemon does not outlive the process.
            threading.Thread(target=self._run, args=(task, context), name=name, daemon=True).start()
        else:
            self._loop.call_soon_threadsafe(self._start_in_loop, self._loop, task, context)
        return self._outcome

    def abort(self) -> None:
        """Cancels a coroutine; a thread asks its context."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._cancel)

    def _run(self, task: Task, context: Context) -> None:
        try:
            self._end(Returned(completed(self._handler(task, context))))
        except BaseException as error:
            self._end(Raised(error))

    def _start_in_loop(self, loop: asyncio.AbstractEventLoop, task: Task, context: Context) -> None:
        self._task = loop.create_task(self._run_coroutine(task, context), name=f"task {task['id']}")

    async def _run_coroutine(self, task: Task, context: Context) -> None:
        # SystemExit must not end the loop, which other handlers use.
        try:
            result: Any = self._handler(task, context)
            self._end(Returned(completed(await result)))
        except BaseException as error:
            self._end(Raised(error))

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _end(self, outcome: Outcome) -> None:
        with suppress(RuntimeError):
            self._here.call_soon_threadsafe(self._set, outcome)

    def _set(self, outcome: Outcome) -> None:
        if not self._outcome.done():
            self._outcome.set_result(outcome)


class LeaseRun:
    """One leased task. `run` never raises; cancelling it gives up on the fleet."""

    def __init__(
        self,
        lease: Lease,
        client: LeaseClient,
        handler: HandlerRun,
        *,
        expiry: float | None,
        accepts: Sequence[Accepts],
        hold_seconds: float,
    ) -> None:
        self._lease = lease
        self._client = client
        self._handler = handler
        self._name = f"Task {lease['task']['id']} (attempt {lease['attempt']})"
        self._heartbeats = Heartbeats(
            client,
            lease,
            expiry=expiry,
            on_cancel=lambda: self.abort("cancelled"),
            on_lost=self._lose,
            on_refused=self._log_refused,
        )
        self._log = TaskLog(client.fleet, lease)
        self._used: Used = {}
        self._hold_seconds = hold_seconds
        self._conversation = Conversation(client, lease, self._log, accepts)
        self._context = Context(
            lease["attempt"],
            self._heartbeats.progress,
            self._add_used,
            self._log.add,
            self._conversation,
            traceparent_of(lease["task"]),
            lease.get("definition"),
            lease.get("dependencies", ()),
        )
        self._abandoned = asyncio.Event()
        self._is_suspending = False

    def abort(self, reason: AbortReason) -> None:
        if not self._context.cancelled or reason == "lease_lost":
            self._context.abort(reason)
            self._conversation.abort(reason)
            self._handler.abort()
        if reason in ("worker_stopped", "suspended"):
            asyncio.get_running_loop().call_later(ABORT_GRACE_SECONDS, self._abandoned.set)

    def _lose(self) -> None:
        """A suspension ends the lease: the response to it says whether it was lost before."""
        if not self._is_suspending:
            self.abort("lease_lost")

    def stop(self) -> None:
        """The worker stops: a handler that waits for an answer is suspended, others have their time."""
        self._conversation.stop()

    async def run(self) -> None:
        logger.info("%s: started", self._name)
        beating = asyncio.create_task(self._heartbeats.run())
        logging = asyncio.create_task(self._log.run())
        inbox = self._conversation.run(lambda: self.abort("cancelled"), self._lose)
        talking = [asyncio.create_task(work) for work in (inbox, self._suspend_when_cold())]
        try:
            outcome = await self._handle()
            logging.cancel()
            await asyncio.wait([logging])
            if self._context.reason not in ("lease_lost", "suspended"):
                await self._log.drain(is_stopping=self._context.reason == "worker_stopped")
            logger.info("%s: %s", self._name, await self._complete(outcome))
        except FleetError as error:
            logger.error("%s: failed to report the outcome: %s", self._name, error)
        except asyncio.CancelledError:
            logger.error("%s: gave up to report the outcome", self._name)
        finally:
            for task in (beating, logging, *talking):
                task.cancel()
            await asyncio.wait([beating, logging, *talking])

    async def _suspend_when_cold(self) -> None:
        """Ends the lease before the handler: an answer that comes meanwhile finds it waiting."""
        while True:
            await self._conversation.until_cold(self._hold_seconds)
            await self._log.drain(is_stopping=True)
            try:
                await _send_used(self._client, self._lease, self._heartbeats.unsent_used())
                self._is_suspending = True
                await retry(self._suspend)
                self.abort("suspended")
                return
            except FleetError as error:
                if error.status == 404 or error.code == "lease_lost":
                    self.abort("lease_lost")
                    return
                # Such as `nothing_to_wait_for`: the answer is in the inbox.
                self._is_suspending = False
                logger.info("%s: not suspended: %s", self._name, error)
                await asyncio.sleep(1)

    async def _suspend(self) -> None:
        lease, state = self._lease, self._conversation.state
        suspend_lease = self._client.fleet.suspend_lease
        await self._client.send(lease, suspend_lease.request(lease["id"], token=lease["token"], state=state))

    def _add_used(self, used: Used) -> None:
        """Called by any thread."""
        self._used.update(used)
        self._heartbeats.used(used)

    def _log_refused(self, what: str, error: FleetError) -> None:
        logger.warning("%s: %s was refused: %s", self._name, what, error)
        self._log.add(f"{what} was refused: {error}", "warn", "system")

    async def _handle(self) -> Outcome:
        """The outcome; when the worker stops, a handler that does not end counts as one that has raised."""
        outcome = self._handler.start(self._lease["task"], self._context)
        abandoned = asyncio.create_task(self._abandoned.wait())
        either: list[asyncio.Future[Any]] = [outcome, abandoned]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return outcome.result() if outcome.done() else Raised(asyncio.CancelledError())
        finally:
            abandoned.cancel()

    async def _complete(self, outcome: Outcome) -> str:
        """Reports or releases the task; returns what became of it."""
        reason = self._context.reason
        if reason == "lease_lost":
            return "abandoned, the lease is lost"
        if reason == "suspended":
            return "suspended, it waits for a person"
        if isinstance(outcome, Returned):
            return await self._deliver(outcome.report)
        if reason == "worker_stopped":
            return await release(self._client, self._lease, self._heartbeats.unsent_used())
        if reason is None:
            logger.warning("%s: the handler failed", self._name, exc_info=outcome.error)
        return await self._deliver(cancelled() if reason == "cancelled" else failed(outcome.error))

    async def _deliver(self, report: Report, *, with_used: bool = True) -> str:
        """Sends the report until the fleet responds; a repeated report has no effect."""
        used: Used = self._used.copy() if with_used else {}
        try:
            # Credentials may be replaced while the worker runs; the end of its stop ends this.
            await retry(
                lambda: self._client.report(self._lease, report, used),
                lambda error: is_outage(error) or is_unauthorized(error),
            )
        except FleetError as error:
            if is_lease_lost(error):
                return f"{report.status}, but the lease was lost before the report"
            if used and error.status in (400, 422):
                self._log_refused("a report with usage", error)
                await _send_used(self._client, self._lease, self._heartbeats.unsent_used())
                return await self._deliver(report, with_used=False)
            if report.status != "completed":
                raise
            return await self._deliver(refused(error))
        return report.summary


async def release(client: LeaseClient, lease: Lease, unsent: Sequence[HeartbeatField] = ()) -> str:
    """Returns a task to the fleet without counting the attempt, but for what it has used."""
    try:
        await _send_used(client, lease, unsent)
        await retry(lambda: client.release(lease))
    except FleetError as error:
        if not is_lease_lost(error):
            raise
        return "abandoned, the lease is lost"
    return "released"


async def _send_used(client: LeaseClient, lease: Lease, fields: Sequence[HeartbeatField]) -> None:
    """Sends fields at once; if they are refused, one by one, of each the newest that the fleet takes."""
    taken: set[str] = set()
    for some in [fields, *([field] for field in reversed(fields) if len(fields) > 1)]:
        content = dict(some)
        if content.keys() <= taken:
            continue
        try:
            await retry(lambda content=content: client.heartbeat(lease, content))  # type: ignore[misc]
            taken |= content.keys()
        except FleetError as error:
            # It is worth less than what follows.
            if is_lease_lost(error):
                raise
            logger.warning("Task %s: %s refused: %s", lease["task"]["id"], ", ".join(content), error)
