"""The requests of the lease protocol, their trace, their repetition, and the log of outages."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from .._flows import backoff
from .._request import Request
from ..errors import FleetError, is_temporary
from ..fleet import AsyncFleet
from ..models import HeartbeatAnswer, Lease, Task
from ._report import Report, Used

T = TypeVar("T")

logger = logging.getLogger("agent_fleet.worker")
_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
"""W3C Trace Context; ids of zeros are invalid."""


class Availability:
    """Logs each outage of the fleet twice: when it begins and when it ends."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._since: float | None = None

    def unavailable(self, reason: object) -> None:
        if self._since is None:
            self._since = time.monotonic()
            logger.warning("The fleet at %s is unavailable (%s); retrying", self._url, reason)

    def available(self) -> None:
        if self._since is not None:
            logger.info("The fleet is available again after %.1f s", time.monotonic() - self._since)
            self._since = None


def traceparent_of(task: Task) -> str | None:
    """The `traceparent` of the request that created a task; None without one."""
    value = task.get("traceparent")
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


def trace_headers(lease: Lease) -> dict[str, str]:
    """The headers of all requests about a lease: the trace of its task, with a span id of the attempt."""
    value = traceparent_of(lease["task"])
    if value is None:
        return {}
    span = hashlib.sha256(lease["id"].encode()).hexdigest()[:16]
    return {"traceparent": f"{value[:36]}{span}{value[52:]}"}


def is_outage(error: BaseException) -> bool:
    """Whether to try again later: there was no usable response, or one of an overloaded or failing fleet."""
    return is_temporary(error) or (isinstance(error, FleetError) and error.status >= 500)


def is_lease_lost(error: BaseException) -> bool:
    """Whether the fleet reports the end of a lease: 409 `lease_lost`, or 404 when its task was deleted."""
    return isinstance(error, FleetError) and error.status in (404, 409)


def is_unauthorized(error: BaseException) -> bool:
    """Whether the fleet refused the credentials, which may be replaced while the worker runs."""
    return isinstance(error, FleetError) and error.status in (401, 403)


async def retry(send: Callable[[], Awaitable[T]], may_retry: Callable[[BaseException], bool] = is_outage) -> T:
    """Repeats a request at random intervals; the caller bounds it by cancellation."""
    failures = 0
    while True:
        try:
            return await send()
        except FleetError as error:
            if not may_retry(error):
                raise
            failures += 1
            pause = backoff(failures, error.retry_after)
        await asyncio.sleep(pause)


class LeaseClient:
    """Sends each request once. Heartbeats have a client of their own: a large report must not delay them."""

    def __init__(self, fleet: AsyncFleet, heartbeat_fleet: AsyncFleet, availability: Availability) -> None:
        self.fleet = fleet
        self._heartbeat_fleet = heartbeat_fleet
        self._availability = availability

    async def lease(self, request: Request[list[Lease]]) -> list[Lease]:
        return await self._send(self.fleet, request)

    async def heartbeat(self, lease: Lease, content: Mapping[str, Any]) -> HeartbeatAnswer:
        described = self._heartbeat_fleet.heartbeat_lease.request(lease["id"], token=lease["token"], **content)
        return await self._send_about(lease, self._heartbeat_fleet, described)

    async def report(self, lease: Lease, report: Report, used: Used) -> None:
        described: Request[Task] = self.fleet.put_lease_result.request(
            lease["id"], token=lease["token"], status=report.status
        )
        await self._send_about(lease, self.fleet, described.with_content(report.body(lease["token"], used)))

    async def release(self, lease: Lease) -> None:
        await self._send_about(lease, self.fleet, self.fleet.release_lease.request(lease["id"], token=lease["token"]))

    async def send(self, lease: Lease, request: Request[T]) -> T:
        return await self._send_about(lease, self.fleet, request)

    async def _send_about(self, lease: Lease, fleet: AsyncFleet, request: Request[T]) -> T:
        return await self._send(fleet, request.with_headers(trace_headers(lease)))

    async def _send(self, fleet: AsyncFleet, request: Request[T]) -> T:
        try:
            reply = await fleet.send(request)
        except FleetError as error:
            if is_outage(error):
                self._availability.unavailable(error)
            else:
                self._availability.available()
            raise
        self._availability.available()
        return reply.data
