"""What a client does with requests, written once for both clients."""

from __future__ import annotations

import json
import random
import time
from collections.abc import AsyncGenerator
from typing import Any, TypeVar, cast

from ._event_parser import EventParser
from ._exchange import Exchange
from ._request import Page, Request, Response
from .errors import FleetError, FleetUnavailable, is_temporary, to_fleet_error
from .models import Task

T = TypeVar("T")

ENDED = frozenset({"completed", "failed", "cancelled"})
OUTAGE_SECONDS = 600
"""How long the fleet may be unavailable before a stream or a wait gives up."""
_BASE_SECONDS = 0.25
_CAP_SECONDS = 10.0
_RETRY_SECONDS = 1.0
_MAX_RETRY_SECONDS = 30.0
_WAIT_SECONDS = 30


def backoff(failures: int, retry_after: float | None = None) -> float:
    """Seconds to wait after `failures` in a row: `Retry-After` plus full jitter below a limit that doubles to 10 s."""
    return (retry_after or 0.0) + random.uniform(0, min(_CAP_SECONDS, _BASE_SECONDS * 2 ** min(failures, 10)))


async def call(exchange: Exchange[Any], request: Request[Any]) -> Response:
    """Sends a request until it succeeds, as long as that is safe and worth it, and raises FleetError otherwise."""
    settings = exchange.settings
    deadline = time.monotonic() + settings.timeout + request.hold_seconds
    may_be_done = False
    attempt = 0
    while True:
        attempt += 1
        try:
            response = await exchange.send(request, deadline)
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
        await exchange.sleep(pause)


def _may_retry(request: Request[Any], error: FleetError) -> bool:
    if error.code == "idempotent_request_in_progress":
        return True
    if not is_temporary(error):
        return False
    was_sent = error.status != 429 and not (isinstance(error, FleetUnavailable) and not error.sent)
    return request.may_retry or not was_sent


async def pages(exchange: Exchange[Any], request: Request[Page[T]]) -> AsyncGenerator[T]:
    """All records of a list, page after page."""
    while True:
        page = request.read(await call(exchange, request))
        for record in page:
            yield record
        if page.next is None:
            return
        if page.next == request.params:
            raise FleetUnavailable("the next page of the list is the same page", code="invalid_response")
        request = request.with_params(page.next)


async def ended_task(exchange: Exchange[Any], request: Request[Task], timeout: float) -> Task:
    """Waits until a task has ended, through outages too. Raises TimeoutError."""
    began = heard = time.monotonic()
    failures = 0
    while True:
        left = began + timeout - time.monotonic()
        hold = int(min(max(left, 0), _WAIT_SECONDS))
        waiting = request.with_params({"wait": str(hold)}, hold)
        try:
            task = waiting.read(await call(exchange, waiting))
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
        await exchange.sleep(min(pause, left))


async def stream(exchange: Exchange[Any], request: Request[Page[T]]) -> AsyncGenerator[T]:
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
            deadline = time.monotonic() + exchange.settings.timeout
            async with exchange.open(_streaming(request, params, last_id), deadline) as (opened, pieces):
                if opened.status == 204:
                    return
                _assert_stream(opened)
                parser = EventParser()
                async for piece in pieces:
                    failures, heard = 0, time.monotonic()
                    for event in _events(parser, piece):
                        last_id = event.id or last_id
                        # Live text of a log, which the entry that follows has.
                        if event.event != "delta":
                            yield cast("T", _data_of(event.data))
                    last_id = parser.last_id or last_id
                    if parser.retry is not None:
                        retry = min(parser.retry, _MAX_RETRY_SECONDS)
                    heard = time.monotonic()
        except FleetError as error:
            if not is_temporary(error) or time.monotonic() - heard > OUTAGE_SECONDS:
                raise
            failures += 1
            pause = retry + backoff(failures, error.retry_after)
        await exchange.sleep(pause)


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
