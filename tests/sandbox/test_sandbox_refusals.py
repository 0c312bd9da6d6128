"""Refused calls that no audit event tells of, under every interpreter there is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay_sandbox import Call, Observation, Program, Raised, Refused, Returned, Sandbox
from support.interpreters import interpreters

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what refuses these calls is the filter of Linux"
)
SOURCE = """
import asyncio, contextlib, os, time
from os import setuid as become

def call(name):
    return globals()[name]()

def user():
    os.setuid(0)

def by_another_name():
    become(0)

def root():
    os.chroot("/")

def haste():
    return os.nice(-5)

def clock():
    time.clock_settime(time.CLOCK_REALTIME, 0)

def folder():
    os.chdir("/root")

def shared():
    from multiprocessing.shared_memory import SharedMemory
    return SharedMemory(create=True, size=10).name

def lock():
    import multiprocessing
    return multiprocessing.Lock()

def mapping():
    import mmap
    return len(mmap.mmap(-1, 100))

def pool():
    from multiprocessing.pool import ThreadPool
    return ThreadPool(2).map(abs, [-1])

def let_through():
    try:
        os.setuid(0)
    finally:
        os.getpid()

def raised_again():
    try:
        os.setuid(0)
    except PermissionError:
        raise

def deeper():
    with contextlib.suppress(ValueError):
        user()

def caught():
    try:
        os.setuid(0)
    except PermissionError:
        return "caught"

def own():
    if os.getpid() < 0:
        os.setuid(0)
    raise PermissionError(1, "Operation not permitted")

def own_instead():
    try:
        os.setuid(0)
    except PermissionError as error:
        raise PermissionError(1, "admins only") from error

def look_up():
    import socket
    try:
        socket.create_connection(("a.test", 80))
    except OSError as error:
        raise ConnectionError("not reached") from error

def setgid(number):
    raise PermissionError(1, "Operation not permitted")

def namesake():
    setgid(0)

def own_after_an_event():
    async def refuses():
        raise PermissionError(1, "Operation not permitted")
    asyncio.run(refuses())

async def in_a_loop():
    os.setuid(0)

async def handed_on():
    future = asyncio.get_running_loop().create_future()
    future.set_exception(PermissionError(13, "admins only"))
    await future

def with_a_traceback_of_its_own():
    import sys, types
    try:
        raise PermissionError(13, "admins only")
    except PermissionError as error:
        trace = types.TracebackType(None, sys._getframe(), 10**6, 1)
        own = error.with_traceback(trace)
    raise own

def two():
    os.setgid(0) if os.getpid() < 0 else os.setuid(0)

def shell():
    return os.system("ls")
"""
NAMED = {
    "user": "os.setuid",
    "root": "os.chroot",
    "haste": "os.nice",
    "clock": "time.clock_settime",
    "folder": "os.chdir '/root'",
    "shared": "_posixshmem.shm_open",
    "lock": "_multiprocessing.SemLock",
    "pool": "_multiprocessing.SemLock",
    "mapping": "mmap.__new__ -1",
    "let_through": "os.setuid",
    "raised_again": "os.setuid",
    "deeper": "os.setuid",
    "in_a_loop": "os.setuid",
    "own_instead": "os.setuid",
    "look_up": "socket.getaddrinfo 'a.test'",
}
# Its own errors, and frames with two names, of which either could be it, or none.
OWN = (
    *("own", "namesake", "own_after_an_event", "two", "by_another_name"),
    *("handed_on", "with_a_traceback_of_its_own"),
)


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_calls_without_an_event_are_named_and_errors_of_a_program_are_not(python: Path) -> None:
    names = [*NAMED, *OWN, "caught", "shell"]
    with Sandbox(python) as sandbox:
        observations = sandbox.run(Program(SOURCE, "call"), [Call((name,)) for name in names])
    seen: dict[str, Observation] = dict(zip(names, observations, strict=True))
    assert {name: seen[name] for name in NAMED} == {
        name: Refused(what) for name, what in NAMED.items()
    }
    for name in OWN:
        observation = seen[name]
        assert isinstance(observation, Raised), name
        assert observation.type_name == "PermissionError"
    assert seen["caught"] == Returned('"caught"')
    # It does not fail: the status is how it says that there was no shell.
    assert seen["shell"] == Returned("32512")
