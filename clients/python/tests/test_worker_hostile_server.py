"""Workers against a server that answers what no fleet does, or none does often."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain, repeat
from pathlib import Path
from typing import Any, ClassVar

import pytest

from agent_fleet import Context, TaskError, Worker
from agent_fleet.models import CostInput, Task, UsageInput

from fleet_server import Answer, FleetServer, Received, answer

LEASE: dict[str, Any] = {
    "id": "l",
    "token": "the-token",
    "task": {"id": "t", "agent_id": "a", "message": "Do it"},
    "attempt": 1,
    "expires_at": "2020-01-01T00:00:00.000Z",
    "heartbeat_interval_seconds": 0.1,
}
NO_TASK = answer(204)
REFUSED = answer(400, {"error": "validation_error"})
LOST = answer(409, {"error": "lease_lost"})
BEATS = answer(200, {"expires_at": "2020-01-01T00:00:00.000Z", "cancel_requested": False})
DONE = answer(200, LEASE["task"])
UNAVAILABLE = answer(503, {"error": "unavailable"}, retry_after="0")


def in_turn(*answers: Answer) -> Callable[[Received], Answer]:
    """The last one again and again."""
    rest = chain(answers, repeat(answers[-1]))
    return lambda _: next(rest)


@pytest.fixture
def fleet(server: FleetServer) -> FleetServer:
    """Gives one task."""
    server.on("POST /leases/l/log-entries", in_turn(answer(204)))
    server.on("PUT /leases/l/heartbeat", in_turn(BEATS))
    server.on("PUT /leases/l/result", in_turn(DONE))
    server.on("DELETE /leases/l", in_turn(answer(204)))
    server.on("POST /leases", in_turn(answer(201, {"leases": [LEASE]}), NO_TASK))
    return server


def run(fleet: FleetServer, handler: Callable[[Task, Context], Any], **options: Any) -> None:
    """Runs one task to its end."""
    worker = Worker(fleet.url, api_key="k", max_tasks=1, wait_seconds=0, **options)
    worker.handler()(handler)
    stopper = threading.Timer(30, worker.stop)
    stopper.start()
    worker.run()
    stopper.cancel()


def reports(fleet: FleetServer) -> list[dict[str, Any]]:
    return [request.json for request in fleet.matching("PUT /leases/l/result")]


def wait(seconds: float) -> Callable[[Task, Context], str]:
    def handler(task: Task, ctx: Context) -> str:
        ctx.wait(seconds)
        ctx.raise_if_cancelled()
        return "done"

    return handler


def until_beats(fleet: FleetServer, count: int, ctx: Context) -> None:
    deadline = time.monotonic() + 20
    while len(fleet.matching("heartbeat")) < count and time.monotonic() < deadline:
        ctx.wait(0.05)


@pytest.mark.parametrize("sent", ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "forged", None])
def test_the_trace_of_a_task_goes_on_in_its_handler_and_requests(fleet: FleetServer, sent: str | None) -> None:
    task = {**LEASE["task"], "traceparent": sent}
    fleet.override("POST /leases", in_turn(answer(201, {"leases": [{**LEASE, "task": task}]}), NO_TASK))
    seen: list[str | None] = []

    def handler(task: Task, ctx: Context) -> None:
        seen.append(ctx.traceparent)
        ctx.log("x")
        ctx.wait(0.3)

    run(fleet, handler)
    is_valid = sent is not None and sent != "forged"
    assert seen == [sent if is_valid else None]
    paths = ["PUT /leases/l/heartbeat", "POST /leases/l/log-entries", "PUT /leases/l/result"]
    headers = {request.headers.get("traceparent") for path in paths for request in fleet.matching(path)}
    (header,) = headers
    assert (header is not None) == is_valid
    if header is not None and sent is not None:
        assert (header[:36], header[52:]) == (sent[:36], sent[52:])
        assert header != sent


@pytest.mark.parametrize(
    "response",
    [
        UNAVAILABLE,
        b"",
        answer(500, {"error": "internal_error"}),
        answer(408),
        answer(429, {"error": "rate_limited"}, retry_after="0"),
        answer(200, b"<html>"),
        answer(201, {"leases": [{"id": "l"}]}),
        answer(201, {"leases": [{**LEASE, "heartbeat_interval_seconds": "soon"}]}),
        answer(201, {"leases": [{**LEASE, "attempt": None}]}),
        answer(201, {"leases": {}}),
        answer(201, []),
    ],
)
def test_polls_again_after_a_response_that_says_nothing(fleet: FleetServer, response: bytes) -> None:
    fleet.override("POST /leases", in_turn(response, answer(201, {"leases": [LEASE]}), NO_TASK))
    run(fleet, wait(0))
    assert reports(fleet) == [{"token": "the-token", "status": "completed", "result": "done"}]


@pytest.mark.parametrize(
    "reply", [[1], {"items": None}, {"items": 1}, {"items": [1, {"n": "x"}, {"n": 1, "type": "?"}]}]
)
def test_an_inbox_that_makes_no_sense_is_read_again(fleet: FleetServer, reply: object) -> None:
    tool, given = {"name": "t", "input": 1, "digest": "sha256:0"}, {"option_ids": ["allow"], "tool_digest": "sha256:0"}
    request = {"id": "r", "state": "open", "tool": tool, "answer": None}
    fleet.override("POST /leases/l/input-requests", in_turn(answer(201, request)))
    items = {"items": [{"n": 2, "type": "answer", "request_id": "r", "answer": given}]}
    fleet.override("GET /leases/l/inbox", in_turn(answer(200, reply), answer(200, items), answer(200, {"items": []})))
    worker = Worker(fleet.url, api_key="k", max_tasks=1, wait_seconds=0)
    worker.handler(accepts=["input"])(lambda task, ctx: (ctx.ask_sync("k", title="?") or {}).get("option_ids"))
    worker.run()
    assert reports(fleet)[0]["result"] == ["allow"]


def test_an_answer_for_another_input_allows_nothing(fleet: FleetServer) -> None:
    tool, given = {"name": "t", "input": 1, "digest": "sha256:0"}, {"option_ids": ["allow"], "tool_digest": "sha256:1"}
    request = {"id": "r", "state": "answered", "tool": tool, "answer": given}
    fleet.override("POST /leases/l/input-requests", in_turn(answer(200, request)))
    run(fleet, lambda task, ctx: ctx.ask_sync("k", title="?"))
    assert "another input" in reports(fleet)[0]["error"]["message"]


@pytest.mark.parametrize("interval", [0, -1, 1e-9, float("nan"), float("-inf")])
def test_beats_ten_times_a_second_at_most(fleet: FleetServer, interval: float) -> None:
    lease = {**LEASE, "heartbeat_interval_seconds": interval}
    fleet.override("POST /leases", in_turn(answer(201, {"leases": [lease]}), NO_TASK))
    took: list[float] = []

    def handler(task: Task, ctx: Context) -> None:
        began = time.monotonic()
        until_beats(fleet, 3, ctx)
        took.append(time.monotonic() - began)

    run(fleet, handler)
    assert 3 <= len(fleet.matching("heartbeat")) <= took[0] * 10 + 1


@pytest.mark.parametrize("response", [answer(401), answer(403, {"error": "forbidden"}), UNAVAILABLE, b"", REFUSED])
def test_a_failed_heartbeat_does_not_end_a_task(fleet: FleetServer, response: bytes) -> None:
    fleet.override("heartbeat", in_turn(response))
    run(fleet, lambda task, ctx: until_beats(fleet, 2, ctx))
    assert reports(fleet)[0]["status"] == "completed"
    assert len(fleet.matching("heartbeat")) > 1


def test_progress_that_is_refused_is_dropped(fleet: FleetServer) -> None:
    fleet.override("heartbeat", lambda request: REFUSED if "progress" in request.json else BEATS)

    def handler(task: Task, ctx: Context) -> None:
        ctx.progress(50)
        until_beats(fleet, 4, ctx)

    run(fleet, handler)
    with_progress = [request for request in fleet.matching("heartbeat") if "progress" in request.json]
    assert len(with_progress) == 1
    assert len(fleet.matching("heartbeat")) > 2


class TestUsed:
    """What an attempt has used."""

    USAGE: ClassVar[UsageInput] = {"input_tokens": 5, "output_tokens": 2}
    COST: ClassVar[CostInput] = {"amount": 0.01, "currency": "USD"}
    FIELDS = ("usage", "cost", "model")

    def beats(self, fleet: FleetServer) -> list[dict[str, Any]]:
        """What the heartbeats say of it."""
        bodies = [request.json for request in fleet.matching("heartbeat")]
        return [{name: body[name] for name in self.FIELDS if name in body} for body in bodies]

    def test_goes_with_the_next_heartbeat_once_and_with_the_report(self, fleet: FleetServer) -> None:
        def handler(task: Task, ctx: Context) -> None:
            mine: UsageInput = {"input_tokens": 1, "output_tokens": 1}
            ctx.used(usage=mine)
            mine["input_tokens"] = 9
            ctx.used(cost=self.COST, model="a-model")
            until_beats(fleet, 2, ctx)

        run(fleet, handler)
        sent = {"usage": {"input_tokens": 1, "output_tokens": 1}, "cost": self.COST, "model": "a-model"}
        assert self.beats(fleet)[:2] == [sent, {}]
        assert reports(fleet) == [{"token": "the-token", "status": "completed", "result": None, **sent}]

    def test_goes_with_the_report_of_a_failed_and_a_cancelled_attempt(self, fleet: FleetServer) -> None:
        def handler(task: Task, ctx: Context) -> None:
            ctx.used(usage=self.USAGE)
            raise TaskError("No", code="no")

        run(fleet, handler)
        fleet.override("POST /leases", in_turn(answer(201, {"leases": [LEASE]}), NO_TASK))
        fleet.override("heartbeat", in_turn(answer(200, {"cancel_requested": True})))

        def until_cancelled(task: Task, ctx: Context) -> None:
            ctx.used(usage=self.USAGE)
            ctx.wait(20)
            ctx.raise_if_cancelled()

        run(fleet, until_cancelled)
        assert [(report["status"], report["usage"]) for report in reports(fleet)] == [
            ("failed", self.USAGE),
            ("cancelled", self.USAGE),
        ]

    @pytest.mark.parametrize("response", [BEATS, REFUSED])
    def test_goes_before_the_release_of_a_stopped_worker(self, fleet: FleetServer, response: bytes) -> None:
        lease = {**LEASE, "heartbeat_interval_seconds": 3600}
        fleet.override("POST /leases", in_turn(answer(201, {"leases": [lease]}), NO_TASK))
        fleet.override("heartbeat", in_turn(response))
        worker = Worker(fleet.url, api_key="k", wait_seconds=0, stop_seconds=0)

        @worker.handler()
        def handle(task: Task, ctx: Context) -> None:
            worker.stop()
            ctx.wait(20)
            ctx.used(usage=self.USAGE)
            ctx.raise_if_cancelled()

        worker.run()
        assert self.beats(fleet) == [{"usage": self.USAGE}]
        assert [request.method for request in fleet.matching("/leases/l")] == ["PUT", "DELETE"]

    def test_is_sent_again_after_an_outage_unless_there_is_newer(self, fleet: FleetServer) -> None:
        arrived, is_newer = threading.Event(), threading.Event()

        def hold(request: Received) -> Answer:
            arrived.set()
            is_newer.wait(20)
            return UNAVAILABLE if request.json.get("model") == "a-model" else BEATS

        fleet.override("heartbeat", hold)

        def handler(task: Task, ctx: Context) -> None:
            ctx.used(usage=self.USAGE, model="a-model")
            arrived.wait(20)
            ctx.used(model="another-model")
            is_newer.set()
            until_beats(fleet, 2, ctx)

        run(fleet, handler)
        assert self.beats(fleet)[:2] == [
            {"usage": self.USAGE, "model": "a-model"},
            {"usage": self.USAGE, "model": "another-model"},
        ]

    @pytest.mark.parametrize("status", [400, 422])
    def test_that_is_refused_is_left_out(self, fleet: FleetServer, status: int) -> None:
        refusal = answer(status, {"error": "validation_error"})
        fleet.override("heartbeat", lambda request: refusal if "usage" in request.json else BEATS)
        fleet.override("result", lambda request: refusal if "usage" in request.json else DONE)

        def handler(task: Task, ctx: Context) -> str:
            ctx.used(usage=self.USAGE)
            until_beats(fleet, 3, ctx)
            return "done"

        run(fleet, handler)
        assert len([beat for beat in self.beats(fleet) if beat]) == 1
        assert reports(fleet)[1:] == [{"token": "the-token", "status": "completed", "result": "done"}]

    def test_stays_with_the_failure_in_place_of_a_result_that_is_refused(self, fleet: FleetServer) -> None:
        fleet.override("result", lambda request: DONE if request.json["status"] == "failed" else REFUSED)

        def handler(task: Task, ctx: Context) -> None:
            ctx.used(usage=self.USAGE)

        run(fleet, handler)
        assert [report.get("usage") for report in reports(fleet)] == [self.USAGE, None, self.USAGE]

    def test_that_is_not_json_is_an_error_of_the_handler(self, fleet: FleetServer) -> None:
        def handler(task: Task, ctx: Context) -> None:
            with pytest.raises(TypeError):
                ctx.used(cost={"amount": Decimal("0.1"), "currency": "USD"})  # type: ignore[arg-type]
            with pytest.raises(ValueError):
                ctx.used(cost={"amount": float("nan"), "currency": "USD"})
            ctx.wait(0.3)

        run(fleet, handler)
        assert reports(fleet) == [{"token": "the-token", "status": "completed", "result": None}]
        assert any(self.beats(fleet)) is False


@pytest.mark.parametrize("response", [LOST, answer(404, {"detail": "Lease not found"})])
def test_nothing_is_reported_of_a_lost_lease(fleet: FleetServer, response: bytes) -> None:
    fleet.override("heartbeat", in_turn(response))
    reasons: list[object] = []

    def handler(task: Task, ctx: Context) -> str:
        ctx.wait(20)
        reasons.append(ctx.reason)
        ctx.log("too late")
        return "done"

    run(fleet, handler)
    assert reasons == ["lease_lost"]
    assert reports(fleet) == []
    assert fleet.matching("log-entries") == []


def test_with_abort_on_expiry_the_clock_ends_a_lease(fleet: FleetServer) -> None:
    fleet.override("heartbeat", in_turn(UNAVAILABLE))
    began = time.monotonic()
    run(fleet, wait(20), abort_on_expiry=True, lease_seconds=5)
    assert 4.5 < time.monotonic() - began < 10
    assert reports(fleet) == []


def test_a_report_is_repeated_as_it_was(fleet: FleetServer) -> None:
    fleet.override("result", in_turn(b"", UNAVAILABLE, answer(401), answer(500), DONE))
    run(fleet, wait(0))
    bodies = {request.body for request in fleet.matching("result")}
    assert (len(fleet.matching("result")), len(bodies)) == (5, 1)


@pytest.mark.parametrize(
    ("response", "code"),
    [(REFUSED, "invalid_result"), (answer(413), "result_too_large"), (answer(302), "invalid_result")],
)
def test_a_result_that_is_refused_is_a_final_failure(fleet: FleetServer, response: bytes, code: str) -> None:
    fleet.override("result", in_turn(response, DONE))
    run(fleet, wait(0))
    assert [report["status"] for report in reports(fleet)] == ["completed", "failed"]
    error = reports(fleet)[1]["error"]
    assert (error["code"], error["retryable"]) == (code, False)


def test_a_report_that_is_refused_twice_is_dropped(fleet: FleetServer) -> None:
    fleet.override("result", in_turn(REFUSED))
    run(fleet, wait(0))
    assert len(reports(fleet)) == 2


def log_for_a_while(task: Task, ctx: Context) -> None:
    for at in range(100):
        ctx.log(f"{at}")
        ctx.wait(0.005)


@pytest.mark.parametrize("response", [REFUSED, answer(403, {"error": "forbidden"}), answer(413), answer(301), LOST])
def test_a_log_that_is_refused_does_not_end_a_task(fleet: FleetServer, response: bytes) -> None:
    fleet.override("log-entries", in_turn(response))
    run(fleet, log_for_a_while)
    assert reports(fleet)[0]["status"] == "completed"


def test_a_log_that_fails_for_a_while_arrives(fleet: FleetServer) -> None:
    fleet.override("log-entries", in_turn(UNAVAILABLE, UNAVAILABLE, answer(204)))
    run(fleet, log_for_a_while)
    entries = [entry["text"] for request in fleet.matching("log-entries")[2:] for entry in request.json["entries"]]
    assert entries == [f"{at}" for at in range(100)]


@pytest.mark.slow
def test_a_log_that_always_fails_delays_a_report_by_10_s_at_most(fleet: FleetServer) -> None:
    fleet.override("log-entries", in_turn(UNAVAILABLE))
    began = time.monotonic()
    run(fleet, lambda task, ctx: ctx.log("text"))
    assert time.monotonic() - began < 15
    assert reports(fleet)[0]["status"] == "completed"


def test_a_batch_of_logs_has_bounds(fleet: FleetServer) -> None:
    def handler(task: Task, ctx: Context) -> None:
        for _ in range(90):
            ctx.log("\x00" * 16_384)

    run(fleet, handler)
    requests = fleet.matching("log-entries")
    assert requests
    assert all(len(request.json["entries"]) <= 100 for request in requests)
    assert all(len(request.body) < 1024 * 1024 for request in requests)


def test_a_token_is_made_where_it_blocks_no_heartbeat(fleet: FleetServer) -> None:
    threads: list[str] = []

    def token() -> str:
        threads.append(threading.current_thread().name)
        return "t"

    worker = Worker(fleet.url, token=token, max_tasks=1, wait_seconds=0)
    worker.handler()(wait(0.5))
    worker.run()
    assert {request.headers["authorization"] for request in fleet.requests} == {"Bearer t"}
    assert len(threads) >= len(fleet.requests)
    assert "agent-fleet" not in threads


PROGRAM = """
import time
from agent_fleet import Worker
worker = Worker(wait_seconds=0, stop_seconds=20)
@worker.handler()
def ignore(task, ctx):
    print("began", flush=True)
    time.sleep(60)
