"""Workers against a running fleet. The suite of the worker protocol has the rest."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from agent_fleet import Context, Fleet, FleetError, TaskAborted, TaskError, Worker
from agent_fleet.models import Agent, InputOptionInput, InputRequest, Task


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    with Fleet() as fleet:
        yield fleet


@contextmanager
def at_work(worker: Worker) -> Iterator[threading.Thread]:
    """Runs a worker in the background."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield thread
    finally:
        worker.stop()
        thread.join(20)
        assert not thread.is_alive()


def ended(fleet: Fleet, task: Task, seconds: float = 30) -> Task:
    return fleet.wait_for_task(task["agent_id"], task["id"], timeout=seconds)


def add(fleet: Fleet, agent: Agent, message: str = "Do it", **fields: Any) -> Task:
    return fleet.create_task(agent["id"], message=message, retry_policy={"delay_seconds": 0}, **fields)


def work(agent: Agent, handler: Callable[[Task, Context], Any], **options: Any) -> Worker:
    worker = Worker(**options)
    worker.handler(agent_id=agent["id"])(handler)
    return worker


def test_has_handlers_for_types(fleet: Fleet) -> None:
    agents = {name: fleet.create_agent(name=name, type=name) for name in ("gpt", "gemini")}
    worker = Worker()

    @worker.handler(types=["gemini"])
    def block(task: Task, ctx: Context) -> str:
        return "thread"

    @worker.handler(types=["gpt"])
    async def await_it(task: Task, ctx: Context) -> str:
        await asyncio.sleep(0)
        return "coroutine"

    tasks = {name: add(fleet, agent) for name, agent in agents.items()}
    with at_work(worker):
        results = {name: ended(fleet, task)["result"] for name, task in tasks.items()}
    assert results == {"gemini": "thread", "gpt": "coroutine"}
    for agent in agents.values():
        fleet.delete_agent(agent["id"])


@pytest.mark.parametrize("is_async", [False, True])
def test_runs_as_many_tasks_as_it_may(fleet: Fleet, agent: Agent, is_async: bool) -> None:
    running = most = 0
    lock = threading.Lock()

    def count(change: int) -> None:
        nonlocal running, most
        with lock:
            running += change
            most = max(most, running)

    def block(task: Task, ctx: Context) -> None:
        count(1)
        time.sleep(0.3)
        count(-1)

    async def sleep(task: Task, ctx: Context) -> None:
        count(1)
        await asyncio.sleep(0.3)
        count(-1)

    tasks = [add(fleet, agent) for _ in range(7)]
    with at_work(work(agent, sleep if is_async else block, concurrency=3)):
        assert {ended(fleet, task)["status"] for task in tasks} == {"completed"}
    assert most == 3


def test_a_coroutine_is_cancelled_with_its_task(fleet: Fleet, agent: Agent) -> None:
    seen: list[object] = []
    began = threading.Event()

    async def handler(task: Task, ctx: Context) -> str:
        began.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append(ctx.reason)
            if task["message"] == "finish":
                return "finished"
            raise
        return "slept"

    with at_work(work(agent, handler, lease_seconds=5)):
        for message, status in (("stop", "cancelled"), ("finish", "completed")):
            task = add(fleet, agent, message)
            began.wait(20)
            began.clear()
            fleet.cancel_task(agent["id"], task["id"])
            assert ended(fleet, task)["status"] == status
    assert seen == ["cancelled", "cancelled"]


