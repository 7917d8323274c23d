"""The trace context of a task, as its attempt passes it on."""

from __future__ import annotations

import hashlib
import re

from ..models import Lease, Task

_TRACEPARENT = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
"""W3C Trace Context; ids of zeros are invalid."""


def traceparent_of(task: Task) -> str | None:
    """The `traceparent` of the request that created a task; None without one, as of an earlier fleet."""
    value = task.get("traceparent")
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


def trace_headers(lease: Lease) -> dict[str, str]:
    """The headers of all requests about a lease: the trace of its task, with a span id of the attempt."""
    value = traceparent_of(lease["task"])
    if value is None:
        return {}
    span = hashlib.sha256(lease["id"].encode()).hexdigest()[:16]
    return {"traceparent": f"{value[:36]}{span}{value[52:]}"}
