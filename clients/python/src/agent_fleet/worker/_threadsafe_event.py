"""An event that other threads set for the thread that talks to the fleet."""

from __future__ import annotations

import asyncio
from contextlib import suppress


class ThreadsafeEvent:
    """An event of the running loop that any thread may set; however often they do, the loop is called once.

    The waiting side clears it before it reads what the other side has written before `set`.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._pending = False

    def set(self) -> None:
        if not self._pending:
            self._pending = True
            # The loop may have ended: a handler that ignores its cancellation runs on.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._event.set)

    def clear(self) -> None:
        self._pending = False
        self._event.clear()

    async def wait(self) -> None:
        await self._event.wait()
