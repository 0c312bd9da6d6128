"""Runs the server on standard input and output until the client leaves or dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Mapping
from typing import NoReturn

from assay_lsp.features import (
    code_actions,
    code_lens,
    commands,
    hover,
    lifecycle,
    showing,
    synchronising,
)
from assay_lsp.folders import OpenEngine
from assay_lsp.lifetime import CHILDREN_SECONDS, ENGINE_SECONDS, doom, end_children, watch_process
from assay_lsp.server import AssayServer, open_engine
from assay_lsp.wire import UNHANDLED_MESSAGES_MAX, Writer, read_messages

log = logging.getLogger(__name__)

_FEATURES = (lifecycle, synchronising, hover, code_lens, code_actions, commands, showing)


def serve(
    environment: Mapping[str, str],
    *,
    parent: int | None = None,
    open_engine: OpenEngine = open_engine,
) -> NoReturn:
    """Serve one client; `parent` is a process to end with, besides the one `initialize` names.

    Ends the process without Python's own cleanup at exit: that would wait for threads that may be
    stuck, and by then everything worth closing is closed.
    """
    logging.basicConfig(level=logging.WARNING)
    incoming, outgoing = _claim_standard_streams()
    loop = asyncio.new_event_loop()
    status = 1
    try:
        asyncio.set_event_loop(loop)
        status = loop.run_until_complete(
            _serve(incoming, outgoing, environment, parent, open_engine)
        )
    except BaseException:
        log.exception("the server failed")
    logging.shutdown()
    os._exit(status)


async def _serve(
    incoming: int,
    outgoing: int,
    environment: Mapping[str, str],
    parent: int | None,
    open_engine: OpenEngine,
) -> int:
    loop = asyncio.get_running_loop()
    left: asyncio.Future[int] = loop.create_future()

    def leave(status: int) -> None:
        """End the server. May be called from any thread; the first call decides on the status."""
        doom(status)
        with contextlib.suppress(RuntimeError):  # The loop has ended already.
            loop.call_soon_threadsafe(lambda: left.done() or left.set_result(status))

    server = AssayServer(environment, open_engine, leave)
    for feature in _FEATURES:
        feature.register(server)
    # Buffered, whatever PYTHONUNBUFFERED says: a message has to be written in one piece.
    stream = open(outgoing, "wb", buffering=1 << 16)  # noqa: SIM115 - closed with the process.
    server.protocol.set_writer(Writer(stream, lambda: leave(0)))
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(AttributeError):  # Windows has no SIGHUP.
            # Not the loop's own handlers: it may be writing to a client that does not read.
            signal.signal(getattr(signal, name), lambda number, _: leave(128 + number))
    if parent is not None:
        watch_process(parent, lambda: leave(0))
    _start_reading(incoming, server, loop)
    status = await left
    # Blocks the loop, which has no client left to serve.
    server.stop_session(ENGINE_SECONDS)
    end_children(CHILDREN_SECONDS)
    return status


def _start_reading(incoming: int, server: AssayServer, loop: asyncio.AbstractEventLoop) -> None:
    """Hand each message to the loop, from a thread that does nothing else."""
    room = threading.Semaphore(UNHANDLED_MESSAGES_MAX)

    def handle(message: object) -> None:
        room.release()
        server.receive(message)

    def deliver(message: object) -> None:
        room.acquire()
        with contextlib.suppress(RuntimeError):  # The loop has ended: there is no client any more.
            loop.call_soon_threadsafe(handle, message)

    def ended() -> None:
        server.leave(0)

    threading.Thread(
        target=read_messages, args=(incoming, deliver, ended), name="assay-reader", daemon=True
    ).start()


def _claim_standard_streams() -> tuple[int, int]:
    """Move the protocol to descriptors that no other code can reach.

    Duplicates are not inherited: no child can read from the client's pipes, write to them or keep
    them open. A stray print goes to the log, and a read from standard input finds it at its end.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing
