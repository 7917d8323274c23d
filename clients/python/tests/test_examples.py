"""The examples, run as programs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from agent_fleet import Fleet

ROOT = Path(__file__).parent.parent


def test_the_echo_worker_runs_until_it_is_interrupted() -> None:
    with Fleet() as fleet:
        agent = fleet.create_agent(name="An agent", type="claude")
        task = fleet.create_task(agent["id"], message="Say it")
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        program = subprocess.Popen([sys.executable, ROOT / "examples/echo_worker.py"], env=env)
        try:
            assert fleet.wait_for_task(agent["id"], task["id"], timeout=30)["result"] == {"echo": "Say it"}
            (entry,) = fleet.list_log_entries(agent["id"], task["id"])
            assert entry["text"] == "attempt 1"
            program.send_signal(signal.SIGINT)
            assert program.wait(10) == 0
        finally:
            program.kill()
            program.wait()
            fleet.delete_agent(agent["id"])
