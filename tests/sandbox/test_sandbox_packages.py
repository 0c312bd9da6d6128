"""Large packages are imported once for all programs, which must not be able to tell."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Crashed,
    Limits,
    LoadFailed,
    Observation,
    OutOfMemory,
    Program,
    Returned,
    Sandbox,
    SandboxUnavailable,
    Surroundings,
    decode,
    keeping,
    zygotes,
)
from assay_sandbox.packages import imports_of
from assay_sandbox.trial import processes
from assay_sandbox.worker import landlock
from support.interpreters import interpreters

DEADLINE_SECONDS = 30.0
RUNNING = Path(sys.executable).resolve()
# Who has imported it says so by its number.
TELLING = "import os\nimporter = os.getpid()\n"
IMPORTED_AHEAD = Program(
    "import os\nimport numpy\n\ndef f():\n    return os.getpid() != numpy.importer\n", "f"
)
# Who is begun anew counts anew.
COUNTING = Program(
    "import time\nimport numpy\ncount = 0\ndef f():\n    global count\n    count += 1\n"
    "    time.sleep(0.02)\n    return count\n",
    "f",
)


@dataclass(frozen=True)
class Opening:
    """Opens a sandbox in a tier in which packages are imported ahead."""

    tier: str

    def __call__(self, environment: Path, python: Path = RUNNING) -> Sandbox:
        return Sandbox(python, tier=self.tier, workers=2, virtual_environment=environment)


def _why_not(tier: str) -> str:
    try:
        with Sandbox(tier=tier) as sandbox:
            sandbox.start()
    except SandboxUnavailable as error:
        return f"tier {tier} is not to be had here: {error.reason}"
    if tier == "L" and not landlock.keeps_signals():
        return "this kernel's Landlock does not keep signals, so packages are not imported ahead"
    return ""


@pytest.fixture(params=keeping.TIERS_OF_PACKAGES)
def opened(request: pytest.FixtureRequest) -> Opening:
    tier = str(request.param)
    reason = _why_not(tier)
    if reason:
        pytest.skip(reason)
    return Opening(tier)


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a virtual environment whose `numpy` has this text."""

    def make(source: str, python: Path = RUNNING) -> Path:
        name = python.name if python != RUNNING else f"python3.{sys.version_info.minor}"
        folder = tmp_path / "environment"
        packages = folder / "lib" / name / "site-packages"
        packages.mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text(f"home = {python.parent}\n", encoding="utf-8")
        (packages / "numpy.py").write_text(source, encoding="utf-8")
        return folder

    return make


def only(observations: tuple[Observation, ...]) -> object:
    (seen,) = observations
    return decode(seen.value) if isinstance(seen, Returned) else seen


def answer(sandbox: Sandbox, source: str, *modules: tuple[str, str]) -> object:
    return only(sandbox.run(Program(source, "f", modules), [Call()]))


def settled(sandbox: Sandbox) -> Sandbox:
    """Once a program has imported the package, and what was then started for others is there, or
    has been given up."""
    sandbox.run(IMPORTED_AHEAD, [Call()])
    for thread in threading.enumerate():
        if thread.name == "assay-packages":
            thread.join(DEADLINE_SECONDS)
            assert not thread.is_alive()
    return sandbox


def is_ahead(sandbox: Sandbox) -> bool:
    return only(settled(sandbox).run(IMPORTED_AHEAD, [Call()])) is True


def started_by_this(before: Sequence[processes.Process]) -> list[processes.Process]:
    known = {(each.pid, each.started) for each in before}
    return [each for each in processes.below(os.getpid()) if (each.pid, each.started) not in known]


def wait_for_the_end_of(started: Sequence[processes.Process]) -> None:
    ends = time.monotonic() + DEADLINE_SECONDS
    while any(map(processes.alive, started)):
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_a_package_is_imported_once_for_all_programs(
    opened: Opening, environment: Callable[..., Path], python: Path
) -> None:
    with opened(environment(TELLING, python), python) as sandbox:
        assert is_ahead(sandbox)
        told = Program("import numpy\n\ndef f():\n    return numpy.importer\n", "f")
        first, second = sandbox.run_many((told, told), [Call()])
        assert first == second


