"""What a client does with requests, written once for both clients (sans-I/O, https://sans-io.readthedocs.io).

A flow is a generator that yields effects (send this, sleep so long) and is sent their results. It has no input or
output itself: a driver performs the effects, blocking or with asyncio.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from ._event_parser import EventParser
from ._request import Page, Request, Response
from ._settings import Settings
from .errors import FleetError, FleetUnavailable, is_temporary, to_fleet_error
from .models import Task

T = TypeVar("T")

ENDED = frozenset({"completed", "failed", "cancelled"})
OUTAGE_SECONDS = 600
"""How long the fleet may be unavailable before a stream or a wait gives up."""
IDLE_SECONDS = 40
"""The fleet sends a comment every 15 s."""
_BASE_SECONDS = 0.25
_CAP_SECONDS = 10.0
_RETRY_SECONDS = 1.0
_MAX_RETRY_SECONDS = 30.0
_WAIT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Send:
    """Send the request, and return the `Response` with its whole body."""

    request: Request[Any]
    deadline: float
    """By `time.monotonic`."""


@dataclass(frozen=True, slots=True)
class Open:
    """Send the request, and return the `Response`; of a 200, its body is then read by `Read`."""

    request: Request[Any]
    deadline: float


@dataclass(frozen=True, slots=True)
class Read:
    """Return the next piece of the open body; None at its end."""


@dataclass(frozen=True, slots=True)
class Sleep:
    seconds: float


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """A value for the caller of an iterating flow."""

    value: T


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The end of a flow, with its value."""

    value: T


Effect = Send | Open | Read | Sleep
Flow = Generator[Effect, Any, T]
Iteration = Generator[Effect | Item[T], Any, None]


def advance(flow: Generator[Effect | Item[T], Any, Any], result: object) -> Effect | Item[T] | Done[Any]:
    """Runs a flow to its next effect, with the result of the last one; a result that is a FleetError is thrown."""
    try:
        return flow.throw(result) if isinstance(result, FleetError) else flow.send(result)
    except StopIteration as stop:
        return Done(stop.value)


def backoff(failures: int, retry_after: float | None = None) -> float:
    """Seconds to wait after `failures` in a row: `Retry-After` plus full jitter below a limit that doubles to 10 s."""
    return (retry_after or 0.0) + random.uniform(0, min(_CAP_SECONDS, _BASE_SECONDS * 2 ** min(failures, 10)))


def call(settings: Settings[Any], request: Request[T]) -> Flow[Response]:
    """Sends a request until it succeeds, as long as that is safe and worth it, and raises FleetError otherwise."""
    deadline = time.monotonic() + settings.timeout + request.hold_seconds
    may_be_done = False
    attempt = 0
    while True:
        attempt += 1
        try:
            response: Response = yield Send(request, deadline)
            if 200 <= response.status < 300:
                return response
            if may_be_done and request.method == "DELETE" and response.status == 404:
                # An earlier attempt has deleted it, and its response was lost.
                return Response(204, response.headers, b"")
            raise to_fleet_error(response.status, response.headers, response.content)
        except FleetError as error:
            pause = backoff(attempt, error.retry_after)
            if attempt > settings.retries or not _may_retry(request, error) or time.monotonic() + pause >= deadline:
                raise
            may_be_done = may_be_done or isinstance(error, FleetUnavailable)
        yield Sleep(pause)


def _may_retry(request: Request[Any], error: FleetError) -> bool:
    if error.code == "idempotent_request_in_progress":
        return True
    if not is_temporary(error):
        return False
    was_sent = error.status != 429 and not (isinstance(error, FleetUnavailable) and not error.sent)
    return request.may_retry or not was_sent


def pages(settings: Settings[Any], request: Request[Page[T]]) -> Iteration[T]:
    """All records of a list, page after page."""
    while True:
        page = request.read((yield from call(settings, request)))
        for record in page:
            yield Item(record)
        if page.next is None:
            return
        if page.next == request.params:
            raise FleetUnavailable("the next page of the list is the same page", code="invalid_response")
        request = request.with_params(page.next)


def ended_task(settings: Settings[Any], request: Request[Task], timeout: float) -> Flow[Task]:
    """Waits until a task has ended, through outages too. Raises TimeoutError."""
    began = heard = time.monotonic()
    failures = 0
    while True:
        left = began + timeout - time.monotonic()
        hold = int(min(max(left, 0), _WAIT_SECONDS))
        waiting = request.with_params({"wait": str(hold)}, hold)
        try:
            task = waiting.read((yield from call(settings, waiting)))
            if task["status"] in ENDED:
                return task
            failures, heard = 0, time.monotonic()
            # A fleet that does not hold the response must not be asked without a pause.
            pause = 0.1 if hold > 0 else max(left, 0)
        except FleetError as error:
            if not is_temporary(error) or time.monotonic() - heard > OUTAGE_SECONDS:
                raise
            failures += 1
            pause = backoff(failures, error.retry_after)
        left = began + timeout - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the task has not ended within {timeout} s")
        yield Sleep(min(pause, left))


def stream(settings: Settings[Any], request: Request[Page[T]]) -> Iteration[T]:
    """The records of a list as they come, by Server-Sent Events.

    It opens the stream again after the last record whenever it breaks, ends or is silent for 40 s, until
    the fleet ends it for good (204).
    """
    params = dict(request.params)
    last_id = params.pop("after", "")
    retry, failures, heard = _RETRY_SECONDS, 0, time.monotonic()
    while True:
        pause = retry
        try:
            opened: Response = yield Open(_streaming(request, params, last_id), time.monotonic() + settings.timeout)
            if opened.status == 204:
                return
            _assert_stream(opened)
            parser = EventParser()
            while (piece := (yield Read())) is not None:
                failures, heard = 0, time.monotonic()
                for event in _events(parser, piece):
                    last_id = event.id or last_id
                    yield Item(cast("T", _data_of(event.data)))
                last_id = parser.last_id or last_id
                if parser.retry is not None:
                    retry = min(parser.retry, _MAX_RETRY_SECONDS)
                heard = time.monotonic()
        except FleetError as error:
            if not is_temporary(error) or time.monotonic() - heard > OUTAGE_SECONDS:
                raise
            failures += 1
            pause = retry + backoff(failures, error.retry_after)
        yield Sleep(pause)


def _streaming(request: Request[T], params: dict[str, str], last_id: str) -> Request[T]:
    resume = {"last-event-id": last_id} if last_id else {}
    headers = {**request.headers, **resume, "accept": "text/event-stream", "accept-encoding": "identity"}
    return Request(request.method, request.path, request.read, params, headers)


def _assert_stream(opened: Response) -> None:
    if opened.status != 200:
        raise to_fleet_error(opened.status, opened.headers, opened.content)
    if not opened.headers.get("content-type", "").lower().startswith("text/event-stream"):
        raise FleetUnavailable("the response is not an event stream", status=200, code="invalid_response")


def _events(parser: EventParser, piece: bytes) -> list[Any]:
    try:
        return list(parser.push(piece))
    except ValueError as error:
        raise FleetUnavailable(str(error), code="invalid_response") from error


def _data_of(text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FleetUnavailable("an event is not JSON", code="invalid_response") from error
    if not isinstance(value, dict):
        raise FleetUnavailable("an event is not a JSON object", code="invalid_response")
    return value
