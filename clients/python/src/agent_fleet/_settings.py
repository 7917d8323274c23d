"""The options of a client."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from ._version import __version__

TokenSource = TypeVar("TokenSource", bound=Callable[[], object])
SyncToken = Callable[[], str]
AnyToken = Callable[[], str | Awaitable[str]]

_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


@dataclass(frozen=True, repr=False)
class Settings(Generic[TokenSource]):
    url: str
    api_key: str | None
    token: str | TokenSource | None
    timeout: float
    retries: int
    user_agent: str

    @property
    def has_credentials(self) -> bool:
        return self.api_key is not None or self.token is not None


def to_settings(
    url: str | None,
    api_key: str | None,
    token: str | TokenSource | None,
    timeout: float,
    retries: int,
    user_agent: str | None,
) -> Settings[TokenSource]:
    """Validates the options and adds all defaults.

    The environment has a say only where nothing is given: `FLEET_URL`, and `FLEET_API_KEY` and `FLEET_TOKEN` if neither
    an API key nor a token is given.
    """
    if api_key is None and token is None:
        api_key, token = os.environ.get("FLEET_API_KEY") or None, os.environ.get("FLEET_TOKEN") or None
    if not timeout > 0:
        raise ValueError("timeout must be greater than 0")
    if not 0 <= retries <= 10:
        raise ValueError("retries must be from 0 to 10")
    return Settings(
        url=_to_base_url(url or os.environ.get("FLEET_URL")),
        api_key=None if api_key is None else header_value("api_key", api_key),
        token=header_value("token", token) if isinstance(token, str) else token,
        timeout=timeout,
        retries=retries,
        user_agent=header_value("user_agent", user_agent or f"agent-fleet-python/{__version__}"),
    )


def header_value(name: str, value: str) -> str:
    """Returns the value; otherwise the mistake would look like an unavailable fleet."""
    if not _HEADER_VALUE.fullmatch(value):
        raise ValueError(f"{name} is empty or has characters that are not allowed in a header")
    return value


def _to_base_url(text: str | None) -> str:
    if not text:
        raise ValueError("url or FLEET_URL must be set, such as http://localhost:8080")
    problem = f"url must be like http://localhost:8080, not {text}"
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError as error:
        raise ValueError(problem) from error
    if "@" in parts.netloc:
        raise ValueError("url must not have credentials; set api_key or token")
    if parts.scheme not in ("http", "https") or not parts.hostname or not has_port or re.search(r"[\x00-\x20]", text):
        raise ValueError(problem)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
