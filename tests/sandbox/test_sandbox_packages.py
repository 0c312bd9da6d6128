"""Large packages are imported once for all programs, which must not be able to tell."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    LoadFailed,
    Observation,
    Program,
    Raised,
    Refused,
    Returned,
    Sandbox,
    SandboxUnavailable,
    Surroundings,
    decode,
    zygotes,
)
from assay_sandbox.trial import processes
from support.interpreters import interpreters

DEADLINE_SECONDS = 30.0
RUNNING = Path(sys.executable).resolve()
# Who has imported it says so by its number.
TELLING = "import os\nimporter = os.getpid()\n"
IMPORTED_AHEAD = Program(
    "import os\nimport numpy\n\ndef f():\n    return os.getpid() != numpy.importer\n", "f"
)


def _has_namespaces() -> bool:
    try:
        with Sandbox(tier="N") as sandbox:
            sandbox.start()
    except SandboxUnavailable:
        return False
    return True


pytestmark = pytest.mark.skipif(
    not _has_namespaces(), reason="packages are imported ahead in tier N alone, not to be had here"
)


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


def opened(environment: Path, python: Path = RUNNING) -> Sandbox:
    return Sandbox(python, tier="N", workers=2, virtual_environment=environment)


def only(observations: tuple[Observation, ...]) -> object:
    (seen,) = observations
    return decode(seen.value) if isinstance(seen, Returned) else seen


def started_by_this(before: Sequence[processes.Process]) -> list[processes.Process]:
    known = {(each.pid, each.started) for each in before}
    return [each for each in processes.below(os.getpid()) if (each.pid, each.started) not in known]


def answer(sandbox: Sandbox, source: str) -> object:
    return only(sandbox.run(Program(source, "f"), [Call()]))


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_a_package_is_imported_once_for_all_programs(
    environment: Callable[..., Path], python: Path
) -> None:
    with opened(environment(TELLING, python), python) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        told = Program("import numpy\n\ndef f():\n    return numpy.importer\n", "f")
        first, second = sandbox.run_many((told, told), [Call()])
        assert first == second


def test_a_program_that_does_not_import_it_does_not_find_it(
    environment: Callable[..., Path],
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        assert answer(sandbox, "import sys\ndef f(): return 'numpy' in sys.modules") is False


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import os, numpy\n    return os.getpid() == numpy.importer\n",
        "import os\nif True:\n    import numpy\ndef f(): return os.getpid() == numpy.importer\n",
    ],
)
def test_what_may_not_come_to_be_imported_is_not_imported_ahead(
    environment: Callable[..., Path], source: str
) -> None:
    with opened(environment(TELLING)) as sandbox:
        assert answer(sandbox, source) is True


def test_a_module_of_the_users_own_goes_before_a_package(environment: Callable[..., Path]) -> None:
    program = Program(
        "import numpy\ndef f(): return numpy.mine\n", "f", (("numpy", "mine = True\n"),)
    )
    with opened(environment("mine = False\n")) as sandbox:
        assert only(sandbox.run(program, [Call()])) is True


def test_a_package_finds_the_clock_that_its_program_finds(environment: Callable[..., Path]) -> None:
    program = Program("import numpy\ndef f(): return numpy.now()\n", "f")
    frozen = Surroundings(frozen_time=86400.0)
    folder = environment("from time import time as now\n")
    with Sandbox(RUNNING, tier="N", surroundings=frozen, virtual_environment=folder) as sandbox:
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
    environment: Callable[..., Path], source: str, ended: str
) -> None:
    with opened(environment(source)) as sandbox:
        for _ in range(2):
            seen = answer(sandbox, "import numpy\ndef f(): return 1\n")
            assert not isinstance(seen, int), seen
            assert ended in str(seen)
            assert answer(sandbox, "def f(): return 1\n") == 1


def test_a_package_that_comes_to_no_end_is_left_to_its_programs(
    environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zygotes, "START_SECONDS", 1.0)
    with opened(environment("while True: pass\n")) as sandbox:
        seen = answer(sandbox, "import numpy\ndef f(): return 1\n")
        assert isinstance(seen, LoadFailed), seen
        assert answer(sandbox, "def f(): return 1\n") == 1


def test_a_package_that_starts_threads_is_imported_by_every_program(
    environment: Callable[..., Path],
) -> None:
    source = (
        "import os, threading, time\n"
        "importer = os.getpid()\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    )
    with opened(environment(source)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is False


ATTEMPTS = """
import os, socket

def tried(attempt):
    try:
        attempt()
    except BaseException as error:
        return type(error).__name__
    return "done"

tried_on_import = [
    tried(lambda: open({written!r}, "w")),
    tried(lambda: open({secret!r})),
    tried(lambda: socket.socket(socket.AF_INET).connect(("127.0.0.1", {port}))),
    tried(lambda: os.execv("/bin/true", ["true"])),
    tried(lambda: os.kill({caller}, 0)),
    tried(lambda: os.kill(-1, 0)),
    tried(lambda: os.unshare(0x10000000) if hasattr(os, "unshare") else os.chroot("/")),
]
importer = os.getpid()
"""


def test_a_package_is_confined_while_it_is_imported_ahead(
    environment: Callable[..., Path], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret", encoding="utf-8")
    source = ATTEMPTS.format(
        written=str(tmp_path / "written"), secret=str(secret), port=9, caller=os.getpid()
    )
    with opened(environment(source)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        tried = answer(sandbox, "import numpy\ndef f(): return numpy.tried_on_import\n")
    assert tried == ["PermissionError"] * 7
    assert not (tmp_path / "written").exists()


def test_what_a_package_starts_ends_with_the_sandbox(environment: Callable[..., Path]) -> None:
    source = (
        "import os, time\n"
        "importer = os.getpid()\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        time.sleep(600)\n"
    )
    before = started_by_this(())
    with opened(environment(source)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        started = started_by_this(before)
        # Two for either zygote, and the package's own.
        assert len(started) >= 7
    ends = time.monotonic() + DEADLINE_SECONDS
    while any(map(processes.alive, started)):
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.parametrize(
    "attempt",
    [
        "os.fork()",
        "os.setsid()",
        "os.pidfd_open(os.getppid())",
        "os.waitpid(-1, 0)",
        "os.kill(os.getppid(), 9)",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
        "socket.socketpair()[0].sendmsg([b'a'])",
    ],
)
def test_programs_may_no_more_than_without_packages(
    environment: Callable[..., Path], attempt: str
) -> None:
    program = f"import os, resource, socket\nimport numpy\ndef f(): {attempt}\n"
    with opened(environment(TELLING)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        bare = answer(sandbox, program.replace("import numpy", ""))
        assert isinstance(bare, Raised | Refused), bare
        assert answer(sandbox, program) == bare


def test_a_zygote_with_packages_that_is_lost_is_replaced(environment: Callable[..., Path]) -> None:
    before = started_by_this(())
    with opened(environment(TELLING)) as sandbox:
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
        for each in started_by_this(before):
            with contextlib.suppress(ProcessLookupError):
                # Gone with another.
                os.kill(each.pid, signal.SIGKILL)
        assert only(sandbox.run(IMPORTED_AHEAD, [Call()])) is True
