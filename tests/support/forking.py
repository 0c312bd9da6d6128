"""Processes of Assay that start at the cost of a fork instead of a second of imports."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

# Nearly all that Assay loads, also late: what is missing here only costs time.
# Every module of the first three.
LOADED = (
    *(
        "assay_engine",
        "assay_lsp",
        "assay_bench",
        "openai.resources.chat.chat",
        "openai.resources.models",
    ),
    *("hypothesis.strategies", "httpcore2", "truststore", "h11", "anyio._backends._asyncio"),
)
HERE = Path(__file__).parent
# Before any test changes it.
ENVIRONMENT = dict(os.environ)


def forked(*arguments: str) -> tuple[str, ...]:
    """The command that is `python ARGUMENT…`, of an interpreter that has Assay loaded already.

    It is a process of its own in all but what an interpreter's start tells (how it imports, and
    `PYTHON*` variables) and what its parent does with a process: to send it signals or look at its
    children, start one for itself.
    """
    if not hasattr(os, "pidfd_open"):
        return (sys.executable, *arguments)
    client = (sys.executable, "-I", "-S", str(HERE / "fork_client.py"))
    server, address = _server()
    assert server.poll() is None, f"the fork server ended with status {server.returncode}"
    return (*client, address, *arguments)


@cache
def _server() -> tuple[subprocess.Popen[bytes], str]:
    """This test process's own, and its address."""
    folder = tempfile.TemporaryDirectory(prefix="assay-fork-")
    address = f"{folder.name}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        number = str(listener.fileno())
        server = subprocess.Popen(
            [sys.executable, str(HERE / "fork_server.py"), number, *LOADED],
            stdin=subprocess.PIPE,
            env=ENVIRONMENT,
            pass_fds=[listener.fileno()],
        )

    def end() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait()
        folder.cleanup()

    atexit.register(end)
    return server, address