def test_a_program_that_does_not_import_it_does_not_find_it(
    opened: Opening,
    environment: Callable[..., Path],
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert is_ahead(sandbox)
        assert answer(sandbox, "import sys\ndef f(): return 'numpy' in sys.modules") is False


BY_ITSELF = "def f(): return os.getpid() == numpy.importer\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import os, numpy\n    return os.getpid() == numpy.importer\n",
        f"import os\nif True:\n    import numpy\n{BY_ITSELF}",
        f"import os\nos.environ['A'] = 'a'\nimport numpy\n{BY_ITSELF}",
        f"import os; os.environ['A'] = 'a'\nimport numpy\n{BY_ITSELF}",
        f"import os\nimport mine\nimport numpy\n{BY_ITSELF}",
        f"import os\n'''\nimport numpy\n'''\nif True: import numpy\n{BY_ITSELF}",
    ],
)
def test_what_is_not_imported_first_is_not_imported_ahead(
    opened: Opening, environment: Callable[..., Path], source: str
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert is_ahead(sandbox)
        assert answer(sandbox, source, ("mine", "")) is True


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import numpy", {"numpy"}),
        ("import numpy as np  # of course", {"numpy"}),
        ("import os, numpy.linalg as la, re", {"numpy"}),
        ("from numpy import (array, zeros)", {"numpy"}),
        ("from numpy.linalg import norm", {"numpy"}),
        (
            'r"""What \\d\nis done.\n"""\n\nfrom __future__ import annotations\nimport numpy',
            {"numpy"},
        ),
        ("import numpy\nimport pandas as pd", {"pandas"}),
        ("import networkx\nfrom pandas import *", {"networkx", "pandas"}),
        ("import numpyish", set[str]()),
        ("from .numpy import array", set[str]()),
        ("'''import numpy'''", set[str]()),
        ("'''\nimport numpy\n", set[str]()),
        ("x = 1\nimport numpy", set[str]()),
        ("import numpy; x = 1", set[str]()),
        ("import numpy \\\n as np", set[str]()),
        ("import torch\nimport numpy", set[str]()),
        ("\0import numpy", set[str]()),
        ("import os\r\nimport numpy\r\n", {"numpy"}),
        ("# first\rimport torch\nimport numpy", set[str]()),
        ("import os  # first\rx = 1\nimport numpy", set[str]()),
    ],
)
def test_what_a_program_imports_first(source: str, expected: set[str]) -> None:
    assert set(imports_of(Program(source, "f")).first) == expected


