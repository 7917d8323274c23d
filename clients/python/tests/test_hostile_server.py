"""Both clients against a server that answers what no fleet does."""

from __future__ import annotations

import gzip
import json
import pickle
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_fleet import FleetError, FleetUnavailable
from agent_fleet import _exchange as exchange
from agent_fleet import _flows as flows
from agent_fleet._request import Response, read_text

from fleet_server import FleetServer, answer, drip, event_stream, silence

AGENT = {"id": "a", "name": "Ada", "type": "claude", "status": "idle", "created_at": "2026-01-01T00:00:00.000Z"}
UNAVAILABLE = answer(503, {"error": "unavailable", "message": "Try later"}, retry_after="0")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flows, "_BASE_SECONDS", 0.01)
    monkeypatch.setattr(flows, "_RETRY_SECONDS", 0.01)


@pytest.fixture
def client(connect: Any, server: FleetServer) -> Any:
    return connect(server.url, api_key="the-key", timeout=3)


class TestAResponseThatIsNotOurs:
    @pytest.mark.parametrize(
        "body",
        [b"", b"<html>", b"null", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000, b"{" + b'"a":{' * 50_000, b"{}x"],
    )
    def test_is_no_object(self, client: Any, server: FleetServer, body: bytes) -> None:
        server.answers(answer(200, body))
        with pytest.raises(FleetUnavailable) as caught:
            client.get_agent("a")
        assert caught.value.code == "invalid_response"

    @pytest.mark.parametrize("body", [b"{}", b"null", b"[1]", b"[null]", b'[{"a":1},"b"]'])
    def test_is_no_list_of_records(self, client: Any, server: FleetServer, body: bytes) -> None:
        server.answers(answer(200, body))
        with pytest.raises(FleetUnavailable):
            client.list_agents()

    @pytest.mark.parametrize(
        "lease",
        [None, {}, {"id": 1, "token": "t", "task": {"id": "x"}}, {"id": "l", "token": "t", "task": []}],
    )
    def test_has_no_leases(self, client: Any, server: FleetServer, lease: object) -> None:
        server.answers(answer(201, {"leases": [lease]}))
        with pytest.raises(FleetUnavailable):
            client.lease_tasks(worker_id="w")

    @pytest.mark.parametrize(
        "response",
        [
            b"",
            b"garbage\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{",
            b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-encoding: gzip\r\n\r\nhello",
            b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000,
            b"HTTP/1.1 999999 OK\r\n\r\n",
        ],
    )
    def test_is_no_http(self, client: Any, server: FleetServer, response: bytes) -> None:
        server.answers(response)
        with pytest.raises(FleetUnavailable):
            client.get_agent("a")

    def test_is_a_bomb(self, client: Any, server: FleetServer, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(exchange, "MAX_RESPONSE_BYTES", 1_000_000)
        server.answers(answer(200, gzip.compress(b" " * 200_000_000), content_encoding="gzip"))
        with pytest.raises(FleetError) as caught:
            client.get_agent("a")
        assert caught.value.code == "response_too_large"
        assert len(server.requests) == 1


class TestADeadline:
    def test_ends_a_response_that_never_comes(self, connect: Any, server: FleetServer) -> None:
        server.answers(silence)
        began = time.monotonic()
        with pytest.raises(FleetUnavailable):
            connect(server.url, timeout=0.5).get_agent("a")
        assert time.monotonic() - began < 2

    def test_ends_a_body_that_comes_byte_by_byte(self, connect: Any, server: FleetServer) -> None:
        server.answers(drip(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", 10))
        began = time.monotonic()
        with pytest.raises(FleetUnavailable):
            connect(server.url, timeout=0.5).get_agent("a")
        assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"error": 5, "message": {"a": 1}, "details": []}, []),
        ({"error": "validation_error", "details": {"fields": {"path": "a"}}}, []),
        ({"details": {"fields": ["a", None, {"path": 1}]}}, [{"path": "1", "code": "", "message": ""}]),
        ([1], []),
        ("text", []),
        (None, []),
    ],
)
def test_an_error_of_any_shape_is_an_error(
    client: Any, server: FleetServer, body: object, fields: list[object]
) -> None:
    server.answers(answer(400, body))
    with pytest.raises(FleetError) as caught:
        client.get_agent("a")
    assert (caught.value.status, caught.value.fields) == (400, fields)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_error_does_not_show_credentials(client: Any, server: FleetServer) -> None:
    server.answers(answer(500, {"error": "internal_error"}))
    with pytest.raises(FleetError) as caught:
        client.create_agent(name="Ada", type="claude")
    assert "the-key" not in f"{caught.value!r} {caught.value.__dict__} {client!r}"


class TestAnUnavailableFleet:
    def test_is_asked_again_while_the_first_request_is_handled(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(409, {"error": "idempotent_request_in_progress"}), answer(201, AGENT))
        assert client.create_agent(name="Ada", type="claude") == AGENT

    @pytest.mark.parametrize("response", [b"", UNAVAILABLE])
    def test_is_not_asked_again_to_change_one_version(self, client: Any, server: FleetServer, response: bytes) -> None:
        server.answers(response)
        with pytest.raises(FleetUnavailable):
            client.replace_agent("a", name="Ada", type="claude", if_match='"1"')
        assert len(server.requests) == 1

    def test_that_refuses_connections_is_an_error(self, connect: Any, server: FleetServer) -> None:
        with FleetServer() as gone:
            pass
        with pytest.raises(FleetUnavailable) as caught:
            connect(gone.url, timeout=2).lease_tasks(worker_id="w")
        assert (caught.value.status, caught.value.code) == (0, "unavailable")

    def test_has_deleted_what_is_gone_when_it_is_asked_again(self, client: Any, server: FleetServer) -> None:
        server.answers(b"", answer(404, {"detail": "Agent not found"}))
        client.delete_agent("a")
        with pytest.raises(FleetError):
            client.delete_agent("a")


