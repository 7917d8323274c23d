"""Sends what handlers log to the fleet."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, get_args

from .._flows import backoff
from .._request import Request, to_json
from ..errors import FleetError
from ..fleet import AsyncFleet
from ..models import Lease, LogEntryInput
from ._lease_client import is_lease_lost, is_outage, is_unauthorized, logger, trace_headers
from ._threadsafe_event import ThreadsafeEvent

Level = Literal["debug", "info", "warn", "error"]
Stream = Literal["stdout", "stderr", "agent", "system"]
EntryType = Literal["log", "text", "thinking", "tool_call", "tool_result", "file_edit", "plan", "usage", "session"]

_LEVELS: tuple[tuple[Level, tuple[str, ...]], ...] = (
    ("error", ("err", "crit", "fatal", "alert", "emerg", "panic", "severe")),
    ("warn", ("warn",)),
    ("debug", ("debug", "trace", "verbose", "silly", "fine", "notset")),
)
"""The beginnings of names that other loggers have for the levels that are not `info`."""
_MAX_TEXT_BYTES = 16_384
_MAX_CUT_BYTES = 8_192
"""Of the output of a tool, and a diff."""
_MAX_ENTRIES_PER_TEXT = 64
_MAX_ENTRIES = 2_000
_MAX_BYTES = 2 * 1024 * 1024
_BATCH_ENTRIES = 100
_BATCH_BYTES = 512 * 1024
_GATHER_SECONDS = 0.5
_CATCH_UP_SECONDS = 1.0
_CHECK_SECONDS = 0.02
_DRAIN_SECONDS = 10.0
_STOPPING_DRAIN_SECONDS = 1.0


class Sized(NamedTuple):
    entry: LogEntryInput
    bytes: int
    """As JSON."""
    is_note: bool = False
    """Stands for a refused entry."""


class TaskLog:
    """The entries of one task that are not sent yet. When they are too many, the oldest go and one entry says so.

    A refused batch is halved until the entry is alone that is the cause.
    """

    def __init__(self, fleet: AsyncFleet, lease: Lease) -> None:
        self._fleet = fleet
        self._lease = lease
        self._is_lost = False
        self._entries: deque[Sized] = deque()
        self._bytes = 0
        self._dropped = 0
        self._max_entries = _BATCH_ENTRIES
        self._lock = threading.Lock()
        self._added = ThreadsafeEvent()
        self._is_sending = False

    def add(
        self,
        text: str,
        level: Level | str | int,
        stream: Stream | None,
        type: EntryType = "log",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Thread-safe. Raises TypeError or ValueError for data that is not JSON."""
        if not self._is_lost:
            for entry in _to_entries(text, level, stream):
                if data is not None:
                    entry["data"] = _cut(data)
                if type != "log":
                    entry["type"] = type
                self._put(Sized(entry, len(to_json(entry))))
            self._added.set()

    def _put(self, entry: Sized) -> None:
        with self._lock:
            self._entries.append(entry)
            self._bytes += entry.bytes
            while len(self._entries) > _MAX_ENTRIES or self._bytes > _MAX_BYTES:
                self._bytes -= self._entries.popleft().bytes
                self._dropped += 1

    async def run(self) -> None:
        """Sends entries as they come, until it is cancelled."""
        while True:
            await self._added.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            self._added.clear()
            await self._flush()

    async def catch_up(self) -> None:
        """Waits until all is sent, for a limited time: a question comes after what was said before it."""
        end = time.monotonic() + _CATCH_UP_SECONDS
        while (self._entries or self._is_sending) and time.monotonic() < end:
            await asyncio.sleep(_CHECK_SECONDS)

    async def drain(self, *, is_stopping: bool) -> None:
        """Sends what is left, for a limited time: before the task ends, as the lease ends with it."""
        try:
            async with asyncio.timeout(_STOPPING_DRAIN_SECONDS if is_stopping else _DRAIN_SECONDS):
                await self._flush()
        except TimeoutError:
            logger.warning("Task %s: failed to send %d log entries", self._lease["task"]["id"], len(self._entries))

    async def _flush(self) -> None:
        self._is_sending = True
        try:
            await self._send()
        finally:
            self._is_sending = False

    async def _send(self) -> None:
        failures = 0
        while self._entries:
            batch = self._next_batch()
            try:
                await self._fleet.send(self._request([sized.entry for sized in batch]))
                failures = 0
                self._max_entries = min(2 * self._max_entries, _BATCH_ENTRIES)
            except FleetError as error:
                if is_lease_lost(error):
                    self._lose()
                elif is_unauthorized(error):
                    # They may be replaced. It goes with the next entry, or before the task ends.
                    self._put_back(batch)
                    return
                elif is_outage(error):
                    failures += 1
                    self._put_back(batch)
                    await asyncio.sleep(backoff(failures, error.retry_after))
                else:
                    self._refused(batch, error)
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
                batch.append(Sized(_system_entry(text), 0))
                self._dropped = 0
            while self._entries and len(batch) < self._max_entries and size + self._entries[0].bytes <= _BATCH_BYTES:
                entry = self._entries.popleft()
                size += entry.bytes
                batch.append(entry)
            self._bytes -= size
        return batch

    def _put_back(self, batch: list[Sized]) -> None:
        with self._lock:
            self._entries.extendleft(reversed(batch))
            self._bytes += sum(sized.bytes for sized in batch)

    def _refused(self, batch: list[Sized], error: FleetError) -> None:
        self._max_entries = max(len(batch) // 2, 1)
        if len(batch) > 1:
            self._put_back(batch)
        elif not batch[0].is_note:
            logger.warning("Task %s: a log entry was refused: %s", self._lease["task"]["id"], error)
            self._put_back([Sized(_system_entry(f"A log entry was refused: {error}"), 0, is_note=True)])

    def _lose(self) -> None:
        self._is_lost = True
        with self._lock:
            self._entries.clear()
            self._bytes = 0


def _to_entries(text: object, level: Level | str | int, stream: Stream | None) -> Iterator[LogEntryInput]:
    """Splits a text that is longer than an entry may be, between characters."""
    rest = str(text).encode("utf-8", "replace")
    at, nearest = _now(), _to_level(level)
    for _ in range(_MAX_ENTRIES_PER_TEXT):
        piece = rest[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
        rest = rest[len(piece.encode()) :]
        entry: LogEntryInput = {"at": at, "level": nearest, "text": piece}
        if stream in get_args(Stream):
            entry["stream"] = stream
        yield entry
        if not rest:
            return


def _cut(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with the head and the tail of a long `output` or `diff`."""
    copy: dict[str, Any] = json.loads(to_json(data))
    for name in ("output", "diff"):
        if isinstance(text := copy.get(name), str) and len(whole := text.encode("utf-8", "replace")) > _MAX_CUT_BYTES:
            half = _MAX_CUT_BYTES // 2 - 4
            ends = (whole[:half].decode("utf-8", "ignore"), whole[-half:].decode("utf-8", "ignore"))
            copy |= {name: "\n…\n".join(ends), "bytes": len(whole), "truncated": True}
    return copy


def _to_level(level: object) -> Level:
    name = (logging.getLevelName(level) if isinstance(level, int) else str(level)).lower()
    for known, names in _LEVELS:
        if name.startswith(names):
            return known
    return "info"


def _system_entry(text: str) -> LogEntryInput:
    return {"at": _now(), "level": "warn", "stream": "system", "text": text}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