def test_a_module_of_the_users_own_goes_before_a_package(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    with opened(environment(TELLING + "mine = False\n")) as sandbox:
        assert is_ahead(sandbox)
        source = "import numpy\ndef f(): return numpy.mine\n"
        assert answer(sandbox, source, ("numpy", "mine = True\n")) is True


@pytest.mark.parametrize("name", ["zipfile", "a_module_that_is_missing"])
def test_a_module_of_the_users_own_goes_before_one_that_a_package_looks_for(
    opened: Opening, environment: Callable[..., Path], name: str
) -> None:
    looking = "try:\n    import zipfile, a_module_that_is_missing\nexcept ImportError:\n    pass\n"
    with opened(environment(TELLING + looking)) as sandbox:
        assert is_ahead(sandbox)
        source = f"import numpy\nimport {name}\ndef f(): return {name}.mine\n"
        assert answer(sandbox, source, (name, "mine = True\n")) is True
        other = "import numpy\nimport mine, os\ndef f(): return os.getpid() != numpy.importer\n"
        assert answer(sandbox, other, ("mine", "")) is True


def test_a_package_finds_the_clock_that_its_program_finds(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    program = Program("import numpy\ndef f(): return numpy.now()\n", "f")
    frozen = Surroundings(frozen_time=86400.0)
    folder = environment(TELLING + "from time import time as now\n")
    with Sandbox(
        RUNNING, tier=opened.tier, surroundings=frozen, virtual_environment=folder
    ) as sandbox:
        settled(sandbox)
        assert only(sandbox.run(program, [Call()])) == 86400.0


@pytest.mark.parametrize(
    ("source", "ended"),
    [
        ("raise RuntimeError('none of that')\n", "none of that"),
        ("raise SystemExit(3)\n", "SystemExit"),
        ("import os\nos._exit(3)\n", ""),
        ("import ctypes\nctypes.string_at(0)\n", ""),
        ("import other_package_that_is_missing\n", "other_package_that_is_missing"),
    ],
)
def test_a_package_that_fails_fails_its_programs_and_no_other(
    opened: Opening, environment: Callable[..., Path], source: str, ended: str
) -> None:
    with opened(environment(source)) as sandbox:
        for _ in range(2):
            seen = answer(settled(sandbox), "import numpy\ndef f(): return 1\n")
            assert not isinstance(seen, int), seen
            assert ended in str(seen)
            assert answer(sandbox, "def f(): return 1\n") == 1


def test_nobody_waits_for_a_package_that_comes_to_no_end(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    before = started_by_this(())
    sandbox = opened(environment("while True: pass\n"))
    began = time.monotonic()
    with sandbox:
        seen = answer(sandbox, "import numpy\ndef f(): return 1\n")
        assert isinstance(seen, LoadFailed), seen
        assert answer(sandbox, "def f(): return 1\n") == 1
        started = started_by_this(before)
    assert time.monotonic() - began < zygotes.START_SECONDS
    wait_for_the_end_of(started)


@pytest.mark.parametrize(
    "shared",
    [
        "import threading\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
        "kept = open(__file__)\n",
        "import mmap\nboard = mmap.mmap(-1, 4096)\n",
        "try:\n    if os.fork() == 0:\n        time.sleep(60)\nexcept OSError:\n    pass\n",
    ],
    ids=["a thread", "a descriptor", "memory", "a process"],
)
def test_what_a_fork_would_lose_or_share_is_not_imported_ahead(
    opened: Opening, environment: Callable[..., Path], shared: str
) -> None:
    with opened(environment(f"{TELLING}import time\n{shared}")) as sandbox:
        before = started_by_this(())
        assert not is_ahead(sandbox)
        wait_for_the_end_of([e for e in started_by_this(before) if e.resident_bytes == 0])
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is False


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
CALLER = """
import sys, time
from assay_sandbox import Call, Program, Sandbox

source = "import os, numpy\\ndef f(): return os.getpid() == numpy.importer\\n"
program = Program(source, "f")
with Sandbox(sys.argv[1], tier=sys.argv[2], virtual_environment=sys.argv[3]) as sandbox:
    while sandbox.run(program, [Call()])[0].value != "false":
        time.sleep(0.05)
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
    ends = time.monotonic() + DEADLINE_SECONDS
    while any(not each.ended for each in with_packages(environment)):
        assert time.monotonic() < ends
        time.sleep(0.05)


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
        # What waits or followed by a zygote, and what is hidden.
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
        assert len(os.listdir("/proc/self/fd")) <= descriptors


def test_no_process_is_killed_because_a_package_names_it(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    endless = Program("import numpy\nwhile True: pass\ndef f(): pass\n", "f")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as other:
        source = f"""{FOUND}
send = names["send"]
def named(channel, message, descriptor):
    try:
        descriptor = os.pidfd_open({other.pid})
    except OSError:
        pass  # It is not there.
    send(channel, message, descriptor)
names["send"] = named
"""
        try:
            with opened(environment(source)) as sandbox:
                settled(sandbox)
                seen = only(sandbox.run(endless, [Call()], Limits(load_seconds=0.2)))
                assert isinstance(seen, LoadFailed), seen
            assert other.poll() is None
        finally:
            other.kill()


def test_what_a_package_takes_of_memory_is_taken_from_its_programs(
    opened: Opening,
    environment: Callable[..., Path],
) -> None:
    source = f"{TELLING}import mmap\ntaken = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE)\n"
    program = Program("import numpy\ndef f():\n    return len(bytes(300 << 20))\n", "f")
    with opened(environment(source)) as sandbox:
        assert is_ahead(sandbox)
        (seen,) = sandbox.run(program, [Call()], Limits(memory_bytes=1200 << 20))
        assert isinstance(seen, OutOfMemory), seen
        (seen,) = sandbox.run(program, [Call()], Limits(memory_bytes=1600 << 20))
        assert isinstance(seen, Returned), seen


HANDLED = (
    "import os, signal, threading\nimport numpy\nseen = []\ndef f():\n"
    "    signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))\n    {}\n    return seen\n"
)


@pytest.mark.parametrize(
    "text",
    [
        HANDLED.format("os.kill(os.getpid(), signal.SIGUSR1)"),
        HANDLED.format("signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)"),
        HANDLED.format("signal.raise_signal(signal.SIGUSR1)"),
        "import os\nimport numpy\ndef f(): os.kill(os.getpid(), 9)\n",
        "import os\nimport numpy\ndef f(): os.abort()\n",
        "import os\nimport numpy\ndef f(): os.fork()\n",
        "import os\nimport numpy\ndef f(): os.setsid()\n",
        "import os\nimport numpy\ndef f(): os.pidfd_open(1)\n",
        "import os\nimport numpy\ndef f(): os.waitpid(-1, 0)\n",
        "import os\nimport numpy\ndef f(): os.kill(1, 9)\n",
        "import resource\nimport numpy\ndef f(): resource.setrlimit(7, (9, 9))\n",
        "import socket\nimport numpy\ndef f(): socket.socketpair()[0].sendmsg([b'a'])\n",
    ],
)
def test_programs_may_as_much_as_without_packages_and_no_more(
    opened: Opening, environment: Callable[..., Path], text: str
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert is_ahead(sandbox)
        bare = answer(sandbox, text.replace("import numpy\n", ""))
        assert bare is not None
        assert answer(sandbox, text) == bare


def test_a_zygote_with_packages_that_is_lost_is_replaced(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    before = started_by_this(())
    with opened(environment(TELLING)) as sandbox:
        assert is_ahead(sandbox)
        for each in started_by_this(before):
            with contextlib.suppress(ProcessLookupError):
                # Gone with another.
                os.kill(each.pid, signal.SIGKILL)
        assert is_ahead(sandbox)


def test_a_package_that_is_installed_anew_is_imported_anew(
    opened: Opening, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = environment(TELLING + "version = 1\n")
    program = Program("import numpy\ndef f(): return numpy.version\n", "f")
    with opened(folder) as sandbox:
        assert is_ahead(sandbox)
        (installed,) = folder.rglob("numpy.py")
        installed.write_text(TELLING + "version = 20\n", encoding="utf-8")
        monkeypatch.setattr(keeping, "FRESH_SECONDS", 0.0)
        assert only(sandbox.run(program, [Call()])) == 20


def test_a_zygote_of_packages_does_not_age_while_a_program_of_it_runs(
    opened: Opening, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert is_ahead(sandbox)
        monkeypatch.setattr(keeping, "FRESH_SECONDS", 0.0)
        seen, *_others = sandbox.run_many((COUNTING, *[IMPORTED_AHEAD] * 8), [Call()] * 20)
        assert [only((each,)) for each in seen] == list(range(1, 21))


def test_how_many_descriptors_others_have_under_way_is_no_fault_of_a_program(
    opened: Opening,
    environment: Callable[..., Path],
) -> None:
    # More than a zygote of packages may have open, which is what bounds those under way, too.
    with opened(environment(TELLING)) as sandbox, _under_way(600):
        assert is_ahead(sandbox)
        assert [only(each) for each in sandbox.run_many([IMPORTED_AHEAD] * 6, [Call()])] == [
            True
        ] * 6


@contextlib.contextmanager
def _under_way(count: int) -> Iterator[None]:
    """So many descriptors that were sent and not received."""
    with contextlib.ExitStack() as held, open(os.devnull, "rb") as something:
        for _ in range(0, count, 200):
            here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            held.callback(here.close)
            held.callback(there.close)
            socket.send_fds(here, [b"x"], [something.fileno()] * 200)
        yield


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_fork_of_the_caller_ends_nothing_of_the_callers(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    with opened(environment(TELLING)) as sandbox, ThreadPoolExecutor(1) as other:
        assert is_ahead(sandbox)
        running = other.submit(sandbox.run, COUNTING, [Call()] * 50)
        time.sleep(0.2)
        pid = os.fork()
        if pid == 0:
            try:
                sandbox.close()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        assert [only((each,)) for each in running.result()] == list(range(1, 51))


@pytest.mark.parametrize(
    "protection", ["", ", prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC"]
)
def test_shared_memory_of_a_package_is_not_shared_among_programs(
    opened: Opening, environment: Callable[..., Path], protection: str
) -> None:
    text = f"{TELLING}import mmap\nboard = mmap.mmap(-1, 4096{protection})\n"
    with opened(environment(text)) as sandbox:
        assert not is_ahead(sandbox)
