"""Loads packages once, and becomes every program that a client asks for, in a fork of its own.

`python fork_server.py LISTENER PACKAGE…` takes clients (`fork_client.py`) from a listening socket,
and ends with its standard input.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import time

ATTEMPTS = 100


def main(listener: socket.socket, packages: list[str]) -> None:
    """Take clients until nobody holds the other end; in a fork, be what one of them asked for."""
    for package in packages:
        loaded = importlib.import_module(package)
        for each in pkgutil.walk_packages(getattr(loaded, "__path__", ()), f"{package}."):
            if package.startswith("assay_") and not each.name.endswith(".__main__"):
                importlib.import_module(each.name)
    # What is loaded is nobody's garbage, and a page that is never touched is never copied.
    gc.collect()
    gc.freeze()
    while 0 not in select.select([0, listener], [], [])[0]:
        connection, _ = listener.accept()
        received = socket.recv_fds(connection, 1, 3)
        if len(received[1]) == 3 and fork() == 0:
            listener.close()
            watch(connection, received[1])
            return
        for descriptor in received[1]:
            os.close(descriptor)
        connection.close()
        while reaped(os.WNOHANG):
            pass
    while reaped(0):
        pass


def fork() -> int:
    """Fork, once the machine has room for a process: tests of floods leave none for a moment."""
    for _ in range(ATTEMPTS):
        with contextlib.suppress(OSError):
            return os.fork()
        time.sleep(0.1)
    return os.fork()


def reaped(flags: int) -> bool:
    try:
        return os.waitpid(-1, flags)[0] > 0
    except ChildProcessError:
        return False


def watch(connection: socket.socket, streams: list[int]) -> None:
    """Tell the client how the program ends, and end it with the client. Returns in the program."""
    with connection.makefile("rb") as asked:
        arguments, environment, folder = marshal.load(asked)
    program = fork()
    if program == 0:
        connection.close()
        become(arguments, environment, folder, streams)
        return
    for descriptor in streams:
        os.close(descriptor)
    ended = os.pidfd_open(program)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(connection, 0)
    if ended not in dict(waiting.poll()):
        os.kill(program, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    try:
        connection.sendall(marshal.dumps(status))
    finally:
        os._exit(0)


def become(
    arguments: list[str], environment: dict[bytes, bytes], folder: bytes, streams: list[int]
) -> None:
    """Take on what an interpreter has been given by the time that it runs a program."""
    late = {
        name.decode()
        for name, value in environment.items()
        if name.startswith(b"PYTHON") and os.environb.get(name) != value
    }
    os.environb.clear()
    os.environb.update(environment)
    os.chdir(folder)
    for number, (descriptor, mode) in enumerate(zip(streams, "rww", strict=True)):
        os.dup2(descriptor, number)
        os.close(descriptor)
        stream = os.fdopen(number, mode, encoding="utf-8", closefd=False)
        name = ("stdin", "stdout", "stderr")[number]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.stderr.reconfigure(errors="backslashreplace", line_buffering=True)
    sys.argv = arguments
    if late:
        sys.exit(f"Only an interpreter's start reads {', '.join(late)}: start one of your own.")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
    if sys.argv[0] == "-m":
        sys.path[0] = os.getcwd()
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    elif sys.argv[0] != __file__:
        sys.path[0] = os.path.dirname(sys.argv[0])
        runpy.run_path(sys.argv[0], run_name="__main__")
