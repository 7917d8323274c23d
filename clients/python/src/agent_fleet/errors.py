"""What the client throws."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypedDict

_CODES = {304: "not_modified", 401: "unauthorized", 403: "forbidden", 404: "not_found"}
"""The codes of error bodies that have none: `{"detail": …}`."""
_MAX_RETRY_AFTER = 3600.0
_SHOWN_CHARACTERS = 300


class FieldError(TypedDict):
    """One invalid field of a request; `path` joins the keys with dots."""

    path: str
    code: str
    message: str


class FleetError(Exception):
    """The fleet refused a request. Branch on `status` and `code`; the message is for people."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        body: object = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; 0 when there was no response."""
        self.code = code or ("unavailable" if status == 0 else f"http_{status}")
        """The error code of the fleet, such as `validation_error`; `http_<status>` for a response without one."""
        self.request_id = request_id
        """Finds the request in the logs of the fleet."""
        self.retry_after = retry_after
        """Seconds."""
        self.body = body
        """The body: JSON if it was, else text."""

    @property
    def fields(self) -> list[FieldError]:
        """The invalid fields of a `validation_error`, else empty."""
        details = self.body.get("details") if isinstance(self.body, dict) else None
        fields = details.get("fields") if isinstance(details, dict) else None
        return [_to_field(field) for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []


class FleetUnavailable(FleetError):
    """No usable response: no connection, no response in time, one that is not the fleet's, or 502, 503 or 504."""

    sent = True
    """Whether the request may have reached the fleet."""


_TEMPORARY = frozenset({408, 429})


def is_temporary(error: BaseException) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, FleetUnavailable) or (isinstance(error, FleetError) and error.status in _TEMPORARY)


def to_fleet_error(status: int, headers: Mapping[str, str], content: bytes) -> FleetError:
    """The error of a response that is not a success."""
    body = _parse(content)
    known: dict[str, Any] = body if isinstance(body, dict) else {}
    code = known.get("error")
    kind = FleetUnavailable if status in (502, 503, 504) else FleetError
    error = kind(
        "",
        status=status,
        code=code if isinstance(code, str) else _CODES.get(status),
        request_id=headers.get("x-request-id"),
        retry_after=_retry_after(headers.get("retry-after")),
        body=body,
    )
    error.args = (_describe(error, known, headers),)
    return error


def _describe(error: FleetError, body: dict[str, Any], headers: Mapping[str, str]) -> str:
    # A redirect is not followed: that would send the credentials to another server.
    if error.status < 400 and error.status != 304:
        return f"redirect {error.status} to {headers.get('location', 'nowhere')}"[:_SHOWN_CHARACTERS]
    fields = ", ".join(f"{field['path']} {field['message']}" for field in error.fields)
    reason = fields or body.get("detail") or body.get("message") or body.get("error_description")
    shown = f"{error.status}: {str(reason)[:_SHOWN_CHARACTERS]}" if reason else f"status {error.status}"
    return shown if error.request_id is None else f"{shown} (request {error.request_id})"


def _to_field(field: dict[str, Any]) -> FieldError:
    return {"path": _text(field, "path"), "code": _text(field, "code"), "message": _text(field, "message")}


def _text(field: dict[str, Any], name: str) -> str:
    return str(field.get(name, ""))


def _parse(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")


def _retry_after(text: str | None) -> float | None:
    """Seconds only: a date would depend on the clock of this machine."""
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return min(max(seconds, 0.0), _MAX_RETRY_AFTER) if math.isfinite(seconds) else None