class Odd(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (TaskError("no", "bad_prompt", False), {"code": "bad_prompt", "message": "no", "retryable": False}),
        (TaskError("\ud800" + "é" * 9000, "x" * 200, False), {"code": "x" * 128, "message": "?" + "é" * 8191}),
        (TaskError("", "", False), {"code": "handler_error", "message": "TaskError"}),
        (ValueError("odd"), {"code": "handler_error", "message": "ValueError: odd", "retryable": True}),
        (Odd(), {"code": "handler_error", "message": "Odd"}),
        (KeyError("name"), {"code": "handler_error", "message": "KeyError: 'name'"}),
        (SystemExit(3), {"code": "handler_error", "message": "SystemExit: 3"}),
        (KeyboardInterrupt(), {"code": "handler_error", "message": "KeyboardInterrupt"}),
        (asyncio.CancelledError(), {"code": "handler_error", "message": "CancelledError"}),
        (StopIteration(), {"code": "handler_error"}),
        (GeneratorExit(), {"code": "handler_error", "message": "GeneratorExit"}),
    ],
)
def test_an_error_is_reported(
    fleet: Fleet, agent: Agent, error: BaseException, reported: dict[str, Any], is_async: bool
) -> None:
    def fail(task: Task, ctx: Context) -> None:
        raise error

    async def fail_async(task: Task, ctx: Context) -> None:
        raise error

    task = add(fleet, agent, max_attempts=1)
    with at_work(work(agent, fail_async if is_async else fail)):
        found = ended(fleet, task)
    assert found["status"] == "failed"
    assert reported.items() <= (found["error"] or {}).items()


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({1, 2}, "invalid_result"),
        (float("nan"), "invalid_result"),
        (circle(), "invalid_result"),
        (deep(), "invalid_result"),
        (b"bytes", "invalid_result"),
        (threading.Lock(), "invalid_result"),
        ("x" * (1024 * 1024), "result_too_large"),
        ("é" * (600 * 1024), "result_too_large"),
    ],
    ids=["set", "nan", "circle", "deep", "bytes", "lock", "large", "large in UTF-8"],
)
def test_a_result_that_cannot_be_sent_is_a_final_failure(fleet: Fleet, agent: Agent, result: object, code: str) -> None:
    task = add(fleet, agent)
    with at_work(work(agent, lambda task, ctx: result)):
        error = ended(fleet, task)["error"]
    assert error is not None
    assert (error["code"], error["retryable"]) == (code, False)


@pytest.mark.parametrize(
    "result",
    [None, 0, "", "\x00 \ud800 é✨", {"a": [1.5, {"b": None}]}, [], True, 2**53, "x" * (1024 * 1024 - 2)],
    ids=lambda result: repr(result)[:20],
)
def test_a_result_arrives_as_it_was(fleet: Fleet, agent: Agent, result: object) -> None:
    task = add(fleet, agent)
    with at_work(work(agent, lambda task, ctx: result)):
        assert ended(fleet, task)["result"] == result


def test_progress_and_log_arrive(fleet: Fleet, agent: Agent) -> None:
    go_on = threading.Event()

    def handler(task: Task, ctx: Context) -> None:
        ctx.progress(150, "x" * 2000)
        ctx.progress(float("nan"))
        ctx.progress(40.5, "half \ud800")
        ctx.log("first")
        ctx.log("", level="error", stream="stderr")
        ctx.log("é" * 20_000, level="debug")
        ctx.log("\x00 \ud800 😀")
        go_on.wait(20)
        ctx.log("last")

    task = add(fleet, agent)
    with at_work(work(agent, handler, lease_seconds=30)):
        entries = fleet.follow(fleet.list_log_entries, agent["id"], task["id"])
        first = next(entries)
        assert (first["text"], first["level"], first["stream"]) == ("first", "info", None)
        end = time.monotonic() + 20
        while (progress := fleet.get_task(agent["id"], task["id"])["progress"]) is None:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert progress == {"percent": 40.5, "message": "half ?"}
        go_on.set()
        rest = list(entries)
    assert [(entry["level"], entry["stream"]) for entry in rest[:2]] == [("error", "stderr"), ("debug", None)]
    assert "".join(entry["text"] for entry in rest[1:-2]) == "é" * 20_000
    assert [entry["text"] for entry in rest[-2:]] == ["\x00 ? 😀", "last"]


def asked(fleet: Fleet, task: Task) -> InputRequest:
    """The first open request of a task."""
    end = time.monotonic() + 30
    while not (found := fleet.list_input_requests(task_id=task["id"])):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found[0]


def answer(fleet: Fleet, task: Task, **body: Any) -> None:
    fleet.answer_input_request(task["agent_id"], task["id"], asked(fleet, task)["id"], **body)


OPTIONS: list[InputOptionInput] = [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]


def test_keeps_to_definitions(fleet: Fleet, agent: Agent) -> None:
    fleet.replace_definition(agent["id"], instructions="Be brief", requires=["gpu"])
    task = add(fleet, agent)
    worker = Worker(labels=["gpu"])

    @worker.handler(agent_id=agent["id"], accepts=["definitions"])
    def handle(task: Task, ctx: Context) -> str | None:
        return ctx.definition and ctx.definition["instructions"]

    with at_work(worker):
        assert ended(fleet, task)["result"] == "Be brief"


