"""Processes, memory and time of which there is not enough: nobody answers for what others took."""

from __future__ import annotations

import itertools
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from threading import BoundedSemaphore

import pytest

from assay_sandbox import (
    Call,
    Container,
    Instance,
    Limits,
    Observation,
    OutOfMemory,
    Program,
    ProtocolError,
    Raised,
    Refused,
    Returned,
    Sandbox,
    WorkerLost,
    decode,
    encode,
    packages,
    render,
    wire,
)
from assay_sandbox.batches import Batch, Task
from assay_sandbox.children import ForkedChildren
from assay_sandbox.frames import SharedValues
from assay_sandbox.keeping import Zygotes
from assay_sandbox.packages import Imports, imports_of
from assay_sandbox.pool import drive
from assay_sandbox.programs import Surroundings
from assay_sandbox.zygotes import Interpreter, Launch, Zygote

LAUNCH = Launch(Interpreter(Path(sys.executable)), "none", Surroundings())
MODULUS = (1 << 61) - 1

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="nothing is forked on this system"
)


@pytest.fixture
def source() -> Iterator[ForkedChildren]:
    children = ForkedChildren(Zygotes(LAUNCH))
    yield children
    children.close()


def batch_of(source: ForkedChildren, limits: Limits) -> Batch:
    program = Program("def f(x): return x + 1\n", "f")
    inputs = source.hold(wire.inputs_bytes([Call((1,))]))
    return Batch(Task(program, inputs, 1, limits, SharedValues()), source)


def answer_of(batch: Batch) -> Observation:
    ((_number, answers),) = drive((batch,), BoundedSemaphore(1), lambda: False)
    (seen,) = answers.observations
    return seen


