"""What makes a method that describes a request into an operation of both clients."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from . import models as m
from ._request import Reply, Request, Response, not_ours, read_object

P = ParamSpec("P")
T = TypeVar("T")


class Sender(ABC):
    """A client that blocks."""

    @abstractmethod
    def send(self, request: Request[T]) -> Reply[T]: ...


class AsyncSender(ABC):
    """A client for asyncio."""

    @abstractmethod
    async def send(self, request: Request[T]) -> Reply[T]: ...


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
    def __get__(self, fleet: Sender, owner: type) -> Call[P, T]: ...
    @overload
    def __get__(self, fleet: AsyncSender, owner: type) -> AsyncCall[P, T]: ...
    def __get__(self, fleet: Sender | AsyncSender | None, owner: type) -> Any:
        if fleet is None:
            return self
        kind: Any = AsyncCall if isinstance(fleet, AsyncSender) else Call
        return kind(fleet.send, self.describe.__get__(fleet, owner))


def creation(key: str | None) -> dict[str, str | None]:
    """The same key makes the same thing once, so that a lost response can be asked for again."""
    return {"idempotency-key": key or str(uuid.uuid4())}


def read_leases(response: Response) -> list[m.Lease]:
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