@pytest.mark.parametrize("is_async", [False, True])
def test_asks_and_listens(fleet: Fleet, agent: Agent, is_async: bool) -> None:
    def block(task: Task, ctx: Context) -> list[Any]:
        said = next(ctx.messages_sync())
        ctx.log("A question comes")
        chosen = ctx.ask_sync("which", title="Which one?", options=OPTIONS)
        return [said.text, chosen and chosen["option_ids"], list(ctx.messages_sync(0.01))]

    async def wait(task: Task, ctx: Context) -> list[Any]:
        said = await anext(ctx.messages())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ctx.ask("gone", title="Gone?"), 0.01)
        ctx.log("A question comes")
        chosen = await ctx.ask("which", title="Which one?", options=OPTIONS)
        return [said.text, chosen and chosen["option_ids"], [more async for more in ctx.messages(0.01)]]

    task = add(fleet, agent)
    fleet.send_message(agent["id"], task["id"], text="Please")
    worker = Worker()
    worker.handler(agent_id=agent["id"], accepts=["messages", "input"])(wait if is_async else block)
    with at_work(worker):
        end = time.monotonic() + 30
        while asked(fleet, task)["key"] != "which":
            assert time.monotonic() < end
        answer(fleet, task, option_ids=["b"])
        assert ended(fleet, task)["result"] == ["Please", ["b"], []]
    log = fleet.list_log_entries(agent["id"], task["id"])
    assert [entry["type"] for entry in log][-3:] == ["log", "input", "input"]
    states = {message["state"] for message in fleet.list_messages(agent["id"], task["id"])}
    assert states == {"delivered"}


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_handler_that_waits_is_suspended_and_called_again(
    fleet: Fleet, agent: Agent, is_async: bool, is_stopped: bool
) -> None:
    reasons: list[object] = []

    def begin(ctx: Context) -> None:
        assert (ctx.state, list(ctx.answers)) in ((None, []), ({"step": 2}, ["k"]))
        ctx.state = {"step": 2}

    def block(task: Task, ctx: Context) -> Any:
        begin(ctx)
        try:
            return ctx.ask_sync("k", title="Well?")
        except TaskAborted as error:
            reasons.append(error.reason)
            raise

    async def wait(task: Task, ctx: Context) -> Any:
        begin(ctx)
        try:
            return await ctx.ask("k", title="Well?")
        except asyncio.CancelledError:
            reasons.append(ctx.reason)
            raise

    task = add(fleet, agent)
    result: Any = None
    for hold_seconds in (900 if is_stopped else 0, 900):
        worker = Worker(hold_seconds=hold_seconds, worker_id="the same")
        worker.handler(agent_id=agent["id"], accepts=["input"])(wait if is_async else block)
        with at_work(worker):
            if reasons:
                result = ended(fleet, task)["result"]
                break
            asked(fleet, task)
            end = time.monotonic() + 20
            while not (reasons or is_stopped):
                assert time.monotonic() < end
                time.sleep(0.05)
        found = fleet.get_task(agent["id"], task["id"])
        assert (found["status"], found["attempt"], reasons) == ("input_required", 0, ["suspended"])
        answer(fleet, task, text="Yes")
    assert (result["text"], reasons) == ("Yes", ["suspended"])


def test_typed_entries_arrive_and_long_outputs_are_cut(fleet: Fleet, agent: Agent) -> None:
    def handler(task: Task, ctx: Context) -> None:
        ctx.log(type="tool_result", data={"call_id": "c", "is_error": False, "output": "é" * 20_000})
        ctx.log("plain")

    task = add(fleet, agent)
    with at_work(work(agent, handler)):
        ended(fleet, task)
    entry, plain = fleet.list_log_entries(agent["id"], task["id"])
    data = entry["data"] or {}
    assert (entry["type"], data["bytes"], data["truncated"], plain["type"]) == ("tool_result", 40_000, True, "log")
    assert len(data["output"].encode()) <= 8_192


def test_too_much_log_drops_the_oldest_and_says_so(fleet: Fleet, agent: Agent) -> None:
    def handler(task: Task, ctx: Context) -> None:
        for at in range(200_000):
            ctx.log(f"{at}")

    task = add(fleet, agent)
    with at_work(work(agent, handler)):
        assert ended(fleet, task, 60)["status"] == "completed"
    entries = fleet.list_log_entries(agent["id"], task["id"], limit=1000, after=0)
    assert any("earlier entries were dropped" in entry["text"] for entry in entries)


