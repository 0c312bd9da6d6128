"""What each tier of Linux holds back, and what it lets honest programs do nevertheless."""

from __future__ import annotations

import mimetypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assay_sandbox import Call, Encoded, Observation, Program, Refused, Returned, Sandbox, encode
from support import processes

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the tiers are those of Linux"
)
TIERS = ("N", "L", "B", "S")


def seen(box: Sandbox, source: str, argument: object = 0) -> Observation:
    (observation,) = box.run(Program(source, "f"), [Call((argument,))])
    return observation


def value(observation: Observation) -> Encoded:
    assert isinstance(observation, Returned), observation
    return observation.value


def test_no_text_chooses_what_is_imported_before_the_filter(
    in_tier: Callable[[str], Sandbox],
) -> None:
    source = (
        "import sys\n"
        "if False:\n"
        "    import json.tool, wsgiref.util, unittest.__main__, test.support\n"
        "    from email import _policybase, contentmanager\n"
        "def f(names):\n"
        "    return [name in sys.modules for name in names]\n"
    )
    names = ["json.tool", "wsgiref.util", "unittest.__main__", "test.support", "email.message"]
    box = in_tier("S")
    # The last is one of those that are always there.
    assert value(seen(box, source, names)) == encode([False] * 4 + [True])


LATE = {
    "a date that is read": (
        """
from datetime import datetime
def f(x):
    return datetime.strptime("2024-01-02", "%Y-%m-%d").year
""",
        2024,
    ),
    "encodings": (
        """
def f(x):
    names = ("cp1252", "idna", "cp437", "latin-1")
    return [text.encode(name).hex() for text, name in zip(("€", "bü.de", "é", "é"), names)]
""",
        ["80", b"xn--b-eha.de".hex(), "82", "e9"],
    ),
    "an unknown encoding": (
        """
def f(x):
    try:
        "a".encode("no-such-encoding")
    except LookupError:
        return "unknown"
""",
        "unknown",
    ),
    "a pool of threads": (
        """
from concurrent.futures import ThreadPoolExecutor
def f(x):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(abs, [-1, -2]))
""",
        [1, 2],
    ),
    "a thread of an event loop": (
        """
import asyncio
async def f(x):
    return await asyncio.to_thread(sum, [1, 2])
""",
        3,
    ),
    "a message": (
        """
from email.message import EmailMessage
def f(x):
    message = EmailMessage()
    message["Subject"] = "ü"
    message.set_content("hé")
    return "=?utf-8?" in message.as_string()
""",
        True,
    ),
    "a name that is worked out": (
        """
import importlib
def f(x):
    return importlib.import_module("color" + "sys").rgb_to_hsv(0, 0, 0)[2]
""",
        0,
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_what_is_imported_late_is_there_where_no_file_can_be_opened(
    in_tier: Callable[[str], Sandbox], name: str
) -> None:
    source, expected = LATE[name]
    assert value(seen(in_tier("S"), source)) == encode(expected)


WRITING = """
import os

def f(folders):
    made = []
    for folder in folders:
        for flags in (os.O_CREAT | os.O_RDWR, os.O_TMPFILE | os.O_RDWR):
            name = folder if flags & os.O_TMPFILE == os.O_TMPFILE else folder + "/assay-written"
            try:
                os.close(os.open(name, flags, 0o600))
                made.append(name)
            except OSError:
                pass
    return made
"""
FOLDERS = ("/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/etc", "/usr", "/usr/lib", "/run")


@pytest.mark.parametrize("tier", TIERS)
def test_no_program_leaves_a_file_for_the_next(
    in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    box = in_tier(tier)
    assert value(seen(box, WRITING, list(FOLDERS))) == encode([])


TERMINAL = """
import os

def f(x):
    try:
        os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return "none"
    return "opened"
"""


@pytest.mark.parametrize("tier", TIERS)
def test_no_program_opens_a_terminal(in_tier: Callable[[str], Sandbox], tier: str) -> None:
    box = in_tier(tier)
    assert value(seen(box, TERMINAL)) == encode("none")


DEVICES = """
import contextlib, os

def f(x):
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        print("noise")
    with open(os.devnull, "ab") as nowhere:
        nowhere.write(b"noise")
    with open(os.devnull, "r+b", buffering=0) as nowhere:
        nowhere.write(b"noise")
    with open("/dev/urandom", "rb") as some, open("/dev/zero", "rb") as none:
        return [len(some.read(3)), none.read(2).hex()]
"""


@pytest.mark.parametrize("tier", ["N", "L", "B"])
def test_what_is_written_to_the_null_device_is_gone(
    in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    box = in_tier(tier)
    assert value(seen(box, DEVICES)) == encode([3, "0000"])


@pytest.mark.skipif(
    not any(map(os.path.exists, mimetypes.knownfiles)), reason="this system has no such list"
)
@pytest.mark.parametrize("tier", TIERS)
def test_types_of_files_are_those_of_the_system(
    in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    source = "import mimetypes\ndef f(names):\n"
    source += "    return [mimetypes.guess_type(name)[0] for name in names]\n"
    names = ["a.html", "a.abw", "a.xsf", "a.nothing"]
    box = in_tier(tier)
    known = [mimetypes.guess_type(name)[0] for name in names]
    assert value(seen(box, source, names)) == encode(known)


@pytest.mark.parametrize("tier", TIERS)
def test_signals_that_wait_are_few(in_tier: Callable[[str], Sandbox], tier: str) -> None:
    # The kernel counts them by account, and has no name for the limit in `resource`.
    source = "import resource\ndef f(x):\n    return resource.getrlimit(11)[1] <= 64\n"
    box = in_tier(tier)
    assert value(seen(box, source)) == encode(True)


@pytest.mark.parametrize("tier", ["N", "L", "S"])
def test_programs_go_first_where_memory_is_short(
    in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    mine = os.getpid()
    before = {each.pid for each in processes.below(mine)}
    in_tier(tier)
    with Sandbox(tier=tier) as box:
        assert value(seen(box, "def f(x):\n    return x\n"))
        scores: set[str] = set()
        for pid in {each.pid for each in processes.below(mine)} - before:
            # The program's own process may just have ended.
            with suppress(OSError):
                scores.add(Path(f"/proc/{pid}/oom_score_adj").read_text())
    assert scores == {"1000\n"}


@pytest.mark.parametrize("tier", ["N", "L"])
def test_no_other_device_is_written_to(in_tier: Callable[[str], Sandbox], tier: str) -> None:
    source = "def f(x):\n    open('/dev/zero', 'wb')\n"
    box = in_tier(tier)
    assert isinstance(seen(box, source), Refused)


# A task that is refused is an error number; one that were not would share a stack, and crash.
TASKS = """
import ctypes, errno, platform, threading

CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLOSE_RANGE = 436

def call(*arguments):
    ctypes.set_errno(0)
    return libc.syscall(*map(ctypes.c_long, arguments)), errno.errorcode.get(ctypes.get_errno())

def f(flags):
    global libc
    libc = ctypes.CDLL(None, use_errno=True)
    told = [call(CLONE, flag, 0, 0, 0, 0) for flag in flags]
    told += [call(CLOSE_RANGE, 1000, 1001, flag) for flag in (0, 2, 4, 6)]
    thread = threading.Thread(target=told.append, args=("ran",))
    thread.start()
    thread.join()
    return told
"""
MEMORY, FOLDERS_OF, FILES, HANDLERS, THREAD = 0x100, 0x200, 0x400, 0x800, 0x10000
INCOMPLETE = [
    THREAD | MEMORY | HANDLERS,
    THREAD | MEMORY | HANDLERS | FOLDERS_OF,
    THREAD | MEMORY | HANDLERS | FILES,
    THREAD | MEMORY | HANDLERS | FILES | FOLDERS_OF | 0x10000000,
    MEMORY | FOLDERS_OF | FILES | HANDLERS,
]


@pytest.mark.parametrize("tier", TIERS)
def test_no_task_has_descriptors_of_its_own(in_tier: Callable[[str], Sandbox], tier: str) -> None:
    refused = (-1, "EPERM")
    expected = [*[refused] * len(INCOMPLETE), (0, None), refused, (0, None), refused, "ran"]
    box = in_tier(tier)
    assert value(seen(box, TASKS, INCOMPLETE)) == encode(expected)


FLAGS = """
import fcntl, os

def f(change):
    if change:
        for descriptor in (0, 1, 2):
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)
    return [fcntl.fcntl(each, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_APPEND) for each in (0, 1, 2)]
"""


@pytest.mark.parametrize("tier", TIERS)
def test_flags_of_descriptors_are_not_left_to_the_next_program(
    in_tier: Callable[[str], Sandbox], tier: str
) -> None:
    box = in_tier(tier)
    changed = os.O_NONBLOCK | os.O_APPEND
    assert value(seen(box, FLAGS, True)) == encode([changed] * 3)
    assert value(seen(box, FLAGS, False)) == encode([0] * 3)


LINKS = """
import os

def f(names):
    read = []
    for name in names:
        try:
            read.append(os.readlink(name))
        except OSError:
            pass
    return read
"""


def test_nobody_learns_where_a_process_works(
    in_tier: Callable[[str], Sandbox], tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to("elsewhere")
    names = [str(link), f"/proc/{os.getpid()}/cwd", "/proc/self/cwd"]
    box = in_tier("S")
    assert value(seen(box, LINKS, names)) == encode([])
