"""Private fields count as far as the class itself lets others see what became of them."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.compare.private_fields import looks_at, window_of
from assay_engine.syntax.classes import PublicMember, public_members
from assay_engine.types import Status
from assay_sandbox import Call, Expression, Program
from support.trials import put_on_trial, scripted

BAG = '''\
import bisect


class Bag:
    """Numbers, any of them several times, the smallest of which can be taken out."""

    def __init__(self) -> None:
        self._numbers: list[int] = []

    def add(self, number: int) -> None:
        """Put a number into the bag."""
        bisect.insort(self._numbers, number)

    def take_smallest(self) -> int:
        """Take out the smallest number and return it.

        Raises:
            LookupError: if the bag is empty.
        """
        if not self._numbers:
            raise LookupError("empty bag")
        return self._numbers.TAKEN

    def __len__(self) -> int:
        """How many numbers there are in the bag."""
        return len(self._numbers)
'''
BY_HEAP = """\
import heapq

def take_smallest(self):
    if not self._numbers:
        raise LookupError("empty bag")
    return heapq.heappop(self._numbers)
"""
IN_ORDER = """\
def take_smallest(self):
    if not self._numbers:
        raise LookupError("empty bag")
    return self._numbers.pop(0)
"""
BAGS = [
    "it = Bag(); it.add(2); it.add(1); it.add(1); it.add(3); it.take_smallest()",
    "it = Bag(); it.add(5); it.take_smallest()",
    "it = Bag(); it.add(1); it.add(2); it.add(3); it.add(4); it.take_smallest()",
    "Bag().take_smallest()",
]


@pytest.mark.parametrize("by_heap", [3, 10])
async def test_the_order_of_a_list_that_nobody_sees_is_no_behaviour(
    executor: Executor, by_heap: int
) -> None:
    candidates = [*[BY_HEAP] * by_heap, *[IN_ORDER] * (10 - by_heap)]
    text = BAG.replace("TAKEN", "pop(0)")
    report = await put_on_trial(executor, text, "Bag.take_smallest", scripted(candidates, BAGS))
    assert report.verdict.status is Status.TRUSTED
    assert report.replacements == ()


@pytest.mark.parametrize("taken", ["pop()", "__getitem__(0)"])
async def test_what_its_public_methods_show_is(executor: Executor, taken: str) -> None:
    text = BAG.replace("TAKEN", taken)
    model = scripted([BY_HEAP] * 10, BAGS[1:3])
    report = await put_on_trial(executor, text, "Bag.take_smallest", model)
    assert report.verdict.status is Status.SUSPECT


UNDO = '''\
class Undo:
    """A text that can be changed, and changed back."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._undone: list[str] = []
        self._redone: list[str] = []

    def edit(self, text: str) -> None:
        """Replace the text. What was undone can no longer be redone."""
        self._undone.append(self.text)
        self.text = text

    def undo(self) -> bool:
        """Go back to the text before the last edit; return whether there was one."""
        if not self._undone:
            return False
        self._redone.append(self.text)
        self.text = self._undone.pop()
        return True
'''
REDO = """\

    def redo(self) -> bool:
        \"\"\"Take back the last undo; return whether there was one.\"\"\"
        if not self._redone:
            return False
        self._undone.append(self.text)
        self.text = self._redone.pop()
        return True
"""
EDIT = """\
def edit(self, text):
    self._undone.append(self.text)
    self._redone.clear()
    self.text = text
"""


@pytest.mark.parametrize("class_text", [UNDO + REDO, UNDO], ids=["shown by redo", "by nothing"])
async def test_a_fault_in_private_fields_is_found(executor: Executor, class_text: str) -> None:
    steps = ("it = Undo('a'); it.edit('b'); it.undo(); it.edit('c')", "Undo('a').edit('b')")
    report = await put_on_trial(executor, class_text, "Undo.edit", scripted([EDIT] * 10, steps))
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert "_redone" in finding.message


CACHE = '''\
class Cache:
    """Keeps at most `room` entries and drops the oldest."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._entries: dict[str, int] = {}

    def put(self, key: str, value: int) -> None:
        """Store an entry; drop the oldest one if there are too many."""
        self._entries[key] = value
        if len(self._entries) > self._room:
            del self._entries[DROPPED]

    def get(self, key: str) -> int | None:
        """The entry, or None if there is none."""
        return self._entries.get(key)
'''
PUT = """\
def put(self, key, value):
    self._entries[key] = value
    while len(self._entries) > self._room:
        self._entries.pop(next(iter(self._entries)))
