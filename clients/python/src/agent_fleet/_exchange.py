"""Performs the effects of a flow with httpx: once blocking, once with asyncio."""

from __future__ import annotations

import asyncio
import inspect
import ssl
import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from functools import cache

import httpx

from ._flows import IDLE_SECONDS, Effect, Open, Read, Send, Sleep
from ._request import Response
from ._settings import AnyToken, Settings, SyncToken, header_value
from .errors import FleetError, FleetUnavailable

MAX_RESPONSE_BYTES = 256 * 1024 * 1024
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@cache
def tls_context() -> ssl.SSLContext:
    """One for all clients: reading the certificates takes 25 ms (measured)."""
    return httpx.create_ssl_context()


class Exchange:
    """Blocks. It has at most one open stream."""

    def __init__(self, http: httpx.Client, settings: Settings[SyncToken]) -> None:
        self._http = http
        self._settings = settings
        self._stream: httpx.Response | None = None
        self._pieces: Iterator[bytes] = iter(())

    def perform(self, effect: Effect) -> object:
        """The result of an effect; a FleetError is returned, too."""
        try:
            if isinstance(effect, Sleep):
                time.sleep(effect.seconds)
                return None
            with _network_errors():
                if isinstance(effect, Read):
                    return next(self._pieces, None)
                return self._send(effect)
        except FleetError as error:
            return error

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _send(self, effect: Send | Open) -> Response:
        self.close()
        token = self._settings.token
        if callable(token):
            with _token_errors():
                token = header_value("token", token())
        message = _to_message(self._http, self._settings, effect, token)
        response = self._http.send(message, stream=True, follow_redirects=False)
        self._stream = response
        if isinstance(effect, Open) and response.status_code == 200:
            self._pieces = response.iter_bytes()
            return _to_response(response, b"")
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            _assert_size(body)
            _left(effect.deadline)
        return _to_response(response, body)


class AsyncExchange:
    """For asyncio. It has at most one open stream."""

    def __init__(self, http: httpx.AsyncClient, settings: Settings[AnyToken]) -> None:
        self._http = http
        self._settings = settings
        self._stream: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None

    async def perform(self, effect: Effect) -> object:
        """The result of an effect; a FleetError is returned, too."""
        try:
            if isinstance(effect, Sleep):
                await asyncio.sleep(effect.seconds)
                return None
            with _network_errors():
                if isinstance(effect, Read):
                    return None if self._pieces is None else await anext(self._pieces, None)
                async with asyncio.timeout(_left(effect.deadline)):
                    return await self._send(effect)
        except TimeoutError:
            return _late()
        except FleetError as error:
            return error

    async def aclose(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()
            self._stream = None

    async def _send(self, effect: Send | Open) -> Response:
        await self.aclose()
        token = self._settings.token
        if callable(token):
            with _token_errors():
                given = token()
                token = header_value("token", await given if inspect.isawaitable(given) else given)
        message = _to_message(self._http, self._settings, effect, token)
        response = await self._http.send(message, stream=True, follow_redirects=False)
        self._stream = response
        if isinstance(effect, Open) and response.status_code == 200:
            self._pieces = response.aiter_bytes()
            return _to_response(response, b"")
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            _assert_size(body)
        return _to_response(response, body)


def _to_message(
    http: httpx.Client | httpx.AsyncClient,
    settings: Settings[SyncToken] | Settings[AnyToken],
    effect: Send | Open,
    token: str | None,
) -> httpx.Request:
    request = effect.request
    headers = {"user-agent": settings.user_agent, **request.headers}
    if settings.api_key is not None:
        headers["x-api-key"] = settings.api_key
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    left = _left(effect.deadline)
    return http.build_request(
        request.method,
        settings.url + request.path,
        params=request.params,
        headers=headers,
        content=request.content,
        timeout=httpx.Timeout(left, read=IDLE_SECONDS if isinstance(effect, Open) else left),
    )


def _to_response(response: httpx.Response, body: bytes | bytearray) -> Response:
    return Response(response.status_code, response.headers, bytes(body))


@contextmanager
def _network_errors() -> Generator[None, None, None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise _late(sent=not isinstance(error, _NOT_SENT)) from error
    except httpx.RequestError as error:
        raise _unavailable(str(error) or type(error).__name__, sent=not isinstance(error, _NOT_SENT)) from error


@contextmanager
def _token_errors() -> Generator[None, None, None]:
    try:
        yield
    except FleetError:
        raise
    except Exception as error:
        raise _unavailable(f"failed to get a token: {error}", sent=False) from error


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


def _assert_size(body: bytearray) -> None:
    if len(body) > MAX_RESPONSE_BYTES:
        raise FleetError(f"the response has more than {MAX_RESPONSE_BYTES >> 20} MiB", code="response_too_large")
