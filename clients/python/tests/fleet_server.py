"""A real HTTP server whose answers are bytes."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = bytes | Callable[[socket.socket, Received], None]


def answer(status: int, body: object = b"", **headers: str) -> bytes:
    """A response; a body that is not bytes is JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content-type": "application/json", "content-length": str(len(content)), "connection": "close", **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + content


def event_stream(*pieces: bytes, cut: bool = False) -> bytes:
    """A stream of events, whole or cut."""
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + chunks + (b"" if cut else b"0\r\n\r\n")


def drip(head: bytes, seconds: float) -> Answer:
    """Sends a byte at a time."""

    def send(connection: socket.socket, _: Received) -> None:
        connection.sendall(head)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            connection.sendall(b" ")
            time.sleep(0.05)

    return send


def silence(connection: socket.socket, _: Received) -> None:
    """Never answers."""
    connection.recv(1)


class FleetServer:
    """Answers request after request as told, the last answer again and again, and closes each connection."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self._answers: list[Answer] = [answer(404, {"error": "not_found"})]
        self._by_path: list[tuple[str, Callable[[Received], Answer]]] = []
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def answers(self, *answers: Answer) -> None:
        self._answers = list(answers)

    def on(self, part: str, respond: Callable[[Received], Answer]) -> None:
        """Answers requests whose method and path contain this."""
        self._by_path.append((part, respond))

    def override(self, part: str, respond: Callable[[Received], Answer]) -> None:
        """As `on`, before all others."""
        self._by_path.insert(0, (part, respond))

    def matching(self, part: str) -> list[Received]:
        with self._lock:
            return [request for request in self.requests if part in f"{request.method} {request.path}"]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Without it, `accept` goes on waiting.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(30)
            try:
                request = _read(connection)
                if request is None:
                    return
                chosen = self._choose(request)
                if callable(chosen):
                    chosen(connection, request)
                else:
                    connection.sendall(chosen)
            except OSError:
                return

    def _choose(self, request: Received) -> Answer:
        with self._lock:
            self.requests.append(request)
            for part, respond in self._by_path:
                if part in f"{request.method} {request.path}":
                    return respond(request)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def _read(connection: socket.socket) -> Received | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65_536)
    method, path, _ = first.split(" ")
    return Received(method, path, headers, body)
