"""What a handler asks people, and what they say to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, Required, TypedDict, TypeVar

from ..errors import FleetError
from ..models import InboxItem, InputAnswer, InputAnswerInput, InputOptionInput, InputRequest, InputToolInput, Lease
from ._lease_client import LeaseClient, is_lease_lost, is_outage, is_unauthorized, logger, retry
from ._log import TaskLog
from ._report import AbortReason, TaskAborted

T = TypeVar("T")

Accepts = Literal["messages", "input", "definitions"]
_POLL_SECONDS = 20
_PAUSE_SECONDS = 1.0
"""Before another poll of a fleet that holds none, or refuses it."""


class Ask(TypedDict, total=False):
    """A question to people, in the fields of `POST /leases/{lease_id}/input-requests`."""

    title: Required[str]
    kind: Literal["approval", "question", "form"]
    text: str
    tool: InputToolInput
    options: list[InputOptionInput]
    multiple: bool
    allow_text: bool
    input_editable: bool
    schema: dict[str, Any]
    default: InputAnswerInput
    expires_in_seconds: int


@dataclass(frozen=True, slots=True)
class InboxMessage:
    """What a person says to a task."""

    id: str
    text: str


class Conversation:
    """Of one lease, in the loop of the worker; other threads call it by `submit`."""

    def __init__(self, client: LeaseClient, lease: Lease, log: TaskLog, accepts: Sequence[Accepts]) -> None:
        self._client = client
        self._log = log
        self._lease = lease
        self._has_inbox = any(what != "definitions" for what in accepts)
        self._loop = asyncio.get_running_loop()
        resume = lease.get("resume")
        self.answers = {request["key"]: _checked(request) for request in resume["answers"]} if resume else {}
        self.state: Any = resume.get("state") if resume else None
        # By ids of requests; an answer may come before the response that has the id.
        self._answers: dict[str, asyncio.Future[InputAnswer | None]] = {}
        self._asking = 0
        self._asking_since: float | None = None
        self._messages: asyncio.Queue[InboxMessage] = asyncio.Queue()
        self._aborted: asyncio.Future[AbortReason] = self._loop.create_future()
        self._is_stopping = False
        self._changed = asyncio.Event()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs it here until the attempt is aborted, which raises TaskAborted. Thread-safe."""
        return asyncio.run_coroutine_threadsafe(self._until_aborted(work), self._loop)

    async def _until_aborted(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        either: list[asyncio.Future[Any]] = [task, self._aborted]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise TaskAborted(self._aborted.result())
        finally:
            task.cancel()

    async def ask(self, key: str, ask: Ask) -> InputAnswer | None:
        if key in self.answers:
            return self.answers[key]
        await self._log.catch_up()
        client, lease = self._client, self._lease
        body: Any = {"kind": "question", **ask, "token": lease["token"], "key": key}
        create = client.fleet.create_input_request.request(lease["id"], **body)
        opening = asyncio.ensure_future(retry(lambda: client.send(lease, create)))
        try:
            request = await asyncio.shield(opening)
            if request["state"] != "open":
                return _checked(request)
            return _checked({**request, "answer": await self._wait(request["id"])})
        except asyncio.CancelledError:
            if not self._aborted.done():
                # The handler no longer waits, such as after a timeout of its own.
                request_id = (await opening)["id"]
                gone = client.fleet.withdraw_input_request.request(lease["id"], request_id, token=lease["token"])
                await retry(lambda: client.send(lease, gone))
            raise

    async def _wait(self, request_id: str) -> InputAnswer | None:
        self._asking += 1
        self._asking_since = self._asking_since or time.monotonic()
        self._changed.set()
        try:
            return await asyncio.shield(self._answer(request_id))
        finally:
            self._asking -= 1
            self._asking_since = self._asking_since if self._asking else None

    def _answer(self, request_id: str) -> asyncio.Future[InputAnswer | None]:
        return self._answers.setdefault(request_id, self._loop.create_future())

    async def next_message(self, seconds: float | None) -> InboxMessage | None:
        """None when so many seconds have passed."""
        try:
            async with asyncio.timeout(seconds):
                message = await self._messages.get()
        except TimeoutError:
            return None
        client, lease = self._client, self._lease
        body: Any = {"token": lease["token"], "state": "delivered", "as": "queue"}
        await retry(lambda: client.send(lease, client.fleet.report_message.request(lease["id"], message.id, **body)))
        return message

    async def run(self, on_cancel: Callable[[], None], on_lost: Callable[[], None]) -> None:
        """Reads the inbox, until it is cancelled or the lease is lost. Each poll acknowledges what came before."""
        client, lease = self._client, self._lease
        after: Any = {}
        while self._has_inbox:
            began, items = time.monotonic(), list[InboxItem]()
            poll = client.fleet.read_inbox.request(lease["id"], token=lease["token"], wait=_POLL_SECONDS, **after)
            try:
                found: Any = (await client.send(lease, poll)).get("items")
                items = [item for item in found or () if isinstance(item.get("n"), int)]
            except (AttributeError, TypeError):
                # Somebody else responded.
                pass
            except FleetError as error:
                if is_lease_lost(error):
                    on_lost()
                    return
                if not (is_outage(error) or is_unauthorized(error)):
                    logger.warning("Task %s: its inbox was refused: %s", lease["task"]["id"], error)
                    after = {}
            for item in items:
                self._take(item, on_cancel)
                after = {"after": item["n"]}
            if not items:
                await asyncio.sleep(began + _PAUSE_SECONDS - time.monotonic())

    def _take(self, item: InboxItem, on_cancel: Callable[[], None]) -> None:
        match item:
            case {"type": "answer", "request_id": request_id}:
                answer = self._answer(request_id)
                if not answer.done():
                    answer.set_result(item.get("answer"))
            case {"type": "message", "message_id": message_id, "text": text}:
                self._messages.put_nowait(InboxMessage(message_id, text))
            case {"type": "cancel"}:
                on_cancel()

    def stop(self) -> None:
        """The worker stops: what waits for an answer is suspended at once."""
        self._is_stopping = True
        self._changed.set()

    async def until_cold(self, hold_seconds: float) -> None:
        """Waits until the handler has waited for an answer for so long, or the worker stops while it does."""
        while True:
            self._changed.clear()
            left = None if self._asking_since is None else self._asking_since + hold_seconds - time.monotonic()
            if left is not None and (self._is_stopping or left <= 0):
                return
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def abort(self, reason: AbortReason) -> None:
        if not self._aborted.done():
            self._aborted.set_result(reason)


def _checked(request: InputRequest) -> InputAnswer | None:
    """The answer, which is for the tool that the request shows. Raises ValueError."""
    tool, answer = request["tool"], request["answer"]
    if tool and answer and "tool_input" not in answer and answer["tool_digest"] not in (None, tool["digest"]):
        raise ValueError("the answer is for another input of the tool")
    return answer