def leave_no_room(zygote: Zygote) -> tuple[int, int]:
    """Let it take a child's descriptors, and none for the child itself. The limits it had."""
    held = _settled(zygote)
    free = [number for number in range(1024) if number not in held][:6]
    before = resource.prlimit(zygote.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(zygote.pid, resource.RLIMIT_NOFILE, (free[-1] + 1, before[1]))
    return before


def _settled(zygote: Zygote) -> set[int]:
    """Its descriptors, once it has closed those of children that have ended."""
    held: set[int] = set()
    while True:
        try:
            now = {int(name) for name in os.listdir(f"/proc/{zygote.pid}/fd")}
        except PermissionError:
            pytest.skip("descriptors of a process that hides its memory are root's to see")
        if now == held:
            return held
        held = now
        time.sleep(0.2)


def test_a_program_waits_for_room_and_its_zygote_lives_on(source: ForkedChildren) -> None:
    assert answer_of(batch_of(source, Limits())) == Returned("2")
    zygote = source._zygotes.get(None, Imports())
    before = leave_no_room(zygote)
    seen: list[Observation] = []
    waiting = threading.Thread(target=lambda: seen.append(answer_of(batch_of(source, Limits()))))
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    resource.prlimit(zygote.pid, resource.RLIMIT_NOFILE, before)
    waiting.join()
    assert seen == [Returned("2")]
    assert source._zygotes.get(None, Imports()) is zygote


def test_who_finds_no_room_in_all_its_time_has_no_answer(source: ForkedChildren) -> None:
    answer_of(batch_of(source, Limits()))
    leave_no_room(source._zygotes.get(None, Imports()))
    with pytest.raises(WorkerLost, match=r"no room for a process for 0\.5 s"):
        answer_of(batch_of(source, Limits(total_seconds=0.5)))


MAPPING = """
import mmap
def f(flags):
    area = mmap.mmap(-1, 4096, **flags)
    area[:2] = b"ok"
    return area[:2]
"""


def test_memory_that_no_limit_counts_is_refused(sandbox: Sandbox) -> None:
    private = {"flags": 0x22}
    seen = sandbox.run(Program(MAPPING, "f"), [Call(({},)), Call((private,))])
    assert isinstance(seen[0], Refused | Raised)
    assert seen[1] == Returned(encode(b"ok"))


FULL = """
import time
KEPT = []
def f(n):
    if n == 1: return "x" * 60000
    if n == 2:
        size = 1 << 28
        while size >= 8192:
            try:
                KEPT.append(bytes(size))
            except MemoryError:
                size //= 2
        for _ in range(3):
            end = time.monotonic() + 0.02
            try:
                while time.monotonic() < end: pass
            except MemoryError:
                pass
        KEPT.clear()
    return n
"""


def test_memory_that_was_full_for_a_while_is_no_crash(sandbox: Sandbox) -> None:
    for _ in range(3):
        seen = sandbox.run(Program(FULL, "f"), [Call((n,)) for n in range(5)])
        assert [type(each) for each in seen] == [Returned] * 5


PRINTED = """
KEPT = []
def f(n):
    if n == 1:
        print("x" * 60000)
        size = 1 << 28
        while size:
            try:
                KEPT.append(bytes(size))
            except MemoryError:
                size //= 2
        raise KeyError
    KEPT.clear()
    return n
"""


@pytest.mark.skipif(
    sys.version_info[:3] == (3, 15, 0),
    reason="CPython 3.15.0 crashes by itself where there is no memory left for bytes",
)
def test_a_call_that_leaves_no_memory_ends_neither_its_process_nor_the_next(
    sandbox: Sandbox,
) -> None:
    before, full, after = sandbox.run(Program(PRINTED, "f"), [Call((n,)) for n in range(3)])
    assert (before, after) == (Returned("0"), Returned("2"))
    assert isinstance(full, OutOfMemory | Raised)


@pytest.mark.parametrize(
    "line",
    [
        "from " + "a" * 10_000 + " import" + " " * 9_000 + "!",
        "from a" + " " * 19_000 + "!",
        "import" + " " * 19_000 + "!",
        "from a import (a" + " " * 19_000 + "!",
        "import numpy" + " ," * 9_000 + "!",
    ],
)
def test_no_line_of_a_program_keeps_its_caller_busy(
    monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    # With lines of 200 characters it would be seconds; with these no end would be seen.
    monkeypatch.setattr(packages, "_LINE_MAX", 20_000)
    assert imports_of(Program(line + "\ndef f(): pass\n", "f")).first == ()


def colliding(count: int, first: int = 7) -> list[object]:
    return [Instance("K", (("a", first + number * MODULUS),)) for number in range(count)]


def test_keys_that_share_a_hash_within_keys_that_do_are_no_value() -> None:
    common = colliding(60)
    keys = [
        f'{{"instance":["K",[["a",{encode({*common, key})}]]]}}'
        for key in colliding(60, first=7 + 60 * MODULUS)
    ]
    pairs = ",".join(f"[{key.replace('set', 'frozenset')},0]" for key in keys)
    with pytest.raises(ProtocolError, match="keys of one hash"):
        decode(f'{{"dict":[{pairs}]}}')


def test_few_keys_of_one_hash_in_each_of_several_levels_are_no_value() -> None:
    # -1 and -2 have one hash, which anybody can use; each level compares all of the one below.
    chosen = itertools.islice(itertools.product((-1, -2), repeat=6), 64)
    members = [f'{{"tuple":[{",".join(map(str, each))}]}}' for each in chosen]
    for _ in range(3):
        shared, others = members[:15], members[15:]
        members = [f'{{"frozenset":[{",".join([*shared, other])}]}}' for other in others]
    with pytest.raises(ProtocolError, match="keys of one hash"):
        decode(f'{{"set":[{",".join(members)}]}}')


A = Instance("A", (("a", 1),))


@pytest.mark.parametrize(
    ("text", "container"),
    [
        ('{"set":[%s,%s]}', Container("set", [A, A])),
        ('{"frozenset":[%s,%s]}', Container("frozenset", [A, A])),
        ('{"dict":[[%s,1],[%s,[]]]}', Container("dict", [(A, 1), (A, [])])),
        ('{"set":[{"tuple":[0,%s]},{"tuple":[0,%s]}]}', Container("set", [(0, A), (0, A)])),
        ('{"set":[{"frozenset":[%s,%s]}]}', {Container("frozenset", [A, A])}),
    ],
)
def test_members_that_are_told_alike_do_not_become_one(text: str, container: object) -> None:
    """In the program they were two objects: fewer would be another value."""
    member = encode(A)
    told = decode(text % (member, member))
    assert told == container
    assert encode(told) == text % (member, member)


@pytest.mark.parametrize("text", ['{"set":[1,1]}', '{"dict":[["a",1],["a",1]]}', '{"set":[1,1.0]}'])
def test_members_that_are_equal_are_no_value(text: str) -> None:
    with pytest.raises(ProtocolError, match="equal"):
        decode(text)


def test_objects_that_are_told_alike_go_from_one_program_to_the_next(sandbox: Sandbox) -> None:
    source = "class P:\n    def __init__(self): self.x = 1\n"
    source += "def f(*given):\n    return [*map(len, given)], {P(), P()}, {P(): 1, P(): 2}\n"
    program = Program(source, "f")
    (first,) = sandbox.run(program, [Call()])
    assert isinstance(first, Returned)
    _, members, pairs = decode(first.value)
    (second,) = sandbox.run(program, [Call((members, pairs))])
    assert isinstance(second, Returned)
    assert decode(second.value) == ([2, 2], members, pairs)
    twin = "P(x=1)"
    assert render(members) == f"set([{twin}, {twin}])"


def test_powers_of_two_and_few_that_collide_are_one() -> None:
    powers = {2**number: number for number in range(2000)}
    assert decode(encode(powers)) == powers
    few = set(colliding(200))
    assert decode(encode(few)) == few
