"""The worker program of the protocol suite in Python: see `worker.ts`."""

import logging
import os
import threading
import time
from typing import Any

from agent_fleet import Context, TaskError, Worker
from agent_fleet.models import Task

worker = Worker(
    concurrency=2,
    lease_seconds=int(os.environ["LEASE_SECONDS"]),
    stop_seconds=int(os.environ["STOP_SECONDS"]),
)


@worker.handler(agent_id=os.environ["FLEET_AGENT"])
def handle(task: Task, ctx: Context) -> Any:
    print(f"began {task['id']} {ctx.attempt}", flush=True)
    threading.Thread(target=print_abort, args=(task["id"], ctx), daemon=True).start()
    given = task["input"] or {}
    seconds = given.get("seconds", 600)
    match task["message"]:
        case "echo":
            return {"input": task["input"], "attempt": ctx.attempt}
        case "sleep":
            ctx.wait(seconds)
            ctx.raise_if_cancelled()
            return {"slept": seconds}
        case "ignore":
            # Neither cancellation nor the end of the lease stops it.
            time.sleep(seconds)
            return {"ignored": seconds}
        case "block":
            block(seconds)
            return {"blocked": seconds}
        case "fail-first":
            if ctx.attempt == 1:
                raise RuntimeError("the first attempt fails")
            return {"attempt": ctx.attempt}
        case "log":
            for text in given["texts"]:
                ctx.log(text)
            ctx.log("last", level="warn", stream="agent")
            return None
        case "use":
            ctx.used(**given["used"])
            raise TaskError("used", retryable=False)
        case message:
            raise TaskError(f"unknown message {message}", retryable=False)


def block(seconds: float) -> None:
    """Holds a processor, and with it the interpreter."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def print_abort(task_id: str, ctx: Context) -> None:
    ctx.wait()
    print(f"aborted {task_id} {ctx.reason}", flush=True)


logging.basicConfig(level=logging.INFO)
worker.run()
