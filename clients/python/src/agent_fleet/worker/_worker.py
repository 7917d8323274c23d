"""Takes tasks from a fleet and runs them.

Three kinds of threads: one talks to the fleet and never runs a handler, so that no handler can stop the heartbeats; one
runs the loop of handlers that are coroutine functions; and each other handler runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from .._request import Request
from .._settings import AnyToken, to_settings
from ..errors import FleetError
from ..fleet import AsyncFleet
from ..models import AgentLeaseRequest, Lease
from ._conversation import Accepts
from ._lease_client import Availability, LeaseClient, logger, retry
from ._lease_run import AsyncHandler, HandlerRun, LeaseRun, SyncHandler, release

T = TypeVar("T")
H = TypeVar("H", bound=SyncHandler | AsyncHandler)

GIVE_UP_SECONDS = 5.0
"""How long to wait for the handlers and the fleet after the handlers are aborted."""
_MAX_TASKS = 20
"""Limit of one poll."""
_EMPTY_POLL_SECONDS = 1.0
_HEARTBEAT_TIMEOUT = 10.0
_REQUEST_TIMEOUT = 20.0
_MAX_WORKER_ID = 100
_SECOND_SIGNAL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Queue:
    """The tasks of one handler."""

    handler: SyncHandler | AsyncHandler
    types: tuple[str, ...] | None
    agent_id: str | None
    concurrency: int
    accepts: tuple[Accepts, ...]


class Worker:
    """Takes tasks from a fleet and runs handlers for them.

    Register handlers by `@worker.handler(…)`, then call `run`. Options that are not given come from the environment,
    as for `Fleet`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        token: str | AnyToken | None = None,
        concurrency: int = 1,
        worker_id: str | None = None,
        lease_seconds: int = 120,
        wait_seconds: int = 30,
        stop_seconds: float = 5.0,
        hold_seconds: float = 900.0,
        max_tasks: int | None = None,
        abort_on_expiry: bool = False,
        labels: Sequence[str] = (),
    ) -> None:
        """Raises ValueError for an invalid option.

        `concurrency`: tasks that each handler runs at the same time. `worker_id`: the name of this worker in the fleet,
        by default `<host>:<pid>-<random>`. `lease_seconds`: lifetime of a lease without a heartbeat. `wait_seconds`:
        how long a poll may wait for a task. `stop_seconds`: how long `stop` lets handlers finish before it aborts them
        and releases their tasks. `hold_seconds`: how long a handler waits for an answer before it is suspended.
        `max_tasks`: stop after so many tasks. `abort_on_expiry`: abort handlers when their lease has expired by the
        clock of this machine, too; by default only the fleet ends a lease. `labels`: what this worker has, such as
        `gpu`; it gets no task that requires another label.
        """
        self._credentials = (url, api_key, _in_thread(token))
        settings = to_settings(*self._credentials, _REQUEST_TIMEOUT, 0, None)
        if not settings.has_credentials:
            raise ValueError("api_key or token, or FLEET_API_KEY or FLEET_TOKEN, must be given")
        self._url = settings.url
        self._concurrency = _within("concurrency", concurrency, 1, 1000)
        self._worker_id = _to_worker_id(worker_id)
        self._lease_seconds = _within("lease_seconds", lease_seconds, 5, 900)
        self._wait_seconds = _within("wait_seconds", wait_seconds, 0, 30)
        self._hold_seconds = _within("hold_seconds", hold_seconds, 0, 86_400)
        self._stop_seconds = _within("stop_seconds", stop_seconds, 0, 86_400)
        self._max_tasks = _within("max_tasks", max_tasks, 1, sys.maxsize) if max_tasks is not None else sys.maxsize
        self._abort_on_expiry = abort_on_expiry
        self._labels = list(labels)
        self._queues: list[_Queue] = []
        self._work: _Work | None = None
        self._stop_requested = False
        self._lock = threading.RLock()

    def handler(
        self,
        types: Sequence[str] | None = None,
        *,
        agent_id: str | None = None,
        concurrency: int | None = None,
        accepts: Sequence[Accepts] = (),
    ) -> Callable[[H], H]:
        """Registers a handler for tasks of agents of these types, or of one agent; by default for all tasks.

        It receives the task and its `Context`, and returns the result (any JSON up to 1 MiB) or raises. A coroutine
        function runs in a loop with the others; any other function runs in a thread of its own.
        `accepts`: `input` of one that asks, `messages` of one that reads what people say, `definitions` of one that
        keeps to the definition of the agent, which its context has.
        """
        queue_types = None if types is None else _to_types(types)
        if queue_types is not None and agent_id is not None:
            raise ValueError("types and agent_id exclude each other")
        if agent_id == "":
            raise ValueError("agent_id must not be empty")
        limit = self._concurrency if concurrency is None else _within("concurrency", concurrency, 1, 1000)

        def register(handler: H) -> H:
            queue = _Queue(handler, queue_types, agent_id, limit, tuple(accepts))
            with self._lock:
                if self._work is not None:
                    raise RuntimeError("the worker has started")
                for other in self._queues:
                    _assert_disjoint(queue, other)
                self._queues.append(queue)
            return handler

        return register

    def run(self) -> None:
        """Works until `stop`, SIGINT, SIGTERM or `max_tasks`. Raises FleetError if the fleet refuses to give tasks.

        Signals are handled in the main thread only. A second one, a second or more later, ends the process at once.
        """
        with _signals(self.stop):
            work = self._start(None)
            while not work.finished.wait(0.5):
                pass
        work.raise_error()

    async def serve(self) -> None:
        """As `run`, in a running loop, which then runs the handlers that are coroutine functions.

        Signals are left to the caller; cancelling it stops the worker.
        """
        work = self._start(asyncio.get_running_loop())
        finished = asyncio.ensure_future(asyncio.to_thread(work.finished.wait))
        try:
            await asyncio.shield(finished)
        except asyncio.CancelledError:
            self.stop()
            await finished
            raise
        work.raise_error()

    def stop(self) -> None:
        """Takes no new tasks, and aborts running handlers after `stop_seconds` to release their tasks.

        Returns at once. `run` returns at most 5 s after `stop_seconds`, even during an outage of the fleet or when a
        handler does not end.
        """
        with self._lock:
            self._stop_requested = True
            if self._work is not None:
                self._work.stop()

    def _start(self, loop: asyncio.AbstractEventLoop | None) -> _Work:
        with self._lock:
            if self._work is not None:
                raise RuntimeError("the worker has started; make another one")
            if not self._queues:
                raise RuntimeError("the worker has no handler")
            self._work = work = _Work(self, loop)
        work.start()
        if self._stop_requested:
            work.stop()
        return work


