"""Large packages are imported once for all programs, which must not be able to tell."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Limits,
    LoadFailed,
    OutOfMemory,
    Program,
    Returned,
    Sandbox,
    Surroundings,
    keeping,
    zygotes,
)
from assay_sandbox.packages import imports_of
from support.interpreters import interpreters
from support.packages import (
    IMPORTED_AHEAD,
    RUNNING,
    TELLING,
    Opening,
    answer,
    is_ahead,
    only,
    settled,
    started_by_this,
    wait_for_packages,
    wait_for_the_end_of,
)
from support.places import placed

# Who is begun anew counts anew.
COUNTING = Program(
    "import time\nimport numpy\ncount = 0\ndef f():\n    global count\n    count += 1\n"
    "    time.sleep(0.02)\n    return count\n",
    "f",
)


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_a_package_is_imported_once_for_all_programs(
    opened: Opening, environment: Callable[..., Path], python: Path
) -> None:
    with opened(environment(TELLING, python), python) as sandbox:
        assert is_ahead(sandbox)
        told = Program("import numpy\n\ndef f():\n    return numpy.importer\n", "f")
        first, second = sandbox.run_many((told, told), [Call()])
        assert first == second


def test_a_program_that_does_not_import_it_does_not_find_it(ahead: Sandbox) -> None:
    assert is_ahead(ahead)
    assert answer(ahead, "import sys\ndef f(): return 'numpy' in sys.modules") is False


BY_ITSELF = "def f(): return os.getpid() == numpy.importer\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import os, numpy\n    return os.getpid() == numpy.importer\n",
        f"import os\nif True:\n    import numpy\n{BY_ITSELF}",
        f"import os\nos.environ['A'] = 'a'\nimport numpy\n{BY_ITSELF}",
        f"import os; os.environ['A'] = 'a'\nimport numpy\n{BY_ITSELF}",
        f"import os\n'''\nimport numpy\n'''\nif True: import numpy\n{BY_ITSELF}",
    ],
)
def test_what_is_not_imported_first_is_not_imported_ahead(ahead: Sandbox, source: str) -> None:
    assert is_ahead(ahead)
    assert answer(ahead, source) is True


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
        ("import numpy as np\nfrom scipy import stats", {"scipy.stats"}),
        ("from scipy import (special as s, stats)", {"scipy.special", "scipy.stats"}),
        ("from scipy.stats import norm, t", {"scipy.stats"}),
        ("import scipy, scipy.linalg as la", {"scipy", "scipy.linalg"}),
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
    opened: Opening, environment: Callable[..., Path], tmp_path: Path
) -> None:
    with opened(environment(TELLING + "mine = False\n")) as sandbox:
        assert is_ahead(sandbox)
        source = "import numpy\ndef f(): return numpy.mine\n"
        place = placed(tmp_path / "project", {"numpy.py": "mine = True\n"})
        assert only(sandbox.run(Program(source, "f", place), [Call()])) is True


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
    opened: Opening, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever waited for it all the same would wait for longer than a test may take.
    monkeypatch.setattr(zygotes, "START_SECONDS", 1000.0)
    before = started_by_this(())
    sandbox = opened(environment("while True: pass\n"))
    with sandbox:
        program = Program("import numpy\ndef f(): return 1\n", "f")
        (seen,) = sandbox.run(program, [Call()], Limits(load_seconds=0.3))
        assert isinstance(seen, LoadFailed), seen
        assert answer(sandbox, "def f(): return 1\n") == 1
        started = started_by_this(before)
    wait_for_the_end_of(started)


@pytest.mark.parametrize(
    "shared",
    [
        "import threading\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n",
        "kept = open(__file__)\n",
        "import mmap\ntry:\n    board = mmap.mmap(-1, 4096)\nexcept OSError:\n    pass\n",
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
def test_programs_may_as_much_as_without_packages_and_no_more(ahead: Sandbox, text: str) -> None:
    assert is_ahead(ahead)
    bare = answer(ahead, text.replace("import numpy\n", ""))
    assert bare is not None
    assert answer(ahead, text) == bare


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


@pytest.mark.parametrize("name", ["assay-zygote", "assay-packages"])
def test_a_program_imports_for_itself_where_no_thread_can_be_started(
    opened: Opening,
    environment: Callable[..., Path],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Thread.start

    def refused(thread: threading.Thread) -> None:
        if thread.name == name:
            raise RuntimeError("can't start new thread")
        start(thread)

    with opened(environment(TELLING)) as sandbox:
        assert answer(sandbox, "def f(): return 1\n") == 1
        descriptors = len(os.listdir("/proc/self/fd"))
        before = started_by_this(())
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refused)
            assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is False
        assert len(os.listdir("/proc/self/fd")) == descriptors
        wait_for_the_end_of(started_by_this(before))
        # Nor is it tried again with every program.
        assert not is_ahead(sandbox)


PART_OF_SCIPY = """
import os
from scipy import special

def f():
    import sys
    return os.getpid() != special.importer, "scipy.stats" in sys.modules
"""


def test_a_part_of_scipy_is_imported_by_itself(
    opened: Opening, environment: Callable[..., Path]
) -> None:
    folder = environment(TELLING)
    (installed,) = folder.rglob("numpy.py")
    scipy = installed.with_name("scipy")
    scipy.mkdir()
    for name in ("__init__", "special", "stats"):
        (scipy / f"{name}.py").write_text(TELLING, encoding="utf-8")
    with opened(folder) as sandbox:
        assert answer(sandbox, PART_OF_SCIPY) == (False, False)
        wait_for_packages()
        assert answer(sandbox, PART_OF_SCIPY) == (True, False)
