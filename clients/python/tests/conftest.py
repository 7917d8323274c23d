from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_fleet import AsyncFleet, Fleet
from agent_fleet.models import Agent

from fleet_server import FleetServer

# Files of tests run at the same time, and some have workers for whole types: no other test has tasks of these.
AGENT_TYPE = os.environ.get("FLEET_TEST_TYPE", "claude")
FLEET_VARIABLES = ("FLEET_URL", "FLEET_API_KEY", "FLEET_TOKEN")


class BlockingFleet:
    """An `AsyncFleet` that is used as a `Fleet`, so that a test is written once for both."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._runner = asyncio.Runner()
        self._fleet = AsyncFleet(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._fleet, name)
        if name in ("paginate", "follow"):
            return lambda call, *args, **kwargs: self._iterate(operation(call.operation, *args, **kwargs))
        return Blocking(self._runner, operation)

    def close(self) -> None:
        self._runner.run(self._fleet.close())
        self._runner.close()

    def _iterate(self, records: AsyncIterator[Any]) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._runner.run(anext(records))  # type: ignore[arg-type]
                except StopAsyncIteration:
                    return
        finally:
            self._runner.run(records.aclose())  # type: ignore[attr-defined]


class Blocking:
    def __init__(self, runner: asyncio.Runner, operation: Any) -> None:
        self.operation = operation
        self._runner = runner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._runner.run(self.operation(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        part = getattr(self.operation, name)
        return Blocking(self._runner, part) if name == "reply" else part


@pytest.fixture(params=[Fleet, BlockingFleet], ids=["Fleet", "AsyncFleet"])
def connect(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Makes clients of either kind."""
    clients: list[Any] = []

    def make(*args: Any, **kwargs: Any) -> Any:
        clients.append(request.param(*args, **kwargs))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def fleet(connect: Any) -> Fleet:
    """A client of the running fleet."""
    if "FLEET_URL" not in os.environ:
        pytest.fail("FLEET_URL and FLEET_API_KEY must name a running fleet")
    client: Fleet = connect()
    return client


@pytest.fixture
def agent() -> Iterator[Agent]:
    with Fleet() as fleet:
        agent = fleet.create_agent(name="An agent", type=AGENT_TYPE)
        yield agent
        fleet.delete_agent(agent["id"])


@pytest.fixture
def server() -> Iterator[FleetServer]:
    """A server that answers as a test says."""
    with FleetServer() as server:
        yield server


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FLEET_VARIABLES:
        monkeypatch.delenv(name, raising=False)
