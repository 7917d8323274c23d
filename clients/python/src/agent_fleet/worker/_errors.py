"""The errors between a handler and its worker."""

from __future__ import annotations

from typing import Literal

AbortReason = Literal["cancelled", "lease_lost", "worker_stopped"]
DEFAULT_CODE = "handler_error"

_MESSAGES: dict[AbortReason, str] = {
    "cancelled": "the task was cancelled",
    "lease_lost": "the lease of the task was lost",
    "worker_stopped": "the worker is stopping",
}


class TaskError(Exception):
    """Raised by a handler to set the reported error. Any other error is `handler_error`, and may be retried."""

    def __init__(self, message: str, code: str = DEFAULT_CODE, retryable: bool = True) -> None:
        super().__init__(message)
        self.code = code or DEFAULT_CODE
        """1 to 128 characters, for programs."""
        self.retryable = retryable
        """Whether another attempt may help."""


class TaskAborted(Exception):
    """Raised by `Context.raise_if_cancelled`."""

    def __init__(self, reason: AbortReason) -> None:
        super().__init__(_MESSAGES[reason])
        self.reason = reason