class _Work:
    """A worker at work: it owns the thread that talks to the fleet."""

    def __init__(self, worker: Worker, handlers_loop: asyncio.AbstractEventLoop | None) -> None:
        self.finished = threading.Event()
        self._worker = worker
        self._handlers_loop = handlers_loop
        self._owns_loop = False
        self._left = worker._max_tasks
        self._error: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._runs: dict[asyncio.Task[None], LeaseRun | None] = {}
        self._thread = threading.Thread(target=self._main, name="agent-fleet", daemon=True)

    def start(self) -> None:
        if self._handlers_loop is None and any(_is_async(queue.handler) for queue in self._worker._queues):
            self._handlers_loop = asyncio.new_event_loop()
            self._owns_loop = True
            args = (self._handlers_loop,)
            threading.Thread(target=_run_loop, args=args, name="agent-fleet-handlers", daemon=True).start()
        self._thread.start()

    def stop(self) -> None:
        # The loop may have ended.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stopping.set)

    def raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._work())
        except BaseException as error:
            self._error = error
        finally:
            self._loop.close()
            if self._owns_loop and self._handlers_loop is not None:
                self._handlers_loop.call_soon_threadsafe(self._handlers_loop.stop)
            self.finished.set()

    async def _work(self) -> None:
        url, api_key, token = self._worker._credentials
        async with (
            AsyncFleet(url, api_key=api_key, token=token, timeout=_REQUEST_TIMEOUT, retries=0) as fleet,
            AsyncFleet(url, api_key=api_key, token=token, timeout=_HEARTBEAT_TIMEOUT, retries=0) as heartbeat_fleet,
        ):
            client = LeaseClient(fleet, heartbeat_fleet, Availability(self._worker._url))
            logger.info("Worker %s takes tasks of %s", self._worker._worker_id, self._worker._url)
            try:
                await self._poll_all(client)
            except FleetError as error:
                self._error = error
                logger.error("Tasks refused by %s: %s; stopping", self._worker._url, error)
                self._stopping.set()
            await self._end_runs()

    async def _poll_all(self, client: LeaseClient) -> None:
        """Until the worker stops. Raises the FleetError of a poll that is refused."""
        polls = [asyncio.create_task(self._poll_queue(client, queue)) for queue in self._worker._queues]
        await asyncio.wait(polls, return_when=asyncio.FIRST_EXCEPTION)
        if any(poll.done() and poll.exception() is not None for poll in polls):
            self._stopping.set()
        await asyncio.gather(*polls)

    async def _poll_queue(self, client: LeaseClient, queue: _Queue) -> None:
        running: set[asyncio.Task[None]] = set()
        while not self._stopping.is_set() and self._left > 0:
            running = {run for run in running if not run.done()}
            free = min(queue.concurrency - len(running), _MAX_TASKS, self._left)
            if free == 0:
                await self._unless_stopping(asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED))
                continue
            began = time.monotonic()
            self._left -= free
            leases = await self._poll(client, queue, free)
            self._left += free - len(leases)
            running.update(self._start_run(client, queue, lease) for lease in leases)
            if not leases:
                await self._unless_stopping(asyncio.sleep(began + _EMPTY_POLL_SECONDS - time.monotonic()))

    async def _poll(self, client: LeaseClient, queue: _Queue, max_tasks: int) -> list[Lease]:
        """A stop ends the poll, which may wait for 30 s."""
        request = self._to_poll(client.fleet, queue, max_tasks)
        return await self._unless_stopping(retry(lambda: client.lease(request))) or []

    def _to_poll(self, fleet: AsyncFleet, queue: _Queue, max_tasks: int) -> Request[list[Lease]]:
        worker = self._worker
        poll: AgentLeaseRequest = {
            "worker_id": worker._worker_id,
            "max_tasks": max_tasks,
            "wait_seconds": worker._wait_seconds,
            "lease_seconds": worker._lease_seconds,
        }
        if queue.accepts:
            poll["accepts"] = list(queue.accepts)
        if worker._labels:
            poll["labels"] = worker._labels
        if queue.agent_id is not None:
            return fleet.lease_agent_tasks.request(queue.agent_id, **poll)
        if queue.types is None:
            return fleet.lease_tasks.request(**poll)
        return fleet.lease_tasks.request(**poll, types=list(queue.types))

    def _start_run(self, client: LeaseClient, queue: _Queue, lease: Lease) -> asyncio.Task[None]:
        run: LeaseRun | None = None
        if self._stopping.is_set():
            # The response came just as the stop began.
            task = asyncio.create_task(_release(client, lease))
        else:
            handler = HandlerRun(queue.handler, self._handlers_loop if _is_async(queue.handler) else None)
            expiry = self._worker._lease_seconds if self._worker._abort_on_expiry else None
            hold = self._worker._hold_seconds
            run = LeaseRun(lease, client, handler, expiry=expiry, accepts=queue.accepts, hold_seconds=hold)
            task = asyncio.create_task(run.run())
        self._runs[task] = run
        task.add_done_callback(self._runs.pop)
        return task

    async def _end_runs(self) -> None:
        # After `max_tasks` the running ones have all the time that they need, unless the worker is stopped.
        while self._runs and not self._stopping.is_set():
            await self._unless_stopping(asyncio.wait(self._runs))
        for run in self._runs.values():
            if run is not None:
                run.stop()
        if await self._ended_within(self._worker._stop_seconds):
            return
        for run in list(self._runs.values()):
            if run is not None:
                run.abort("worker_stopped")
        if await self._ended_within(GIVE_UP_SECONDS):
            return
        for task in self._runs:
            task.cancel()
        await self._ended_within(GIVE_UP_SECONDS)

    async def _ended_within(self, seconds: float) -> bool:
        if self._runs:
            await asyncio.wait(self._runs, timeout=seconds)
        return not any(not run.done() for run in self._runs)

    async def _unless_stopping(self, work: Coroutine[Any, Any, T]) -> T | None:
        """The result of what a stop ends; None if it did."""
        task = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            stopping.cancel()
            await asyncio.wait([task, stopping])


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        # What handlers have left behind.
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _release(client: LeaseClient, lease: Lease) -> None:
    try:
        await release(client, lease)
    except FleetError as error:
        logger.error("Task %s: failed to release: %s", lease["task"]["id"], error)