def test_stops_after_max_tasks(fleet: Fleet, agent: Agent) -> None:
    tasks = [add(fleet, agent) for _ in range(5)]
    work(agent, lambda task, ctx: None, max_tasks=3, concurrency=2).run()
    statuses = [fleet.get_task(agent["id"], task["id"])["status"] for task in tasks]
    assert sorted(statuses) == ["completed"] * 3 + ["pending"] * 2


def test_serves_in_a_running_loop(fleet: Fleet, agent: Agent) -> None:
    loops: list[object] = []

    async def handler(task: Task, ctx: Context) -> str:
        loops.append(asyncio.get_running_loop())
        return "done"

    async def main() -> object:
        serving = asyncio.create_task(work(agent, handler).serve())
        task = add(fleet, agent)
        found = await asyncio.to_thread(ended, fleet, task)
        assert found["result"] == "done"
        serving.cancel()
        began = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert time.monotonic() - began < 10
        return asyncio.get_running_loop()

    assert asyncio.run(main()) is loops[0]


def test_stops_at_once_without_a_task(agent: Agent) -> None:
    worker = work(agent, lambda task, ctx: None)
    with at_work(worker):
        time.sleep(0.5)
        began = time.monotonic()
    assert time.monotonic() - began < 3


def test_may_be_stopped_before_it_runs(agent: Agent) -> None:
    worker = work(agent, lambda task, ctx: None)
    worker.stop()
    worker.run()


@pytest.mark.parametrize("options", [{"api_key": "wrong-key"}, {"token": "wrong-token"}])
def test_refused_credentials_end_it(agent: Agent, options: dict[str, str]) -> None:
    with pytest.raises(FleetError) as caught:
        work(agent, lambda task, ctx: None, **options).run()
    assert caught.value.status in (401, 403)


def test_an_unknown_agent_ends_it() -> None:
    worker = Worker()
    worker.handler(agent_id="no-such-agent")(lambda task, ctx: None)
    with pytest.raises(FleetError) as caught:
        worker.run()
    assert caught.value.status == 404


@pytest.mark.slow
def test_keeps_the_lease_of_a_coroutine_that_blocks_its_loop_for_90_s(fleet: Fleet, agent: Agent) -> None:
    async def block(task: Task, ctx: Context) -> str:
        end = time.monotonic() + 90
        while time.monotonic() < end:
            pass
        return "blocked"

    task = add(fleet, agent, max_attempts=1)
    with at_work(work(agent, block, lease_seconds=30)):
        found = ended(fleet, task, 180)
    assert (found["status"], found["attempt"]) == ("completed", 1)


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"concurrency": 0},
            {"concurrency": 1001},
            {"concurrency": True},
            {"lease_seconds": 4},
            {"lease_seconds": 901},
            {"wait_seconds": 31},
            {"wait_seconds": -1},
            {"stop_seconds": -1},
            {"stop_seconds": float("nan")},
            {"max_tasks": 0},
            {"worker_id": ""},
            {"worker_id": "x" * 101},
            {"url": "nowhere"},
        ],
    )
    def test_have_bounds(self, options: dict[str, Any]) -> None:
        with pytest.raises(ValueError):
            Worker(**options)

    @pytest.mark.usefixtures("no_environment")
    def test_need_credentials(self) -> None:
        with pytest.raises(ValueError, match="api_key or token"):
            Worker("http://localhost:1")

    @pytest.mark.parametrize(
        "options",
        [{"types": []}, {"types": "claude"}, {"types": ["a"], "agent_id": "a"}, {"agent_id": ""}, {"concurrency": 0}],
    )
    def test_of_a_handler_have_bounds(self, options: dict[str, Any]) -> None:
        with pytest.raises(ValueError):
            Worker().handler(**options)

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"types": ["a", "b"]}, {"types": ["b"]}),
            ({}, {"types": ["a"]}),
            ({"agent_id": "a"}, {"agent_id": "a"}),
            ({}, {}),
        ],
    )
    def test_of_two_handlers_do_not_overlap(self, first: dict[str, Any], second: dict[str, Any]) -> None:
        worker = Worker()
        worker.handler(**first)(lambda task, ctx: None)
        with pytest.raises(ValueError, match="same tasks"):
            worker.handler(**second)(lambda task, ctx: None)

    def test_need_a_handler(self) -> None:
        with pytest.raises(RuntimeError, match="no handler"):
            Worker().run()
