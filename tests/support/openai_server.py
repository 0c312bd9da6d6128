"""A chat-completions endpoint on loopback that misbehaves on request.

    with OpenAIServer([ok("first"), status(500), ok("second")]) as server:
        endpoint = Endpoint(server.base_url, "test-model", "key")

Each request takes the next behaviour of the list, and the last one for ever; a callable gets the
request and returns a behaviour. In a process of its own, for end-to-end tests:

    python -m tests.support.openai_server --script FILE --port-file FILE

where the script is a JSON list such as ``[{"ok": "def f(): ..."}, {"status": 500}, "drop"]``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HUGE_BYTES = 2_000_000


@dataclass(frozen=True)
class Request:
    """What arrived. `headers` have lower-case names."""

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class Exchange(BaseHTTPRequestHandler):
    """One request being answered; behaviours are functions of it."""

    protocol_version = "HTTP/1.1"
    server: _Listener

    def do_POST(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        self.begin(status, len(body), headers)
        self.wfile.write(body)

    def begin(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        """Status and headers, promising `length` bytes."""
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            "Connection": "close",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def wait(self, seconds: float) -> bool:
        """Waits; False when the server is closing or the client has gone away."""
        self.connection.settimeout(0.02)
        for _ in range(max(1, int(seconds / 0.02))):
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    return False
            except TimeoutError:
                pass
            except OSError:
                return False
            if self.server.closing.is_set():
                return False
        self.connection.settimeout(None)
        return True

    def _answer(self) -> None:
        self.close_connection = True
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body: dict[str, Any] = json.loads(raw) if raw else {}
        behaviour = self.server.script.next(self.command, self.path, headers, body)
        try:
            behaviour(self)
        except OSError:
            # The client hung up: some tests are about exactly that.
            self.server.script.hang_ups += 1


Behaviour = Callable[[Exchange], None]
Script = Sequence[Behaviour] | Callable[[Request], Behaviour]


# No two responses of a server have one name.
_NUMBERS = itertools.count(1)


def completion(text: str | None, **changes: Any) -> dict[str, Any]:
    """A well-formed answer with one choice; `changes` replace top-level members."""
    return {
        "id": f"chatcmpl-{next(_NUMBERS)}",
        "object": "chat.completion",
        "created": 0,
        "model": "test-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    } | changes


def answer(body: object, headers: Mapping[str, str] | None = None) -> Behaviour:
    """Status 200 with `body` as JSON, or as it is if it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda exchange: exchange.send(200, data, headers)


def ok(text: str) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        # Each time a response of its own.
        answer(completion(text))(exchange)

    return behave


def status(
    code: int, message: str = "scripted", headers: Mapping[str, str] | None = None
) -> Behaviour:
    data = json.dumps({"error": {"message": message, "type": "scripted"}}).encode()
    return lambda exchange: exchange.send(code, data, headers)


def html(code: int) -> Behaviour:
    page = b"<!doctype html><html><body>Something went wrong</body></html>"
    return lambda exchange: exchange.send(code, page, {"Content-Type": "text/html"})


def drop(exchange: Exchange) -> None:
    """Resets the connection before a byte of the answer."""
    linger = struct.pack("ii", 1, 0)
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    exchange.connection.close()


def drop_midway(exchange: Exchange) -> None:
    """Promises a whole answer and hangs up in the middle of it."""
    data = json.dumps(completion("never seen")).encode()
    exchange.begin(200, len(data))
    exchange.wfile.write(data[: len(data) // 2])


def truncated(exchange: Exchange) -> None:
    """A body that ends in the middle of its JSON, and says that it is whole."""
    data = json.dumps(completion("never seen")).encode()
    exchange.send(200, data[: len(data) // 2])


def empty_choices(exchange: Exchange) -> None:
    answer(completion(None, choices=[]))(exchange)


def empty_choice(exchange: Exchange) -> None:
    answer(completion(""))(exchange)


def null_content(exchange: Exchange) -> None:
    answer(completion(None))(exchange)


def huge(exchange: Exchange) -> None:
    answer(completion("x" * HUGE_BYTES))(exchange)


def stall(seconds: float = 60.0) -> Behaviour:
    """Accepts the request and says nothing until the client gives up."""

    def behave(exchange: Exchange) -> None:
        if exchange.wait(seconds):
            ok("too late")(exchange)
        else:
            exchange.server.script.hang_ups += 1

    return behave


def drip(text: str, seconds_between: float = 0.1) -> Behaviour:
    """A byte at a time: every read succeeds, and the whole takes for ever."""

    def behave(exchange: Exchange) -> None:
        data = json.dumps(completion(text)).encode()
        exchange.begin(200, len(data))
        for position in range(len(data)):
            exchange.wfile.write(data[position : position + 1])
            if not exchange.wait(seconds_between):
                exchange.server.script.hang_ups += 1
                return

    return behave


class _Play:
    """Hands out behaviours and remembers requests, for all threads."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.hang_ups = 0

    def next(
        self, method: str, path: str, headers: Mapping[str, str], body: dict[str, Any]
    ) -> Behaviour:
        with self._lock:
            request = Request(len(self.requests), method, path, headers, body)
            self.requests.append(request)
            if callable(self._script):
                return self._script(request)
            return self._script[min(request.number, len(self._script) - 1)]


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    # Twice a test's concurrency must get through at once.
    request_queue_size = 128

    def __init__(self, script: _Play, port: int) -> None:
        self.script = script
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", port), Exchange)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of the server's."""


class OpenAIServer:
    """The server, running in a thread while the `with` block lasts."""

    def __init__(self, script: Script, port: int = 0) -> None:
        self._play = _Play(script)
        self._listener = _Listener(self._play, port)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        return self._listener.server_address[1]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> tuple[Request, ...]:
        return tuple(self._play.requests)

    @property
    def hang_ups(self) -> int:
        """How many clients went away before their answer was complete."""
        return self._play.hang_ups

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.closing.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


_BY_NAME: dict[str, Behaviour] = {
    "drop": drop,
    "drop_midway": drop_midway,
    "truncated": truncated,
    "empty_choices": empty_choices,
    "empty_choice": empty_choice,
    "null_content": null_content,
    "huge": huge,
    "stall": stall(),
    "html": html(200),
}


def behaviour(written: object) -> Behaviour:
    """A behaviour as a script file writes it."""
    match written:
        case str() as name:
            return _BY_NAME[name]
        case {"ok": str() as text}:
            return ok(text)
        case {"stall": int() | float() as seconds}:
            return stall(seconds)
        case {"drip": str() as text}:
            return drip(text)
        case {"status": int() as code, **more}:
            return status(code, str(more.get("message", "scripted")), more.get("headers"))
        case _:
            raise ValueError(f"no such behaviour: {written!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description="A chat-completions endpoint that misbehaves.")
    parser.add_argument("--script", type=Path, required=True, help="a JSON list of behaviours")
    parser.add_argument("--port-file", type=Path, required=True, help="where to write the port")
    options = parser.parse_args()
    script = [behaviour(written) for written in json.loads(options.script.read_text())]
    with OpenAIServer(script) as server:
        partial = options.port_file.with_suffix(".partial")
        partial.write_text(str(server.port))
        partial.replace(options.port_file)
        threading.Event().wait()


if __name__ == "__main__":
    main()
