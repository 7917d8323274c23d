"""Sends what handlers log to the fleet."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Literal

from .._flows import backoff
from .._request import Request, to_json
from ..errors import FleetError
from ..fleet import AsyncFleet
from ..models import Lease, LogEntryInput
from ._lease_client import is_lease_lost, is_outage, logger, trace_headers
from ._threadsafe_event import ThreadsafeEvent

Level = Literal["debug", "info", "warn", "error"]
Stream = Literal["stdout", "stderr", "agent", "system"]

_MAX_TEXT_BYTES = 16_384
_MAX_ENTRIES_PER_TEXT = 64
_MAX_ENTRIES = 2_000
_MAX_BYTES = 2 * 1024 * 1024
_BATCH_ENTRIES = 100
_BATCH_BYTES = 512 * 1024
_GATHER_SECONDS = 0.5
_DRAIN_SECONDS = 10.0
_STOPPING_DRAIN_SECONDS = 1.0


Sized = tuple[LogEntryInput, int]
"""An entry with its bytes as JSON."""


class TaskLog:
    """The entries of one task that are not sent yet. When they are too many, the oldest go and one entry says so."""

    def __init__(self, fleet: AsyncFleet, lease: Lease) -> None:
        self._fleet = fleet
        self._lease = lease
        self._is_lost = False
        self._entries: deque[Sized] = deque()
        self._bytes = 0
        self._dropped = 0
        self._lock = threading.Lock()
        self._added = ThreadsafeEvent()

    def add(self, text: str, level: Level, stream: Stream | None) -> None:
        """Thread-safe."""
        if not self._is_lost:
            for entry in _to_entries(text, level, stream):
                self._put((entry, len(to_json(entry))))
            self._added.set()

    def _put(self, entry: Sized) -> None:
        with self._lock:
            self._entries.append(entry)
            self._bytes += entry[1]
            while len(self._entries) > _MAX_ENTRIES or self._bytes > _MAX_BYTES:
                self._bytes -= self._entries.popleft()[1]
                self._dropped += 1

    async def run(self) -> None:
        """Sends entries as they come, until it is cancelled."""
        while True:
            await self._added.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            self._added.clear()
            await self._flush()

    async def drain(self, *, is_stopping: bool) -> None:
        """Sends what is left, for a limited time: before the task ends, as the lease ends with it."""
        try:
            async with asyncio.timeout(_STOPPING_DRAIN_SECONDS if is_stopping else _DRAIN_SECONDS):
                await self._flush()
        except TimeoutError:
            logger.warning("Task %s: failed to send %d log entries", self._lease["task"]["id"], len(self._entries))

    async def _flush(self) -> None:
        failures = 0
        while self._entries:
            batch = self._next_batch()
            try:
                await self._fleet.send(self._request([entry for entry, _ in batch]))
                failures = 0
            except FleetError as error:
                if is_outage(error):
                    failures += 1
                    self._put_back(batch)
                    await asyncio.sleep(backoff(failures, error.retry_after))
                else:
                    self._refused(error)
            except asyncio.CancelledError:
                self._put_back(batch)
                raise

    def _request(self, entries: list[LogEntryInput]) -> Request[None]:
        request = self._fleet.add_log_entries.request(self._lease["id"], token=self._lease["token"], entries=entries)
        return request.with_headers(trace_headers(self._lease))

    def _next_batch(self) -> list[Sized]:
        batch: list[Sized] = []
        size = 0
        with self._lock:
            if self._dropped > 0:
                text = f"{self._dropped} earlier entries were dropped by the worker"
                batch.append(({"at": _now(), "level": "warn", "stream": "system", "text": text}, 0))
                self._dropped = 0
            while self._entries and len(batch) < _BATCH_ENTRIES and size + self._entries[0][1] <= _BATCH_BYTES:
                entry = self._entries.popleft()
                size += entry[1]
                batch.append(entry)
            self._bytes -= size
        return batch

    def _put_back(self, batch: list[Sized]) -> None:
        with self._lock:
            self._entries.extendleft(reversed(batch))
            self._bytes += sum(size for _, size in batch)

    def _refused(self, error: FleetError) -> None:
        self._is_lost = is_lease_lost(error)
        logger.warning("Task %s: log entries refused: %s", self._lease["task"]["id"], error)
        with self._lock:
            self._entries.clear()
            self._bytes = 0


def _to_entries(text: str, level: Level, stream: Stream | None) -> Iterator[LogEntryInput]:
    """Splits a text that is longer than an entry may be, between characters."""
    rest = text.encode("utf-8", "replace")
    at = _now()
    for _ in range(_MAX_ENTRIES_PER_TEXT):
        piece = rest[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
        rest = rest[len(piece.encode()) :]
        entry: LogEntryInput = {"at": at, "level": level, "text": piece}
        if stream is not None:
            entry["stream"] = stream
        yield entry
        if not rest:
            return


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
