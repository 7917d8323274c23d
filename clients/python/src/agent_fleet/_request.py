"""Requests and responses as values: what both clients send and read, without any input or output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import httpx

from ._settings import header_value
from .errors import FleetUnavailable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Response:
    """A response with its whole body."""

    status: int
    headers: httpx.Headers
    content: bytes = field(repr=False)


class Page(list[T]):
    """One page of a list."""

    total: int | None = None
    """The records of the whole list, if the fleet counts them."""
    next: dict[str, str] | None = None
    """The query of the next page; None at the end."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A response: its data and what else was said."""

    data: T
    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """Give it as `if_match` to change only this version."""
        return self.headers.get("etag")

    @property
    def request_id(self) -> str | None:
        """Finds the request in the logs of the fleet."""
        return self.headers.get("x-request-id")


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request to the fleet, and how its response is read."""

    method: str
    path: str
    read: Callable[[Response], T]
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    content: bytes | None = field(default=None, repr=False)
    hold_seconds: float = 0
    """How long the fleet is asked to hold the response, on top of the timeout."""

    @property
    def may_retry(self) -> bool:
        """Whether the request is idempotent; with `If-Match` the fleet would refuse the second one."""
        return "idempotency-key" in self.headers or not (self.method == "POST" or "if-match" in self.headers)

    def with_params(self, params: dict[str, str], hold_seconds: float = 0) -> Request[T]:
        return replace(self, params=params, hold_seconds=hold_seconds)

    def with_headers(self, headers: Mapping[str, str]) -> Request[T]:
        return replace(self, headers={**self.headers, **headers})

    def with_content(self, content: bytes) -> Request[T]:
        return replace(self, content=content)

    def to_reply(self, response: Response) -> Reply[T]:
        return Reply(self.read(response), response.status, response.headers)


def to_request(
    method: str,
    path: str,
    read: Callable[[Response], T],
    *,
    query: Mapping[str, object] | None = None,
    body: object = None,
    headers: Mapping[str, str | None] | None = None,
    hold_seconds: float = 0,
) -> Request[T]:
    """Describes a request. Parameters and headers that are None are left out, and so is a body that is None."""
    named = {name: header_value(name, value) for name, value in (headers or {}).items() if value is not None}
    if body is not None:
        named["content-type"] = "application/json"
    return Request(
        method,
        path,
        read,
        params={name: _to_text(value) for name, value in (query or {}).items() if value is not None},
        headers=named,
        content=None if body is None else to_json(body),
        hold_seconds=hold_seconds,
    )


def path_of(template: str, *ids: str) -> str:
    """Fills the `{}` of a path. An id is opaque: whatever it is, it stays one segment."""
    for name in ids:
        if name == "":
            raise ValueError("an id must not be empty: the path would be another one")
        if name in (".", ".."):
            raise ValueError(f"an id must not be {name}: the path would be another one")
    return template.format(*(quote(name, safe="") for name in ids))


def to_json(value: object) -> bytes:
    """JSON in UTF-8. Raises ValueError or TypeError for a value that is not JSON."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair, which only an escape can carry.
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def read_nothing(response: Response) -> None:
    return None


def read_text(response: Response) -> str:
    return response.content.decode("utf-8-sig", "replace")


def read_object(response: Response) -> Any:
    """A JSON object, typed by the caller. Raises FleetUnavailable for anything else: somebody else responded."""
    value = parse_json(response)
    if not isinstance(value, dict):
        raise not_ours(response, "is not a JSON object")
    return value


def read_page(response: Response) -> Page[Any]:
    """A JSON array of objects."""
    value = parse_json(response)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise not_ours(response, "is not a JSON array of objects")
    page = Page[Any](value)
    total = response.headers.get("x-total-count", "")
    page.total = int(total) if total.isascii() and total.isdigit() and len(total) < 16 else None
    page.next = _next_of(response)
    return page


def _next_of(response: Response) -> dict[str, str] | None:
    """Only the query of the link: the server may not send the credentials elsewhere."""
    for link in response.headers.get("link", "").split(","):
        target, _, rest = link.strip().partition(">")
        if target.startswith("<") and re.search(r'\brel="?next"?(?![^\s;,"])', rest):
            return dict(parse_qsl(urlsplit(target[1:]).query, keep_blank_values=True))
    return None


def parse_json(response: Response) -> object:
    """Raises FleetUnavailable if it is not JSON: somebody else responded."""
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError) as error:
        raise not_ours(response, "is not JSON") from error


def not_ours(response: Response, what: str) -> FleetUnavailable:
    return FleetUnavailable(
        f"response {response.status} {what}",
        status=response.status,
        code="invalid_response",
        request_id=response.headers.get("x-request-id"),
        body=response.content[:1024].decode("utf-8", "replace"),
    )


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_to_text, value))
    return str(value)
