"""Sends requests with httpx: blocking, or with asyncio."""

from __future__ import annotations

import asyncio
import inspect
import ssl
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from functools import cache
from typing import Any, Generic, TypeVar

import httpx

from ._request import Request, Response
from ._settings import Settings, header_value
from .errors import FleetError, FleetUnavailable

Http = TypeVar("Http", bound=httpx.Client | httpx.AsyncClient)

MAX_RESPONSE_BYTES = 256 * 1024 * 1024
IDLE_SECONDS = 40
"""Of a stream, in which the fleet sends a comment every 15 s."""
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@cache
def _tls_context() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes 25 ms (measured)."""
    return httpx.create_ssl_context()


class Exchange(ABC, Generic[Http]):
    """Requests and their responses. Deadlines are by `time.monotonic`. Raises FleetError without a response."""

    def __init__(self, http: Http, settings: Settings[Any]) -> None:
        self.http = http
        self.settings = settings

    async def send(self, request: Request[Any], deadline: float) -> Response:
        """The response with its whole body."""
        with _network_errors():
            async with self._until(deadline):
                return await self._read(await self._respond(await self._message(request, deadline)), deadline)

    @asynccontextmanager
    async def open(
        self, request: Request[Any], deadline: float
    ) -> AsyncIterator[tuple[Response, AsyncIterator[bytes]]]:
        """The response and, if it is a 200, the pieces of its body, which may come after the deadline."""
        with _network_errors():
            async with self._until(deadline):
                opened = await self._respond(await self._message(request, deadline, IDLE_SECONDS))
                has_pieces = opened.status_code == 200
                response = _to_response(opened) if has_pieces else await self._read(opened, deadline)
            try:
                yield response, self._pieces(opened)
            finally:
                await self._close(opened)

    @abstractmethod
    async def sleep(self, seconds: float) -> None: ...

    @abstractmethod
    def _until(self, deadline: float) -> AbstractAsyncContextManager[object]: ...

    @abstractmethod
    async def _respond(self, message: httpx.Request) -> httpx.Response: ...

    @abstractmethod
    def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]: ...

    @abstractmethod
    async def _close(self, response: httpx.Response) -> None: ...

    async def _read(self, response: httpx.Response, deadline: float) -> Response:
        body = bytearray()
        try:
            async for piece in self._pieces(response):
                body += piece
                if len(body) > MAX_RESPONSE_BYTES:
                    message = f"the response has more than {MAX_RESPONSE_BYTES >> 20} MiB"
                    raise FleetError(message, code="response_too_large")
                _left(deadline)
        finally:
            await self._close(response)
        return _to_response(response, bytes(body))

    async def _message(self, request: Request[Any], deadline: float, idle: float | None = None) -> httpx.Request:
        headers = {"user-agent": self.settings.user_agent, **request.headers}
        if self.settings.api_key is not None:
            headers["x-api-key"] = self.settings.api_key
        token = await self._token()
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        left = _left(deadline)
        return self.http.build_request(
            request.method,
            self.settings.url + request.path,
            params=request.params,
            headers=headers,
            content=request.content,
            timeout=httpx.Timeout(left, read=idle or left),
        )

    async def _token(self) -> str | None:
        token = self.settings.token
        if not callable(token):
            return token
        try:
            given: Any = token()
            return header_value("token", await given if inspect.isawaitable(given) else given)
        except FleetError:
            raise
        except Exception as error:
            raise _unavailable(f"failed to get a token: {error}", sent=False) from error


class BlockingExchange(Exchange[httpx.Client]):
    """Blocks: its coroutines never suspend."""

    def __init__(self, settings: Settings[Any]) -> None:
        super().__init__(httpx.Client(limits=_LIMITS, verify=_tls_context()), settings)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _until(self, deadline: float) -> AbstractAsyncContextManager[object]:
        return nullcontext()

    async def _respond(self, message: httpx.Request) -> httpx.Response:
        return self.http.send(message, stream=True, follow_redirects=False)

    async def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for piece in response.iter_bytes():
            yield piece

    async def _close(self, response: httpx.Response) -> None:
        response.close()


class AsyncExchange(Exchange[httpx.AsyncClient]):
    def __init__(self, settings: Settings[Any]) -> None:
        super().__init__(httpx.AsyncClient(limits=_LIMITS, verify=_tls_context()), settings)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _until(self, deadline: float) -> AbstractAsyncContextManager[object]:
        return asyncio.timeout(_left(deadline))

    async def _respond(self, message: httpx.Request) -> httpx.Response:
        return await self.http.send(message, stream=True, follow_redirects=False)

    def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return response.aiter_bytes()

    async def _close(self, response: httpx.Response) -> None:
        await response.aclose()


def _to_response(response: httpx.Response, content: bytes = b"") -> Response:
    return Response(response.status_code, response.headers, content)


@contextmanager
def _network_errors() -> Generator[None, None, None]:
    try:
        yield
    except TimeoutError as error:
        raise _late() from error
    except httpx.TimeoutException as error:
        raise _late(sent=not isinstance(error, _NOT_SENT)) from error
    except httpx.RequestError as error:
        raise _unavailable(str(error) or type(error).__name__, sent=not isinstance(error, _NOT_SENT)) from error


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise _late()
    return left


def _late(*, sent: bool = True) -> FleetUnavailable:
    return _unavailable("no response in time", sent=sent)


def _unavailable(message: str, *, sent: bool) -> FleetUnavailable:
    error = FleetUnavailable(message)
    error.sent = sent
    return error
