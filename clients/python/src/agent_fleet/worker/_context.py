"""The second argument of a handler."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from .._request import to_json
from ..models import CostInput, Definition, InputAnswer, LeaseDependency, UsageInput
from ._conversation import Ask, Conversation, InboxMessage
from ._heartbeats import Progress
from ._log import EntryType, Level, Stream
from ._report import AbortReason, TaskAborted, Used

_MAX_PROGRESS_MESSAGE = 1024
_MAX_STATE_BYTES = 65_536


class Context:
    """What a handler learns of its task, and reports about it. Thread-safe."""

    def __init__(
        self,
        attempt: int,
        send_progress: Callable[[Progress], None],
        send_used: Callable[[Used], None],
        send_log: Callable[[str, Level | str | int, Stream | None, EntryType, Mapping[str, Any] | None], None],
        conversation: Conversation,
        traceparent: str | None = None,
        definition: Definition | None = None,
        dependencies: Sequence[LeaseDependency] = (),
    ) -> None:
        self.attempt = attempt
        """1 for the first attempt."""
        self.traceparent = traceparent
        """W3C Trace Context of the task, for spans of the handler; None without one."""
        self.definition = definition
        """Of the agent, with what the task gives itself; None without one."""
        self.dependencies = list(dependencies)
        """What the task comes after, with the results that the fleet has sent."""
        self._send_progress = send_progress
        self._send_used = send_used
        self._send_log = send_log
        self._conversation = conversation
        self.answers = dict(conversation.answers)
        """What was answered since the attempt that was suspended, by the keys of the requests."""
        self._aborted = threading.Event()
        self._reason: AbortReason | None = None

    @property
    def cancelled(self) -> bool:
        """Whether to stop: the task was cancelled, its lease is lost, or the worker stops."""
        return self._aborted.is_set()

    @property
    def reason(self) -> AbortReason | None:
        """Why `cancelled` is true: `cancelled`, `lease_lost`, `worker_stopped` or `suspended`."""
        return self._reason

    def raise_if_cancelled(self) -> None:
        """Raises TaskAborted."""
        if self._reason is not None:
            raise TaskAborted(self._reason)

    def wait(self, seconds: float | None = None) -> bool:
        """Blocks until the task is cancelled or the time has passed; returns `cancelled`."""
        return self._aborted.wait(seconds)

    def progress(self, percent: float | None, message: str | None = None) -> None:
        """Reports progress to the fleet within two seconds; only the latest is sent. `percent` is 0 to 100."""
        known = percent is not None and math.isfinite(percent)
        shown = None if message is None else _clip(message)
        self._send_progress((min(max(percent, 0), 100) if known and percent is not None else None, shown or None))

    def used(self, *, usage: UsageInput | None = None, cost: CostInput | None = None, model: str | None = None) -> None:
        """Reports what the attempt has used so far, with the next heartbeat and with its end, whichever end that is.

        What is None stays as it was. Raises TypeError or ValueError for what is not JSON.
        """
        named = {"usage": usage, "cost": cost, "model": model}
        known = {name: value for name, value in named.items() if value is not None}
        # A copy: the handler may go on counting in its own.
        self._send_used(json.loads(to_json(known)))

    @property
    def state(self) -> Any:
        """Any JSON, for the next attempt if this one is suspended; at the beginning that of the one before."""
        return self._conversation.state

    @state.setter
    def state(self, value: object) -> None:
        """Raises TypeError or ValueError for what is not JSON, or has more than 64 KiB."""
        text = to_json(value)
        if len(text) > _MAX_STATE_BYTES:
            raise ValueError("the state must not be larger than 64 KiB")
        self._conversation.state = json.loads(text)

    async def ask(self, key: str, **ask: Unpack[Ask]) -> InputAnswer | None:
        """Asks people, and waits for the answer: None if the request was withdrawn.

        `key` names the question in the task: asked again, in another attempt too, it is the same request. The handler
        must accept `input`. While it waits, it may be suspended: it is cancelled, and called again with `answers`.
        """
        return await asyncio.wrap_future(self._conversation.submit(self._conversation.ask(key, ask)))

    def ask_sync(self, key: str, **ask: Unpack[Ask]) -> InputAnswer | None:
        """As `ask`, for a handler in a thread. Raises TaskAborted when it is suspended."""
        return self._conversation.submit(self._conversation.ask(key, ask)).result()

    async def messages(self, seconds: float | None = None) -> AsyncIterator[InboxMessage]:
        """What people say to the task, as it comes; ends when so many seconds have passed without a message.

        The handler must accept `messages`.
        """
        take = self._conversation.next_message
        while message := await asyncio.wrap_future(self._conversation.submit(take(seconds))):
            yield message

    def messages_sync(self, seconds: float | None = None) -> Iterator[InboxMessage]:
        """As `messages`, for a handler in a thread. Raises TaskAborted."""
        take = self._conversation.next_message
        while message := self._conversation.submit(take(seconds)).result():
            yield message

    def log(
        self,
        text: str = "",
        *,
        level: Level | str | int = "info",
        stream: Stream | None = None,
        type: EntryType = "log",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds an entry to the log of the task. It is sent later, and whatever happens to it, the task goes on.

        An entry of another `type` than `log` has the fields of the type in `data`, such as `markdown` of a `text`.
        A level of another logger, such as `warning` or `logging.CRITICAL`, becomes the nearest one, and `info` without.
        """
        self._send_log(text, level, stream, type, data)

    def abort(self, reason: AbortReason) -> None:
        """Called by the worker. A lost lease is the last word."""
        if self._reason is None or (reason == "lease_lost" and self._reason != "suspended"):
            self._reason = reason
        self._aborted.set()


def _clip(message: str) -> str:
    return message[:_MAX_PROGRESS_MESSAGE].encode("utf-8", "replace").decode()
