"""Server-Sent Events."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MAX_CHARACTERS = 4 * 1024 * 1024
"""Of one event: more than the largest of a fleet has."""
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True, slots=True)
class RawEvent:
    id: str
    """The last id of the stream, also if the event itself had none."""
    event: str
    data: str


class EventParser:
    """Parses Server-Sent Events from bytes in pieces.

    Follows https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream.
    """

    def __init__(self) -> None:
        self.retry: float | None = None
        """Seconds to wait before the next connection, if the stream says so."""
        self.last_id = ""
        """Of the last complete event; a filtered stream has one with its comments, too."""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest: list[str] = []
        self._id = ""
        self._event = ""
        self._data: list[str] = []
        self._characters = 0

    def push(self, piece: bytes) -> Iterator[RawEvent]:
        """The events that are complete with this piece. Raises ValueError for one that is too large."""
        self._rest.append(self._decoder.decode(piece))
        if sum(map(len, self._rest)) > _MAX_CHARACTERS:
            raise ValueError("an event is too large")
        # A line end may have begun in the piece before.
        if not _LINE_END.search("".join(self._rest[-2:])):
            return
        *lines, rest = _LINE_END.split("".join(self._rest))
        self._rest = [rest]
        for line in lines:
            if line:
                self._field(line)
                continue
            self.last_id = self._id
            if self._data:
                event = RawEvent(self._id, self._event or "message", "\n".join(self._data))
                self._reset()
                yield event
            else:
                self._reset()

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        self._characters += len(value)
        if self._characters > _MAX_CHARACTERS:
            raise ValueError("an event is too large")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch(r"[0-9]{1,9}", value):
            self.retry = int(value) / 1000

    def _reset(self) -> None:
        self._event = ""
        self._data = []
        self._characters = 0
