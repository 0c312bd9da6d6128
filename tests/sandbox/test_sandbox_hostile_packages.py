"""A package that means harm, imported ahead of programs, does none beyond its own programs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assay_sandbox import Call, Crashed, Limits, Program, TimedOut
from support import processes
from support.packages import (
    RUNNING,
    TELLING,
    Opening,
    answer,
    is_ahead,
    started_by_this,
    wait_for_the_end_of,
)
from support.waiting import eventually

ATTEMPTS = """
import ctypes, os, resource, signal, socket

def tried(attempt):
    try:
        attempt()
    except BaseException as error:
        return type(error).__name__
    return "done"

def live_on():
    if ctypes.CDLL(None).prctl(1, 0, 0, 0, 0):
        raise PermissionError

tried_on_import = [
    tried(lambda: open({written!r}, "w")),
    tried(lambda: open({secret!r})),
    tried(lambda: socket.socket(socket.AF_INET).connect(("127.0.0.1", {port}))),
    tried(lambda: os.execv("/bin/true", ["true"])),
    tried(lambda: os.kill({caller}, 0)),
    tried(lambda: os.unshare(0x10000000) if hasattr(os, "unshare") else os.chroot("/")),
    tried(live_on),
    tried(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))),
]
importer = os.getpid()
"""


def test_a_package_is_confined_while_it_is_imported_ahead(
    opened: Opening, environment: Callable[..., Path], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret", encoding="utf-8")
    source = ATTEMPTS.format(
        written=str(tmp_path / "written"), secret=str(secret), port=9, caller=os.getpid()
    )
    with opened(environment(source)) as sandbox:
        assert is_ahead(sandbox)
        tried = answer(sandbox, "import numpy\ndef f(): return numpy.tried_on_import\n")
    denied = "PermissionError"
    # The caller is nobody in a pid namespace, and out of reach without one.
    caller = "ProcessLookupError" if opened.tier == "N" else denied
    assert tried == [denied] * 4 + [caller, denied, denied, "ValueError"]
    assert not (tmp_path / "written").exists()


def test_a_package_that_takes_its_zygote_over_ends_with_the_sandbox(
    opened: Opening,
    environment: Callable[..., Path],
) -> None:
    source = f"""{TELLING}
import ctypes, time
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
try:
    os.setsid()
except PermissionError:
    pass
end = os._exit
def stay(status):
    if os.getpid() != importer:
        end(status)
    while True:
        time.sleep(0.2)
os._exit = stay
"""
    before = started_by_this(())
    with opened(environment(source)) as sandbox:
        assert is_ahead(sandbox)
        started = started_by_this(before)
    wait_for_the_end_of(started)


# Two that no parent waits for, of which one never stays the same process for long.
HIDE = f"""{TELLING}
import ctypes, time
fork = os.fork

def hide():
    between = fork()
    if between > 0:
        os.waitpid(between, 0)
        return
    if fork() > 0:
        os._exit(0)
    for attempt in (os.setsid, lambda: os.setpgid(0, 0)):
        try:
            attempt()
        except PermissionError:
            pass
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    stays = fork()
    while True:
        if stays and fork() > 0:
            os._exit(0)
        time.sleep(0.005)
"""
# With every fork from then on.
HIDING = f"""{HIDE}
def hide_and_fork():
    hide()
    return fork()
os.fork = hide_and_fork
"""
# The beginning of callers that are processes of their own.
OPENED = """
import os, signal, sys, time
from assay_sandbox import Call, Limits, Program, Sandbox, keeping

def opened():
    return Sandbox(sys.argv[1], tier=sys.argv[2], virtual_environment=sys.argv[3])

def wait_until_ahead(sandbox):
    text = "import os, numpy\\ndef f(): return os.getpid() != numpy.importer\\n"
    while sandbox.run(Program(text, "f"), [Call()])[0].value != "true":
        time.sleep(0.05)
"""
CALLER = f"""{OPENED}
with opened() as sandbox:
    wait_until_ahead(sandbox)
    print("ahead", flush=True)
    time.sleep(600)
"""


def with_packages(environment: Path) -> list[processes.Process]:
    """Workers that have this virtual environment and have imported packages, and their forks."""
    found: list[processes.Process] = []
    for pid, each in processes.everything().items():
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if f"--virtual-environment={environment}".encode() in command and b"numpy" in command:
                found.append(each)
    return found


def wait_until_none_has(environment: Path) -> None:
    eventually(lambda: all(each.ended for each in with_packages(environment)))


def test_what_a_package_hides_on_import_is_found(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(f"{HIDE}if os.getpid() == importer: hide()\n")
    with opened(folder) as sandbox:
        assert not is_ahead(sandbox)
        wait_until_none_has(folder)


def test_what_a_package_hides_ends_with_the_sandbox(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(HIDING)
    with opened(folder) as sandbox:
        assert is_ahead(sandbox)
        assert len(with_packages(folder)) > 2
    wait_until_none_has(folder)


def test_what_a_package_hides_ends_with_who_stays_behind(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(HIDING)
    with opened(folder) as sandbox:
        assert is_ahead(sandbox)
        (behind,) = [each for each in with_packages(folder) if each.parent == os.getpid()]
        os.kill(behind.pid, signal.SIGKILL)
        wait_until_none_has(folder)


def test_what_a_package_hides_ends_with_the_caller(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(HIDING)
    command = [sys.executable, "-c", CALLER, str(RUNNING), opened.tier, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
        try:
            assert caller.stdout is not None
            assert caller.stdout.readline() == "ahead\n"
            assert len(with_packages(folder)) > 2
        finally:
            caller.kill()
    wait_until_none_has(folder)


# The names that a zygote uses to speak to the caller.
FOUND = f"""{TELLING}
import gc
wanted = {{"opened", "send", "take", "close_from"}}
found = [each for each in gc.get_objects() if type(each) is dict and wanted <= each.keys()]
# A program that imports this by itself finds nothing.
names = found[0] if found else {{"send": None, "socket": object}}
"""


@pytest.mark.parametrize("said", ["b'x'", "b'started'"])
def test_what_a_package_says_in_its_zygotes_name_is_believed_no_further(
    opened: Opening, environment: Callable[..., Path], said: str
) -> None:
    source = f"""{FOUND}
