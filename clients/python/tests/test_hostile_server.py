"""Both clients against a server that answers what no fleet does."""

from __future__ import annotations

import gzip
import json
import pickle
import time
from typing import Any

import pytest

from agent_fleet import FleetError, FleetUnavailable
from agent_fleet import _exchange as exchange
from agent_fleet import _flows as flows

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

    def test_bounds_a_long_retry_after(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(503, {"error": "unavailable"}, retry_after="100000"))
        began = time.monotonic()
        with pytest.raises(FleetUnavailable) as caught:
            client.get_agent("a")
        assert time.monotonic() - began < 1
        assert caught.value.retry_after == 3600


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("1.5", 1.5), ("-5", 0), ("nan", None), ("inf", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None), ("1e400", None)],
)
def test_a_retry_after_is_a_number_of_seconds(
    connect: Any, server: FleetServer, value: str, seconds: float | None
) -> None:
    server.answers(answer(429, {"error": "rate_limited"}, retry_after=value))
    with pytest.raises(FleetError) as caught:
        connect(server.url, retries=0).get_agent("a")
    assert caught.value.retry_after == seconds


class TestARedirect:
    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_is_not_followed(self, client: Any, server: FleetServer, status: int) -> None:
        with FleetServer() as elsewhere:
            server.answers(answer(status, b"", location=f"{elsewhere.url}/agents/a"))
            with pytest.raises(FleetError, match=f"redirect {status}"):
                client.get_agent("a")
            assert elsewhere.requests == []


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
    def test_is_asked_again(self, client: Any, server: FleetServer) -> None:
        server.answers(UNAVAILABLE, b"", answer(429, {"error": "rate_limited"}, retry_after="0"), answer(200, AGENT))
        assert client.get_agent("a") == AGENT
        assert len(server.requests) == 4

    def test_is_asked_four_times(self, client: Any, server: FleetServer) -> None:
        server.answers(UNAVAILABLE)
        with pytest.raises(FleetUnavailable) as caught:
            client.get_agent("a")
        assert (caught.value.status, caught.value.code, len(server.requests)) == (503, "unavailable", 4)

    def test_is_asked_again_to_create_the_same(self, client: Any, server: FleetServer) -> None:
        server.answers(b"", UNAVAILABLE, answer(201, AGENT))
        assert client.create_agent(name="Ada", type="claude") == AGENT
        keys = {request.headers["idempotency-key"] for request in server.requests}
        assert (len(server.requests), len(keys)) == (3, 1)

    def test_is_asked_again_while_the_first_request_is_handled(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(409, {"error": "idempotent_request_in_progress"}), answer(201, AGENT))
        assert client.create_agent(name="Ada", type="claude") == AGENT

    @pytest.mark.parametrize("response", [b"", UNAVAILABLE])
    def test_is_not_asked_again_for_what_is_not_safe(self, client: Any, server: FleetServer, response: bytes) -> None:
        server.answers(response)
        with pytest.raises(FleetUnavailable):
            client.lease_tasks(worker_id="w")
        with pytest.raises(FleetUnavailable):
            client.replace_agent("a", name="Ada", type="claude", if_match='"1"')
        assert len(server.requests) == 2

    def test_is_asked_again_after_a_rate_limit(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(429, {"error": "rate_limited"}, retry_after="0"), answer(204))
        assert client.lease_tasks(worker_id="w") == []

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
    def test_takes_only_the_query_of_the_next_page(self, client: Any, server: FleetServer) -> None:
        with FleetServer() as elsewhere:
            link = f'<{elsewhere.url}/x?skip=1&limit=1>; rel="next", <{server.url}/agents?skip=0>; rel="prev"'
            server.answers(answer(200, [AGENT], link=link, x_total_count="2"), answer(200, [AGENT]))
            assert len([*client.paginate(client.list_agents, limit=1)]) == 2
            assert elsewhere.requests == []
        assert [request.path for request in server.requests] == ["/agents?limit=1", "/agents?skip=1&limit=1"]

    def test_does_not_go_in_circles(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(200, [AGENT], link='</agents?skip=1>; rel="next"'))
        with pytest.raises(FleetUnavailable, match="same page"):
            list(client.paginate(client.list_agents))
        assert len(server.requests) == 2

    @pytest.mark.parametrize("total", ["-1", "1.5", "x", "", "²", "9" * 400])
    def test_may_have_a_bad_total(self, client: Any, server: FleetServer, total: str) -> None:
        server.answers(answer(200, [AGENT], x_total_count="?").replace(b"count: ?", b"count: " + total.encode()))
        assert client.list_agents().total is None


EVENT = b'id: %d\nevent: task.created\ndata: {"id":"%d","type":"task.created"}\n\n'


class TestAStream:
    def ids(self, client: Any, **query: str) -> list[str]:
        return [event["id"] for event in client.follow(client.list_task_events, "a", "t", **query)]

    def test_is_opened_again_behind_its_last_event_until_the_fleet_ends_it(
        self, client: Any, server: FleetServer
    ) -> None:
        server.answers(
            event_stream(b"retry: 1\n\n", EVENT % (1, 1), cut=True),
            UNAVAILABLE,
            event_stream(EVENT % (2, 2)[:20], b"", EVENT % (2, 2)),
            answer(204),
        )
        assert self.ids(client, after="0") == ["1", "2"]
        assert [request.headers.get("last-event-id") for request in server.requests] == ["0", "1", "1", "2"]
        assert all(request.path == "/agents/a/tasks/t/events" for request in server.requests)

    def test_is_resumed_where_a_filtered_one_was_also_before_its_first_event(
        self, client: Any, server: FleetServer
    ) -> None:
        server.answers(
            event_stream(b"retry: 1\n\n", b":\nid: 7\n\n"),
            event_stream(EVENT % (8, 8), b":\nid: 9\n\n"),
            event_stream(b":\n\nid: 10\n"),
            answer(204),
        )
        assert self.ids(client) == ["8"]
        assert [request.headers.get("last-event-id") for request in server.requests] == [None, "7", "9", "9"]

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

    @pytest.mark.parametrize("status", [400, 401, 403, 404])
    def test_that_is_refused_is_an_error(self, client: Any, server: FleetServer, status: int) -> None:
        server.answers(event_stream(b"retry: 1\n\n", EVENT % (1, 1)), answer(status, {"error": "refused"}))
        with pytest.raises(FleetError) as caught:
            self.ids(client)
        assert caught.value.status == status

    def test_that_is_none_is_opened_again(self, client: Any, server: FleetServer) -> None:
        server.answers(answer(200, b"<html>", content_type="text/html"), event_stream(EVENT % (1, 1)), answer(204))
        assert self.ids(client) == ["1"]

    def test_is_closed_by_a_caller_who_stops(self, client: Any, server: FleetServer) -> None:
        server.answers(event_stream(EVENT % (1, 1), EVENT % (2, 2)))
        events = client.follow(client.list_events)
        assert next(events)["id"] == "1"
        events.close()
        assert len(server.requests) == 1


def test_a_task_is_waited_for_through_an_outage(client: Any, server: FleetServer) -> None:
    running, ended = {"id": "t", "status": "running"}, {"id": "t", "status": "failed"}
    server.answers(answer(200, running), b"", b"", b"", b"", b"", UNAVAILABLE, answer(200, ended))
    assert client.wait_for_task("a", "t", timeout=60) == ended
