"""Keeps leases alive."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

from .._flows import backoff
from ..errors import FleetError
from ..models import Lease
from ._lease_client import LeaseClient, is_lease_lost, is_outage, is_unauthorized
from ._report import HeartbeatField, Used
from ._threadsafe_event import ThreadsafeEvent

_MAX_INTERVAL = 15.0
"""A lease may be long to outlive an outage, but a cancellation should arrive soon."""
_MIN_INTERVAL = 0.1
_PROGRESS_SECONDS = 2.0
_MAX_UNSENT = 8
"""Of each field: older ones count only if the fleet refuses the newer."""

Progress = tuple[float | None, str | None]


class Heartbeats:
    """Keeps one lease alive until `run` is cancelled or the fleet reports it lost."""

    def __init__(
        self,
        client: LeaseClient,
        lease: Lease,
        *,
        expiry: float | None,
        on_cancel: Callable[[], None],
        on_lost: Callable[[], None],
        on_refused: Callable[[str, FleetError], None],
    ) -> None:
        """`expiry`: after so many seconds without a response the lease counts as lost, by this machine's clock.
        `on_refused` is called when the fleet refuses a field that goes with a heartbeat.
        """
        self._client = client
        self._lease = lease
        self._expiry = expiry
        self._on_cancel = on_cancel
        self._on_lost = on_lost
        self._on_refused = on_refused
        self._interval = max(_MIN_INTERVAL, min(lease["heartbeat_interval_seconds"], _MAX_INTERVAL))
        self._last = time.monotonic()
        self._next = self._last + self._interval
        self._expires = None if expiry is None else self._last + expiry
        self._failures = 0
        # Fields that the fleet has not taken, oldest first.
        self._unsent: list[HeartbeatField] = []
        # Whether they go one by one, the newest first, to find the one that the fleet refuses.
        self._one_by_one = False
        self._lock = threading.Lock()
        self._changed = ThreadsafeEvent()

    def progress(self, progress: Progress) -> None:
        """Sent with the next heartbeat, which comes early but at least 2 s after the last one. Thread-safe."""
        with self._lock:
            self._unsent = [field for field in self._unsent if field[0] != "progress"]
            self._unsent.append(("progress", {"percent": progress[0], "message": progress[1]}))
        self._changed.set()

    def used(self, used: Used) -> None:
        """Sent with the next heartbeat. Thread-safe."""
        with self._lock:
            for field in used.items():
                self._unsent.append(field)
                same = [unsent for unsent in self._unsent if unsent[0] == field[0]]
                if len(same) > _MAX_UNSENT:
                    self._remove(same[:1])

    def unsent_used(self) -> list[HeartbeatField]:
        """What the fleet has not taken of what was used, oldest first."""
        with self._lock:
            return [field for field in self._unsent if field[0] != "progress"]

    def _remove(self, settled: list[HeartbeatField]) -> None:
        self._unsent = [field for field in self._unsent if not any(field is one for one in settled)]

    async def run(self) -> None:
        while True:
            self._changed.clear()
            now, due = time.monotonic(), self._due()
            if self._expires is not None and now >= self._expires:
                return self._on_lost()
            if now < due:
                await self._wait(min(due, self._expires or due) - now)
            elif not await self._beat():
                return self._on_lost()

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            pass

    async def _beat(self) -> bool:
        """Returns False when the lease is lost."""
        with self._lock:
            before = list(self._unsent)
        sent = before[-1:] if self._one_by_one else before
        content = dict(sent)
        self._last = time.monotonic()
        try:
            async with asyncio.timeout_at(self._expires_at()):
                answer = await self._client.heartbeat(self._lease, content)
        except TimeoutError:
            return False
        except FleetError as error:
            if is_lease_lost(error):
                return False
            self._next = time.monotonic() + self._delay_after(error, sent)
            return True
        self._failures = 0
        with self._lock:
            self._remove([field for field in before if field[0] in content])
            self._one_by_one = self._one_by_one and bool(self._unsent)
        # The fleet extends the lease when it receives the request, so never before it was sent.
        self._expires = None if self._expiry is None else self._last + self._expiry
        self._next = self._last + (0 if self._one_by_one else self._interval)
        if answer.get("cancel_requested") is True:
            self._on_cancel()
        return True

    def _expires_at(self) -> float | None:
        if self._expires is None:
            return None
        return asyncio.get_running_loop().time() + max(self._expires - time.monotonic(), 0)

    def _delay_after(self, error: FleetError, sent: list[HeartbeatField]) -> float:
        self._failures += 1
        if sent and not is_outage(error) and not is_unauthorized(error):
            self._one_by_one = True
            if len(sent) == 1:
                self._on_refused(sent[0][0], error)
                with self._lock:
                    self._remove(sent)
            return 0
        return min(backoff(self._failures, error.retry_after), self._interval) if is_outage(error) else self._interval

    def _due(self) -> float:
        if self._failures > 0 or not any(name == "progress" for name, _ in list(self._unsent)):
            return self._next
        return min(self._next, self._last + _PROGRESS_SECONDS)