"""


@pytest.mark.parametrize(
    ("dropped", "status"),
    [("next(iter(self._entries))", Status.TRUSTED), ("list(self._entries)[-1]", Status.SUSPECT)],
)
async def test_readers_are_asked_for_what_steps_put_in(
    executor: Executor, dropped: str, status: Status
) -> None:
    inputs = [
        "it = Cache(2); it.put('a', 1); it.put('b', 2); it.put('c', 3)",
        "it = Cache(3); it.put('x', 1); it.put('y', 2); it.put('z', 3); it.put('w', 4)",
        "Cache(2).put('a', 1)",
    ]
    text = CACHE.replace("DROPPED", dropped)
    report = await put_on_trial(executor, text, "Cache.put", scripted([PUT] * 10, inputs))
    assert report.verdict.status is status


SINK = '''\
class Sink:
    """Takes what nobody wants."""

    def __init__(self) -> None:
        self._kept: list[int] = []

    def take(self, number: int) -> None:
        """Keep a number, unless it is kept already."""
        self._kept.append(number)

    def clear(self) -> None:
        """Forget all numbers."""
        self._kept.clear()
'''
TAKE = """\
def take(self, number):
    if number not in self._kept:
        self._kept.append(number)
"""


async def test_a_field_that_no_public_member_reads_counts(executor: Executor) -> None:
    inputs = ["it = Sink(); it.take(1); it.take(1)", "it = Sink(); it.take(1); it.take(2)"]
    report = await put_on_trial(executor, SINK, "Sink.take", scripted([TAKE] * 10, inputs))
    assert report.verdict.status is Status.SUSPECT


MEMBERS = """\
from functools import cached_property, cache


class Base:
    def inherited(self, a, b=1): return a
    def overridden(self): return 1


class Outer:
    class Inner(Base):
        def __init__(self): self.x = 1
        def __len__(self): return 1
        def __eq__(self, other): return True
        @property
        def size(self): return 1
        @size.setter
        def size(self, size): pass
        @cached_property
        def length(self): return 1
        @staticmethod
        def make(): return 1
        @cache
        def kept(self): return 1
        async def waited(self): return 1
        def named(self, *, key): return 1
        def overridden(self, a):
            def inner(): return 1
            return None
        def _hidden(self): return 1
        def each(self): yield 1
"""


def test_members_are_those_that_are_plainly_called() -> None:
    assert public_members(MEMBERS, "Outer.Inner") == (
        PublicMember("__len__", 0, True),
        PublicMember("size", 0, True),
        PublicMember("length", 0, True),
        PublicMember("overridden", 1, False),
        PublicMember("each", 0, True),
        PublicMember("inherited", 1, True),
    )
    generic = "class A(Generic[T]):\n    def of_a(self): return 1\nclass B(m.A[int]): pass\n"
    assert public_members(generic, "B") == (PublicMember("of_a", 0, True),)
    assert public_members(MEMBERS, "Outer.Missing") == ()
    assert public_members("class", "Outer") == ()


def test_members_are_given_arguments_of_the_call_and_of_the_steps() -> None:
    program = Program(CACHE.replace("DROPPED", "key"), "Cache.put")
    receiver = Expression("it = Cache(2)\nit.put('a', 1)\nit")
    call = Call((receiver, "b", 2))
    window = window_of(program, [call])
    assert window is not None
    given = [dict(look.kwargs)["_assay_look"] for look in looks_at(call, window)]
    assert given == [
        ("put", "", ()),
        ("put", "put", ("b", 2)),
        ("put", "get", ("b",)),
        ("put", "put", (Expression("'a'"), Expression("1"))),
        ("put", "get", (Expression("'a'"),)),
    ]
    assert window_of(Program(program.source, "Cache"), [call]) is None
    assert window_of(Program(SINK, "Sink.take"), [call]) is None
