"""The second argument of a handler."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable

from .._request import to_json
from ..models import CostInput, UsageInput
from ._heartbeats import Progress
from ._log import Level, Stream
from ._report import AbortReason, TaskAborted, Used

_MAX_PROGRESS_MESSAGE = 1024


class Context:
    """What a handler learns of its task, and reports about it. Thread-safe."""

    def __init__(
        self,
        attempt: int,
        send_progress: Callable[[Progress], None],
        send_used: Callable[[Used], None],
        send_log: Callable[[str, Level | str | int, Stream | None], None],
        traceparent: str | None = None,
    ) -> None:
        self.attempt = attempt
        """1 for the first attempt."""
        self.traceparent = traceparent
        """W3C Trace Context of the task, for spans of the handler; None without one."""
        self._send_progress = send_progress
        self._send_used = send_used
        self._send_log = send_log
        self._aborted = threading.Event()
        self._reason: AbortReason | None = None

    @property
    def cancelled(self) -> bool:
        """Whether to stop: the task was cancelled, its lease is lost, or the worker stops."""
        return self._aborted.is_set()

    @property
    def reason(self) -> AbortReason | None:
        """Why `cancelled` is true: `cancelled`, `lease_lost` or `worker_stopped`."""
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

    def log(self, text: str, *, level: Level | str | int = "info", stream: Stream | None = None) -> None:
        """Adds an entry to the log of the task. It is sent later, and whatever happens to it, the task goes on.

        A level of another logger, such as `warning` or `logging.CRITICAL`, becomes the nearest one, and `info` without.
        """
        self._send_log(text, level, stream)

    def abort(self, reason: AbortReason) -> None:
        """Called by the worker. A lost lease is the last word."""
        if self._reason is None or reason == "lease_lost":
            self._reason = reason
        self._aborted.set()


def _clip(message: str) -> str:
    return message[:_MAX_PROGRESS_MESSAGE].encode("utf-8", "replace").decode()