worker.run()
"""


@pytest.fixture
def program(fleet: FleetServer) -> Iterator[subprocess.Popen[str]]:
    source = Path(__file__).parent.parent / "src"
    env = {**os.environ, "FLEET_URL": fleet.url, "FLEET_API_KEY": "k", "PYTHONPATH": str(source)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "began\n"
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_it_at_once(program: subprocess.Popen[str], number: signal.Signals) -> None:
    program.send_signal(number)
    program.send_signal(number)
    # Longer than an echo may take, counted from when a busy machine handles the first one.
    time.sleep(3)
    assert program.poll() is None
    program.send_signal(number)
    assert program.wait(10) == -number


def refusing(is_bad: Callable[[dict[str, Any]], bool], otherwise: bytes) -> Callable[[Received], Answer]:
    return lambda request: REFUSED if is_bad(request.json) else otherwise


def test_a_log_entry_that_is_refused_takes_no_other_with_it_and_leaves_one_that_says_so(fleet: FleetServer) -> None:
    bad = {0, 41, 42, 149}

    def is_bad(body: dict[str, Any]) -> bool:
        return any(entry["text"].startswith("bad") for entry in body["entries"])

    def handler(task: Task, ctx: Context) -> None:
        for at in range(150):
            ctx.log(f"bad {at}" if at in bad else f"good {at}")

    fleet.override("log-entries", refusing(is_bad, answer(204)))
    run(fleet, handler)
    bodies = [request.json for request in fleet.matching("log-entries")]
    entries = [entry for body in bodies if not is_bad(body) for entry in body["entries"]]
    note = "A log entry was refused: status 400"
    expected = [note if at in bad else f"good {at}" for at in range(150)]
    assert [entry["text"] for entry in entries] == expected
    assert len(bodies) < 60


def test_a_log_is_kept_while_credentials_are_replaced(fleet: FleetServer) -> None:
    fleet.override("log-entries", in_turn(answer(401), answer(204)))

    def handler(task: Task, ctx: Context) -> None:
        ctx.log("first")
        ctx.wait(0.8)

    run(fleet, handler)
    assert [entry["text"] for request in fleet.matching("log-entries")[1:] for entry in request.json["entries"]] == [
        "first"
    ]


def test_a_level_of_another_logger_becomes_the_nearest_one_and_an_unknown_stream_none(fleet: FleetServer) -> None:
    nearest: dict[Any, str] = {"TRACE": "debug", "verbose": "debug", logging.DEBUG: "debug"}
    nearest |= {"Information": "info", "success": "info", "dbg?": "info", None: "info", 42: "info"}
    nearest |= {"WARNING": "warn", logging.WARNING: "warn"}
    nearest |= {"alert": "error", "emerg": "error", "Fatal": "error", logging.CRITICAL: "error"}

    def handler(task: Task, ctx: Context) -> None:
        for level in nearest:
            ctx.log(7, level=level, stream="console")  # type: ignore[arg-type]

    run(fleet, handler)
    entries = [entry for request in fleet.matching("log-entries") for entry in request.json["entries"]]
    assert [entry["level"] for entry in entries] == list(nearest.values())
    assert not any("stream" in entry for entry in entries)


@pytest.mark.parametrize("ends", ["after heartbeats", "at once", "released"])
def test_usage_that_is_refused_takes_no_other_with_it(fleet: FleetServer, ends: str) -> None:
    lease = {**LEASE, "heartbeat_interval_seconds": 0.4 if ends == "after heartbeats" else 3600}
    fleet.override("POST /leases", in_turn(answer(201, {"leases": [lease]}), NO_TASK))

    def is_bad(body: dict[str, Any]) -> bool:
        return bool(body.get("usage", {}).get("input_tokens", 0) < 0)

    fleet.override("heartbeat", refusing(is_bad, BEATS))
    fleet.override("result", refusing(is_bad, DONE))
    worker = Worker(fleet.url, api_key="k", max_tasks=1, wait_seconds=0, stop_seconds=0)

    @worker.handler()
    def handle(task: Task, ctx: Context) -> None:
        ctx.used(usage={"input_tokens": 5, "output_tokens": 2}, cost={"amount": 0.5, "currency": "USD"})
        ctx.used(usage={"input_tokens": -7, "output_tokens": 2}, model="a-model")
        ctx.used(usage={"input_tokens": -8, "output_tokens": 2})
        if ends == "after heartbeats":
            ctx.progress(40)
            until_beats(fleet, 8, ctx)
        if ends == "released":
            worker.stop()
            ctx.wait(20)
            ctx.raise_if_cancelled()

    worker.run()
    taken: dict[str, Any] = {}
    for request in fleet.matching("/leases/l/"):
        if request.method == "PUT" and not is_bad(request.json):
            taken |= request.json
    assert taken["usage"] == {"input_tokens": 5, "output_tokens": 2}
    assert (taken["cost"], taken["model"]) == ({"amount": 0.5, "currency": "USD"}, "a-model")
    if ends == "after heartbeats":
        assert taken["progress"]["percent"] == 40
        texts = [entry["text"] for request in fleet.matching("log-entries") for entry in request.json["entries"]]
        assert len([text for text in texts if text == "usage was refused: status 400"]) == 2