class Lying(names["socket"]):
    def send(self, *_given):
        return super().send({said})
names["socket"] = Lying
"""
    with opened(environment(source)) as sandbox:
        assert is_ahead(sandbox)
        descriptors = len(os.listdir("/proc/self/fd"))
        seen = answer(sandbox, "import os\nimport numpy\ndef f(): os._exit(3)\n")
        assert isinstance(seen, Crashed), seen
        assert "took its zygote with it" in seen.how or "status 3" in seen.how
        # The next zygote is started beside the end of this one.
        deadline = time.monotonic() + 10.0
        while len(os.listdir("/proc/self/fd")) > descriptors and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(os.listdir("/proc/self/fd")) <= descriptors


# Who opens a sandbox and runs an endless program, whose process is said to be another.
DECEIVED = f"""{OPENED}
# Who says what is not so is given up, and tried again after this.
keeping.FRESH_SECONDS = 1.0
endless = Program("import numpy\\nwhile True: pass\\ndef f(): pass\\n", "f")
with opened() as sandbox:
    wait_until_ahead(sandbox)
    sandbox.run(endless, [Call()], Limits(load_seconds=0.2))
print("lives")
"""
# The caller's is the other end of its socket (SO_PEERPIDFD), which no namespace hides.
NAMED = {
    "another": "os.pidfd_open({pid})",
    "the caller": "struct.unpack('i', names['socket'](fileno=peer()).getsockopt(1, 77, 4))[0]",
}


@pytest.mark.parametrize("whom", NAMED)
def test_no_process_is_killed_because_a_package_names_it(
    opened: Opening, environment: Callable[..., Path], whom: str
) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as other:
        source = f"""{FOUND}
import stat, struct
send = names["send"]
def peer():
    return next(n for n in range(3, 64) if is_socket(n))
def is_socket(number):
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False
def named(channel, message, descriptor):
    try:
        descriptor = {NAMED[whom].format(pid=other.pid)}
    except ProcessLookupError:
        pass  # It is not there.
    send(channel, message, descriptor)
names["send"] = named
"""
        folder = environment(source)
        command = [sys.executable, "-c", DECEIVED, str(RUNNING), opened.tier, str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (0, "lives\n"), done.stderr
            assert other.poll() is None
        finally:
            other.kill()


DYING = f"""{OPENED}
import threading

class Dying(keeping.Zygote):
    def __init__(self, launch):
        super().__init__(launch)
        if launch.packages:
            threading.Timer(float(sys.argv[4]), os.kill, (os.getpid(), 9)).start()

sandbox = opened()
sandbox.start()
keeping.Zygote = Dying
while True:
    sandbox.run(Program("import numpy\\ndef f(): pass\\n", "f"), [Call()])
"""


@pytest.mark.parametrize("milliseconds", [0, 8, 16, 24, 40])
def test_a_package_that_never_returns_ends_with_a_caller_that_dies_at_once(
    opened: Opening, environment: Callable[..., Path], milliseconds: int
) -> None:
    folder = environment("import time\nwhile True: time.sleep(1)\n")
    seconds = str(milliseconds / 1000)
    command = [sys.executable, "-c", DYING, str(RUNNING), opened.tier, str(folder), seconds]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    wait_until_none_has(folder)


UNHEARD = f"""{OPENED}
sys.path.append(sys.argv[4])
from support import processes

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
with opened() as sandbox:
    wait_until_ahead(sandbox)
    for each in processes.below(os.getpid()):
        if each.parent == os.getpid():
            os.kill(each.pid, signal.SIGKILL)
    time.sleep(0.2)
print("closed")
"""


def test_what_a_package_hides_ends_with_a_caller_that_waits_for_nobody(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(HIDING)
    command = [sys.executable, "-c", UNHEARD, str(RUNNING), opened.tier, str(folder)]
    command.append(str(Path(__file__).parents[1]))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "closed\n"), done.stderr
    wait_until_none_has(folder)


def test_a_package_that_hides_its_zygotes_children_delays_others_once(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    source = f"""{TELLING}
import gc
for each in gc.get_objects():
    if isinstance(each, type) and each.__name__ == "_Children":
        each.introduce = lambda self: False
        each.ended = lambda self, pidfd: self.poll.unregister(pidfd)
"""
    limits = Limits(call_seconds=0.2, load_seconds=5.0, total_seconds=60.0)
    endless = Program("import numpy\ndef f():\n    while True:\n        pass\n", "f")
    before = started_by_this(())
    with opened(environment(source)) as sandbox:
        assert is_ahead(sandbox)
        started = started_by_this(before)
        assert isinstance(*sandbox.run(endless, [Call()], limits), TimedOut)
        # It has ended with all that it had started, and is not started again for a while.
        assert not is_ahead(sandbox)
        assert isinstance(*sandbox.run(endless, [Call()], limits), TimedOut)
    wait_for_the_end_of(started)
