"""What each tier of Linux holds back, and what it lets honest programs do nevertheless."""

from __future__ import annotations

import mimetypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assay_sandbox import Call, Encoded, Observation, Program, Returned, Sandbox, encode
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
