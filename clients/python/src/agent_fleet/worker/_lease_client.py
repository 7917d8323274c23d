"""The requests of the lease protocol, with the deadlines and retries of a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from .._flows import backoff
from .._request import Request
from ..errors import FleetError, is_temporary
from ..fleet import AsyncFleet
from ..models import HeartbeatAnswer, Lease, ProgressInput, Task
from ._availability import Availability
from ._report import Report, Used
from ._trace import trace_headers

T = TypeVar("T")


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

    async def heartbeat(
        self, lease: Lease, progress: tuple[float | None, str | None] | None, used: Used
    ) -> HeartbeatAnswer:
        request = self._heartbeat_fleet.heartbeat_lease.request
        if progress is None:
            return await self._send_about(
                lease, self._heartbeat_fleet, request(lease["id"], token=lease["token"], **used)
            )
        percent, message = progress
        shown: ProgressInput = {"percent": percent, "message": message}
        described = request(lease["id"], token=lease["token"], progress=shown, **used)
        return await self._send_about(lease, self._heartbeat_fleet, described)

    async def report(self, lease: Lease, report: Report, used: Used) -> None:
        described: Request[Task] = self.fleet.put_lease_result.request(
            lease["id"], token=lease["token"], status=report.status
        )
        await self._send_about(lease, self.fleet, described.with_content(report.body(lease["token"], used)))

    async def release(self, lease: Lease) -> None:
        await self._send_about(lease, self.fleet, self.fleet.release_lease.request(lease["id"], token=lease["token"]))

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
