"""What clients send of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from agent_fleet import AsyncFleet, Fleet, FleetUnavailable

from fleet_server import FleetServer, answer

pytestmark = pytest.mark.usefixtures("no_environment")


@pytest.fixture(autouse=True)
def agents(server: FleetServer) -> None:
    server.answers(answer(200, []))


def test_come_from_the_arguments(connect: Any, server: FleetServer) -> None:
    connect(f"{server.url}/base/", api_key="k1", token="t1", user_agent="mine/1").list_agents()
    (request,) = server.requests
    assert request.path == "/base/agents"
    sent = [request.headers[name] for name in ("x-api-key", "authorization", "user-agent")]
    assert sent == ["k1", "Bearer t1", "mine/1"]


def test_come_from_the_environment(connect: Any, server: FleetServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FLEET_URL": server.url, "FLEET_API_KEY": "k2", "FLEET_TOKEN": "t2"}.items():
        monkeypatch.setenv(name, value)
    connect().list_agents()
    connect(api_key="k1").list_agents()
    connect(token="t1").list_agents()
    sent = [(r.headers.get("x-api-key"), r.headers.get("authorization")) for r in server.requests]
    assert sent == [("k2", "Bearer t2"), ("k1", None), (None, "Bearer t1")]


def test_are_not_needed_for_what_is_public(connect: Any, server: FleetServer) -> None:
    connect(server.url).list_skills()
    assert "x-api-key" not in server.requests[0].headers


def test_a_token_may_be_made_for_each_request(connect: Any, server: FleetServer) -> None:
    tokens = iter(["t1", "t2"])
    client = connect(server.url, token=lambda: next(tokens))
    client.list_agents()
    client.list_agents()
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer t1", "Bearer t2"]


@pytest.mark.parametrize("token", [None, "", "a\nb", "é"])
def test_a_token_that_cannot_be_made_is_an_outage(connect: Any, server: FleetServer, token: object) -> None:
    with pytest.raises(FleetUnavailable, match="failed to get a token"):
        connect(server.url, token=lambda: token, retries=0).list_agents()
    assert server.requests == []


def test_a_token_may_be_awaited(server: FleetServer) -> None:
    import asyncio

    async def token() -> str:
        await asyncio.sleep(0)
        return "t1"

    async def main() -> None:
        async with AsyncFleet(server.url, token=token) as fleet:
            await fleet.list_agents()

    asyncio.run(main())
    assert server.requests[0].headers["authorization"] == "Bearer t1"


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "ftp://localhost",
        "http://",
        "http://u:p@host",
        "http://host:x",
        "http://host:0",
        "http://a b",
        "http://a\n",
        "",
        "//host",
    ],
)
def test_a_url_that_is_none_is_refused(connect: Any, url: str) -> None:
    with pytest.raises(ValueError, match="url"):
        connect(url)


@pytest.mark.parametrize("value", ["", " ", "a\r\nx: y", "é", "a\0b", "a "])
@pytest.mark.parametrize("name", ["api_key", "token"])
def test_a_credential_that_no_header_can_carry_is_refused(connect: Any, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name):
        connect("http://localhost", **{name: value})


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": -1}, {"retries": -1}, {"retries": 11}])
def test_options_have_bounds(connect: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        connect("http://localhost", **options)


@pytest.mark.parametrize("key", ["a\nb", "é", " "])
def test_a_header_that_cannot_be_sent_is_refused(connect: Any, server: FleetServer, key: str) -> None:
    client = connect(server.url)
    with pytest.raises(ValueError, match="idempotency-key"):
        client.create_agent(name="Ada", type="claude", idempotency_key=key)
    with pytest.raises(ValueError, match="if-match"):
        client.delete_agent("a", if_match=key)
    assert server.requests == []


def test_a_value_that_is_not_json_is_refused(connect: Any, server: FleetServer) -> None:
    client: Fleet = connect(server.url)
    for value in [float("nan"), {1, 2}, object()]:
        with pytest.raises((ValueError, TypeError)):
            client.create_task("a", message="Do it", input=value)
    assert server.requests == []
