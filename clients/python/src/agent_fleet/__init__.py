"""The Python client of a fleet of AI agents, and a library for workers."""

from . import models
from ._request import Page, Reply, Request
from ._version import __version__
from .errors import FieldError, FleetError, FleetUnavailable
from .fleet import AsyncFleet, Fleet

__all__ = [
    "AsyncFleet",
    "FieldError",
    "Fleet",
    "FleetError",
    "FleetUnavailable",
    "Page",
    "Reply",
    "Request",
    "__version__",
    "models",
]