@contextmanager
def _signals(stop: Callable[[], None]) -> Generator[None, None, None]:
    """Stops at the first signal; ends the process at another one, unless that is its echo from a process group."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    first: list[float] = []

    def on_signal(number: int, _: FrameType | None) -> None:
        if not first:
            first.append(time.monotonic())
            stop()
        elif time.monotonic() - first[0] >= _SECOND_SIGNAL_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    previous = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _in_thread(token: str | AnyToken | None) -> str | AnyToken | None:
    """A function that blocks must not stop the heartbeats."""
    if token is None or isinstance(token, str) or inspect.iscoroutinefunction(token):
        return token
    create: AnyToken = token

    async def in_thread() -> str:
        given = await asyncio.to_thread(create)
        return given if isinstance(given, str) else await given

    return in_thread


def _is_async(handler: SyncHandler | AsyncHandler) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def _to_types(types: Sequence[str]) -> tuple[str, ...]:
    if isinstance(types, str) or not types:
        raise ValueError("types must be a list of types; leave it out for all types")
    return tuple(types)


def _assert_disjoint(queue: _Queue, other: _Queue) -> None:
    """Otherwise the two handlers would take each other's tasks."""
    if queue.agent_id is not None and other.agent_id is not None:
        overlap = queue.agent_id == other.agent_id
    elif queue.types is not None and other.types is not None:
        overlap = not set(queue.types).isdisjoint(other.types)
    else:
        overlap = True
    if overlap:
        raise ValueError("a handler for the same tasks is registered already")


def _to_worker_id(worker_id: str | None) -> str:
    if worker_id is None:
        suffix = f":{os.getpid()}-{secrets.token_hex(3)}"
        return socket.gethostname()[: _MAX_WORKER_ID - len(suffix)] + suffix
    if not 1 <= len(worker_id) <= _MAX_WORKER_ID:
        raise ValueError("worker_id must have 1 to 100 characters")
    return worker_id


N = TypeVar("N", int, float)


def _within(name: str, value: N, least: int, most: int) -> N:
    if isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {value}")
    return value
