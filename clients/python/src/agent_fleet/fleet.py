"""The two clients: `Fleet` blocks, `AsyncFleet` is for asyncio. They differ only in how they wait."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator
from types import TracebackType
from typing import ParamSpec, Self, TypeVar, cast

from ._api import Api
from ._exchange import AsyncExchange, BlockingExchange
from ._flows import call, ended_task, pages, stream
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
        self._exchange = BlockingExchange(to_settings(url, api_key, token, timeout, retries, user_agent))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._exchange.http.close()

    def paginate(self, operation: Call[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """All records of a list, read page by page: `fleet.paginate(fleet.search_tasks, status="failed")`."""
        return _iterate(pages(self._exchange, operation.request(*args, **kwargs)))

    def follow(self, operation: Call[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """The records of a list as they come: `fleet.follow(fleet.list_events)`.

        For lists of events and of log entries. `after` continues behind that record; an outage of the fleet of 10
        minutes is waited for.
        """
        return _iterate(stream(self._exchange, operation.request(*args, **kwargs)))

    def wait_for_task(self, agent_id: str, task_id: str, *, timeout: float = _DAY_SECONDS) -> Task:
        """The task when it has ended. Raises TimeoutError; an outage of the fleet of 10 minutes is waited for."""
        return _completed(ended_task(self._exchange, self.get_task.request(agent_id, task_id), timeout))

    def send(self, request: Request[T]) -> Reply[T]:
        """Sends a request that `fleet.<operation>.request(…)` describes."""
        return request.to_reply(_completed(call(self._exchange, request)))


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
        self._exchange = AsyncExchange(to_settings(url, api_key, token, timeout, retries, user_agent))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._exchange.http.aclose()

    def paginate(self, operation: AsyncCall[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """As `Fleet.paginate`."""
        return pages(self._exchange, operation.request(*args, **kwargs))

    def follow(self, operation: AsyncCall[P, Page[T]], /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """As `Fleet.follow`."""
        return stream(self._exchange, operation.request(*args, **kwargs))

    async def wait_for_task(self, agent_id: str, task_id: str, *, timeout: float = _DAY_SECONDS) -> Task:
        """As `Fleet.wait_for_task`."""
        return await ended_task(self._exchange, self.get_task.request(agent_id, task_id), timeout)

    async def send(self, request: Request[T]) -> Reply[T]:
        """As `Fleet.send`."""
        return request.to_reply(await call(self._exchange, request))


def _completed(flow: Awaitable[T]) -> T:
    """The result of a flow that blocks where another one would suspend."""
    steps = flow.__await__()
    try:
        next(steps)
    except StopIteration as stop:
        return cast("T", stop.value)
    steps.close()
    raise RuntimeError("the token of a client that blocks cannot be awaited")


def _iterate(flow: AsyncGenerator[T]) -> Iterator[T]:
    try:
        while True:
            try:
                item = _completed(anext(flow))
            except StopAsyncIteration:
                return
            yield item
    finally:
        _completed(flow.aclose())
