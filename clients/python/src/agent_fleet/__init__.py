"""The Python client of a fleet of AI agents, and a library for workers."""

from . import models
from ._request import Page, Reply, Request
from ._version import __version__
from .errors import FieldError, FleetError, FleetUnavailable
from .fleet import AsyncFleet, Fleet
from .worker import Context, InboxMessage, TaskAborted, TaskError, Worker

__all__ = [
    "AsyncFleet",
    "Context",
    "FieldError",
    "Fleet",
    "FleetError",
    "FleetUnavailable",
    "InboxMessage",
    "Page",
    "Reply",
    "Request",
    "TaskAborted",
    "TaskError",
    "Worker",
    "__version__",
    "models",
]
