"""The two clients: `Fleet` blocks, `AsyncFleet` is for asyncio. They differ only in how they wait."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing, closing
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

import httpx

from ._api import Api
from ._exchange import LIMITS, AsyncExchange, Exchange, tls_context
from ._flows import Done, Effect, Flow, Item, Iteration, advance, call, ended_task, pages, stream
from ._operation import AsyncCall, AsyncSender, Call, Sender
from ._request import Page, Reply, Request
from ._settings import AnyToken, SyncToken, to_settings
from .models import Task

P = ParamSpec("P")
T = TypeVar("T")

_DAY_SECONDS = 86_400.0


class Fleet(Api, Sender):
    """A client of a fleet that blocks. Threads may share it.

    What is not given comes from the environment: `FLEET_URL`, and `FLEET_API_KEY` or `FLEET_TOKEN` if neither an API
    key nor a token is given.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        token: str | SyncToken | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        user_agent: str | None = None,
    ) -> None:
        """Raises ValueError for an invalid option.

        `token` is a bearer token, or a function that returns one and is called for every request. `timeout` limits a
        call with its retries, in seconds. `retries` is how often a request is retried at most, if that is safe.
        """
        self._settings = to_settings(url, api_key, token, timeout, retries, user_agent)
        self._http = httpx.Client(limits=LIMITS, verify=tls_context())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def paginate(self, operation: Call[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """All records of a list, read page by page: `fleet.paginate(fleet.search_tasks, status="failed")`."""
        return self._iterate(pages(self._settings, operation.request(*args, **kwargs)))

    def follow(self, operation: Call[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """The records of a list as they come: `fleet.follow(fleet.list_events)`.

        For lists of events and of log entries. `after` continues behind that record; an outage of the fleet of 10
        minutes is waited for.
        """
        return self._iterate(stream(self._settings, operation.request(*args, **kwargs)))

    def wait_for_task(self, agent_id: str, task_id: str, *, timeout: float = _DAY_SECONDS) -> Task:
        """The task when it has ended. Raises TimeoutError; an outage of the fleet of 10 minutes is waited for."""
        return self._run(ended_task(self._settings, self.get_task.request(agent_id, task_id), timeout))

    def send(self, request: Request[T]) -> Reply[T]:
        """Sends a request that `fleet.<operation>.request(…)` describes."""
        return request.to_reply(self._run(call(self._settings, request)))

    def _run(self, flow: Flow[T]) -> T:
        steps: Generator[Item[Any] | Done[T], None, None] = self._drive(flow)
        with closing(steps):
            return next(steps).value

    def _iterate(self, flow: Iteration[T]) -> Iterator[T]:
        with closing(self._drive(flow)) as steps:
            for step in steps:
                if isinstance(step, Item):
                    yield step.value

    def _drive(self, flow: Generator[Effect | Item[T], Any, Any]) -> Generator[Item[T] | Done[Any], None, None]:
        result: object = None
        with closing(flow), closing(Exchange(self._http, self._settings)) as exchange:
            while True:
                effect = advance(flow, result)
                if isinstance(effect, Item):
                    yield effect
                    result = None
                elif isinstance(effect, Done):
                    yield effect
                    return
                else:
                    result = exchange.perform(effect)


class AsyncFleet(Api, AsyncSender):
    """A client of a fleet for asyncio, with the same operations as `Fleet`."""

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        token: str | AnyToken | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        user_agent: str | None = None,
    ) -> None:
        """As `Fleet`; the function of a token may also be a coroutine function."""
        self._settings = to_settings(url, api_key, token, timeout, retries, user_agent)
        self._http = httpx.AsyncClient(limits=LIMITS, verify=tls_context())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def paginate(self, operation: AsyncCall[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """As `Fleet.paginate`."""
        return self._iterate(pages(self._settings, operation.request(*args, **kwargs)))

    def follow(self, operation: AsyncCall[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """As `Fleet.follow`."""
        return self._iterate(stream(self._settings, operation.request(*args, **kwargs)))

    async def wait_for_task(self, agent_id: str, task_id: str, *, timeout: float = _DAY_SECONDS) -> Task:
        """As `Fleet.wait_for_task`."""
        return await self._run(ended_task(self._settings, self.get_task.request(agent_id, task_id), timeout))

    async def send(self, request: Request[T]) -> Reply[T]:
        """As `Fleet.send`."""
        return request.to_reply(await self._run(call(self._settings, request)))

    async def _run(self, flow: Flow[T]) -> T:
        steps: AsyncGenerator[Item[Any] | Done[T], None] = self._drive(flow)
        async with aclosing(steps):
            return (await anext(steps)).value

    async def _iterate(self, flow: Iteration[T]) -> AsyncIterator[T]:
        async with aclosing(self._drive(flow)) as steps:
            async for step in steps:
                if isinstance(step, Item):
                    yield step.value

    async def _drive(self, flow: Generator[Effect | Item[T], Any, Any]) -> AsyncGenerator[Item[T] | Done[Any], None]:
        result: object = None
        with closing(flow):
            async with aclosing(AsyncExchange(self._http, self._settings)) as exchange:
                while True:
                    effect = advance(flow, result)
                    if isinstance(effect, Item):
                        yield effect
                        result = None
                    elif isinstance(effect, Done):
                        yield effect
                        return
                    else:
                        result = await exchange.perform(effect)
