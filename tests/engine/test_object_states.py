"""Objects that hold what is no data, or lead back to themselves, on trial as any others."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Status
from support.trials import put_on_trial, scripted

BUCKET = '''
import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger("bucket")


class Bucket:
    """Tokens to be taken."""

    def __init__(self, size: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.size = size
        self.tokens = size
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()

    def take(self, count: int) -> bool:
        """Take so many tokens if there are as many, else none, and say whether they were taken."""
        with self._lock:
            if not 0 <= count <= self.tokens:
                return False
            self.tokens -= {taken}
            return True
'''
TAKE = """\
def take(self, count: int) -> bool:
    with self._lock:
        if count < 0 or count > self.tokens:
            return False
        self.tokens = self.tokens - count
    return True
"""
RECENT = '''
class Node:
    def __init__(self, key: int, value: int) -> None:
        self.key = key
        self.value = value
        self.before = self.after = self


class Recent:
    """The values that were used last, so many of them."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.nodes: dict[int, Node] = {{}}
        self.ends = Node(0, 0)

    def _unlink(self, node: Node) -> None:
        node.before.after, node.after.before = node.after, node.before

    def _link(self, node: Node) -> None:
        last = self.ends.before
        last.after, node.before, node.after, self.ends.before = node, last, self.ends, node

    def put(self, key: int, value: int) -> None:
        """Keep a value as the one used last; without room for it the one used first goes.

        >>> recent = Recent(1)
        >>> recent.put(1, 10)
        >>> recent.put(2, 20)
        >>> sorted(recent.nodes)
        [2]
        """
        if key in self.nodes:
            self._unlink(self.nodes.pop(key))
        node = Node(key, value)
        self.nodes[key] = node
        {linked}
        if len(self.nodes) > self.room:
            oldest = self.ends.after
            self._unlink(oldest)
            del self.nodes[oldest.key]
'''
PUT = """\
def put(self, key: int, value: int) -> None:
    old = self.nodes.pop(key, None)
    if old is not None:
        self._unlink(old)
    fresh = Node(key, value)
    self._link(fresh)
    self.nodes[key] = fresh
    if len(self.nodes) > self.room:
        oldest = self.ends.after
        self._unlink(oldest)
        self.nodes.pop(oldest.key)
"""
COUNTS = '''
from collections import defaultdict, deque


class Counts:
    """Names that were seen."""

    def __init__(self, room: int) -> None:
        self.seen: defaultdict[str, list[int]] = defaultdict(lambda: [0])
        self.last: deque[str] = deque(maxlen=room)

    def add(self, name: str) -> tuple[int, list[str]]:
        """Note a name. Give how often it has been noted, and the last names for which there is
        room."""
        self.seen[name][0] += 1
        self.last.append(name)
        return self.seen[name][0], {last}
'''
ADD = """\
def add(self, name: str) -> tuple[int, list[str]]:
    noted = self.seen[name]
    noted[0] = noted[0] + 1
    self.last.append(name)
    return noted[0], [*self.last]
"""
BOX = '''
from functools import cached_property


class Box:
    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height

    @cached_property
    def area(self) -> int:
        return self.width * self.height


def total(boxes: list[Box]) -> int:
    """The area of all boxes together."""
    return {total}
'''
TOTAL = """\
def total(boxes: list[Box]) -> int:
    return sum(box.width * box.height for box in boxes)
"""
ALIKE = '''
from types import SimpleNamespace


def split(name: str) -> SimpleNamespace:
    """The name's first word as `first`, and the rest, without the blank between them, as `rest`."""
    first, _, rest = name.partition(" ")
    return SimpleNamespace(first={first}, rest=rest)
'''


@pytest.mark.parametrize(
    ("text", "wrong", "name", "candidate", "proposed"),
    [
        (
            BUCKET.format(taken="count"),
            BUCKET.format(taken="1 if count else 0"),
            "Bucket.take",
            TAKE,
            [
                f"Bucket({size}, {clock}).take(2)"
                for size in (1, 2, 5)
                for clock in ("", "lambda: 1.0")
            ],
        ),
        (
            RECENT.format(linked="self._link(node)"),
            RECENT.format(linked="self._link(node) if key else None"),
            "Recent.put",
            PUT,
            ["Recent(2).put(1, 5)", "Recent(1).put(0, 3)", "Recent(3).put(7, 7)"],
        ),
        (
            COUNTS.format(last="list(self.last)"),
            COUNTS.format(last="list(self.last)[-1:]"),
            "Counts.add",
            ADD,
            [
                "Counts(2).add('a')",
                "Counts(0).add('b')",
                "it = Counts(2); it.add('a'); it.add('b'); it.add('a')",
                "it = Counts(1); it.add('a'); it.add('b'); it.add('a')",
            ],
        ),
        (
            BOX.format(total="sum(box.area for box in boxes)"),
            BOX.format(total="sum(box.area for box in boxes[:2])"),
            "total",
            TOTAL,
            ["total([])", "total([Box(1, 2)])", "total([Box(1, 2), Box(3, 4), Box(5, 6)])"],
        ),
        (
            ALIKE.format(first="first"),
            ALIKE.format(first="name"),
            "split",
            """\
def split(name: str) -> SimpleNamespace:
    found = SimpleNamespace()
    found.rest = name[name.index(" ") + 1:] if " " in name else ""
    found.first = name.split(" ", 1)[0]
    return found
""",
            ['split("Ada Lovelace")', 'split("Ada")', 'split("a b c")'],
        ),
    ],
    ids=["locks and clocks", "rings", "factories and room", "cached properties", "order of fields"],
)
async def test_right_is_trusted_and_wrong_is_found(
    executor: Executor, text: str, wrong: str, name: str, candidate: str, proposed: list[str]
) -> None:
    report = await put_on_trial(executor, text, name, scripted([candidate] * 10, proposed))
    assert report.verdict.status is Status.TRUSTED
    assert report.findings == ()
    accused = await put_on_trial(executor, wrong, name, scripted([candidate] * 10, proposed))
    assert accused.verdict.status is Status.SUSPECT


async def test_an_object_has_the_factories_and_the_room_that_its_constructor_gave(
    executor: Executor,
) -> None:
    text = COUNTS.format(last="list(self.last)")
    proposed = [
        "Counts(2).add('a')",
        "Counts(0).add('b')",
        "it = Counts(2); it.add('a'); it.add('a')",
        *(f"it = Counts({room}); it.add('a'); it.add('b'); it.add('c')" for room in range(5)),
    ]
    report = await put_on_trial(executor, text, "Counts.add", scripted([ADD] * 10, proposed))
    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.inputs_in_domain == report.verdict.inputs_run
