"""Takes the tasks of agents of the type claude, and returns their messages.

FLEET_URL and FLEET_API_KEY say where the fleet is. SIGINT and SIGTERM stop it.
"""

import logging

from agent_fleet import Context, Worker
from agent_fleet.models import Task

worker = Worker(concurrency=4)


@worker.handler(types=["claude"])
async def echo(task: Task, ctx: Context) -> dict[str, str]:
    ctx.log(f"attempt {ctx.attempt}")
    ctx.progress(50, "echoing")
    return {"echo": task["message"]}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    # It would log each request.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    worker.run()
