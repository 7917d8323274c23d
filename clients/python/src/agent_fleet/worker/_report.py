"""How a task ends: the errors between a handler and its worker, and the body of `PUT /leases/{lease_id}/result`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from .._request import to_json
from ..errors import FleetError
from ..models import CostInput, UsageInput

AbortReason = Literal["cancelled", "lease_lost", "worker_stopped", "suspended"]
DEFAULT_CODE = "handler_error"

_MESSAGES: dict[AbortReason, str] = {
    "cancelled": "the task was cancelled",
    "lease_lost": "the lease of the task was lost",
    "worker_stopped": "the worker is stopping",
    "suspended": "the task waits for a person",
}
MAX_RESULT_BYTES = 1024 * 1024
"""Limit of the fleet, as UTF-8 JSON text."""
_MAX_CODE = 128
_MAX_MESSAGE = 8192
_SHOWN_CHARACTERS = 200


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


class Used(TypedDict, total=False):
    """What an attempt has used so far, without what is not known."""

    usage: UsageInput
    cost: CostInput
    model: str


HeartbeatField = tuple[str, object]
"""A field that goes with a heartbeat: `progress`, `usage`, `cost` or `model`."""


@dataclass(frozen=True, slots=True)
class Report:
    status: Literal["completed", "failed", "cancelled"]
    summary: str
    """For the log."""
    detail: bytes = b""
    """The rest of the body: `"result":…` or `"error":…`."""

    def body(self, token: str, used: Used) -> bytes:
        """Without another encoding of the result, which may be large."""
        fields = to_json({"token": token, "status": self.status, **used})[1:-1]
        return b"{" + b",".join([fields, self.detail] if self.detail else [fields]) + b"}"


def completed(value: object) -> Report:
    """The report of a returned value; a final failure if it cannot be sent."""
    try:
        text = to_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        return _unusable("invalid_result", f"The result is not valid JSON: {message_of(error)}")
    if len(text) > MAX_RESULT_BYTES:
        return _too_large(f"{len(text)} bytes as JSON")
    return Report("completed", "completed", b'"result":' + text)


def failed(raised: BaseException) -> Report:
    """The report of a raised error."""
    if isinstance(raised, TaskError):
        return _failure(raised.code, message_of(raised), raised.retryable)
    name, message = type(raised).__name__, message_of(raised)
    return _failure(DEFAULT_CODE, message if message == name else f"{name}: {message}", True)


def cancelled() -> Report:
    return Report("cancelled", "cancelled")


def refused(error: FleetError) -> Report:
    """The report in place of a result that the fleet refused."""
    if error.status == 413:
        return _too_large(str(error))
    return _unusable("invalid_result", f"The fleet refused the result: {error}")


def message_of(error: BaseException) -> str:
    """The message of any error."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def _too_large(size: str) -> Report:
    return _unusable("result_too_large", f"The result is larger than 1 MiB: {size}")


def _unusable(code: str, message: str) -> Report:
    return _failure(code, message, False)


def _failure(code: str, message: str, retryable: bool) -> Report:
    error = {
        "code": _clip(code, _MAX_CODE) or DEFAULT_CODE,
        "message": _clip(message, _MAX_MESSAGE),
        "retryable": bool(retryable),
    }
    line = " ".join(message.split())[:_SHOWN_CHARACTERS]
    return Report("failed", f"failed, {error['code']}: {line}", b'"error":' + to_json(error))


def _clip(text: object, characters: int) -> str:
    """The beginning of a text, without halves of surrogate pairs."""
    return str(text)[:characters].encode("utf-8", "replace").decode()