class TestAList:
    @pytest.mark.parametrize("total", ["-1", "1.5", "x", "", "²", "9" * 400])
    def test_may_have_a_bad_total(self, client: Any, server: FleetServer, total: str) -> None:
        server.answers(answer(200, [AGENT], x_total_count="?").replace(b"count: ?", b"count: " + total.encode()))
        assert client.list_agents().total is None


EVENT = b'id: %d\nevent: task.created\ndata: {"id":"%d","type":"task.created"}\n\n'


class TestAStream:
    def ids(self, client: Any) -> list[str]:
        return [event["id"] for event in client.follow(client.list_task_events, "a", "t")]

    def test_may_come_in_any_pieces(self, client: Any, server: FleetServer) -> None:
        data = json.dumps({"id": "é✨"}, ensure_ascii=False).encode()
        text = b"\xef\xbb\xbf: comment\r\nretry: 1\r\nid: 1\r\ndata: " + data + b"\r\n\r\n\rid: 2\rdata:{\rdata:}\r\r\n"
        pieces = [text[at : at + 1] for at in range(len(text))]
        server.answers(event_stream(*pieces), answer(204))
        assert [*client.follow(client.list_events)] == [{"id": "é✨"}, {}]
        assert server.requests[1].headers["last-event-id"] == "2"

    @pytest.mark.parametrize(
        "data", [b"data: x\n\n", b"data: 1\n\n", b"data: []\n\n", b"data: " + b"[" * 99_999 + b"\n\n"]
    )
    def test_begins_again_after_an_event_that_is_not_ours(self, client: Any, server: FleetServer, data: bytes) -> None:
        server.answers(event_stream(b"retry: 1\n\n", data), event_stream(EVENT % (1, 1)), answer(204))
        assert self.ids(client) == ["1"]

    def test_bounds_an_event(self, client: Any, server: FleetServer) -> None:
        server.answers(event_stream(b"retry: 1\n\n", *[b"data: " + b"x" * 1_000_000] * 6), answer(204))
        assert self.ids(client) == []

    def test_is_closed_by_a_caller_who_stops(self, client: Any, server: FleetServer) -> None:
        server.answers(event_stream(EVENT % (1, 1), EVENT % (2, 2)))
        events = client.follow(client.list_events)
        assert next(events)["id"] == "1"
        events.close()
        assert len(server.requests) == 1


def test_a_text_is_read_without_a_byte_order_mark() -> None:
    content = b"\xef\xbb\xbf# Ma\xc3\xb1ana\n"
    assert read_text(Response(200, httpx.Headers(), content)) == "# Ma\u00f1ana\n"


CASES = json.loads((Path(__file__).parents[2] / "sdk/test/client-cases.json").read_text())
"""What any client makes of the answers of a server; the tests of the SDK read the same."""


def to_answer(given: Any) -> bytes:
    if given == "cut":
        return b""
    if "events" in given:
        return event_stream(given["events"].encode(), cut=given.get("cut", False))
    body = given["json"] if "json" in given else given.get("text", "").encode()
    return answer(given.get("status", 200), body, **given.get("headers", {}))


def call(client: Any, name: str, ids: list[str]) -> None:
    match name:
        case "get":
            client.get_agent("a")
        case "list":
            client.list_agents()
        case "create":
            client.create_agent(name="Ada", type="claude")
        case "replace":
            client.replace_agent("a", name="Ada", type="claude")
        case "lease":
            client.lease_tasks(worker_id="w")
        case "wait":
            client.wait_for_task("a", "t", timeout=60)
        case "pages":
            ids.extend(record["id"] for record in client.paginate(client.search_tasks, limit=2))
        case "follow":
            ids.extend(record["id"] for record in client.follow(client.list_task_events, "a", "t"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_as_any_client(connect: Any, server: FleetServer, case: dict[str, Any]) -> None:
    server.answers(*map(to_answer, case["answers"]))
    ids: list[str] = []
    expected = {name: value for name, value in case.items() if name not in ("name", "call", "retries", "answers")}
    error = expected.pop("error", None)
    try:
        call(connect(server.url, api_key="the-key", retries=case.get("retries", 3)), case["call"], ids)
        assert error is None
    except FleetError as caught:
        seen = {
            **vars(caught),
            "message": str(caught).removesuffix(f" (request {caught.request_id})"),
            "requestId": caught.request_id,
            "retryAfterSeconds": caught.retry_after,
            "fields": caught.fields,
            "isUnavailable": isinstance(caught, FleetUnavailable),
        }
        assert error is not None
        assert {name: seen[name] for name in error} == error
    headers = [request.headers for request in server.requests]
    found = {
        "ids": ids,
        "requests": len(headers),
        "keys": len({each.get("idempotency-key") for each in headers}),
        "paths": [request.path for request in server.requests],
        "lastEventIds": [each.get("last-event-id") for each in headers],
    }
    assert {name: found[name] for name in expected} == expected
