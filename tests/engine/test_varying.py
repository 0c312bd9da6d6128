"""Ids: what differs from run to run, in places that have a name, is not compared."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, Report, Status
from support.trials import put_on_trial, scripted

ORDER = '''
import random, secrets, time, uuid
from dataclasses import dataclass, field

@dataclass
class Note:
    text: str
    made: float = field(default_factory=time.perf_counter)
    number: uuid.UUID = field(default_factory=uuid.uuid4)

def order(items: list[int]) -> object:
    """A new order of the items: what the shop keeps of it."""
    total, some = sum({taken}), items or [0]
    return {made}
'''
BY_KEY = '{"id": str(uuid.uuid4()), "items": sorted(items), "total": total}'
BY_FIELD = "[Note(str(total)), len(items)]"
ITEMS = tuple(f"order({items})" for items in ("[]", "[3]", "[1, 2]", "[5, 4, 4]", "[9, 1, 7, 2]"))
# Right in all but one thing, that is told by nothing else.
DRAWN = '{"id": str(uuid.uuid4()), "first": random.choice(some), "total": total}'
# So many draws that two runs differ, but for one case in 10 ** 18.
GIVEN = '{"total": total, **{str(place): secrets.choice(some) for place in range(60)}}'
IN_A_LIST = "[str(uuid.uuid4()), total]"
ALONE = "total + uuid.uuid4().int"


def module(made: str, taken: str = "items") -> str:
    return ORDER.format(made=made, taken=taken)


async def tried(executor: Executor, own: str, other: str) -> Report:
    candidate = other[other.index("def order") :]
    return await put_on_trial(executor, own, "order", scripted([candidate], ITEMS))


@pytest.mark.parametrize("made", [BY_KEY, BY_FIELD])
async def test_all_else_is_compared(executor: Executor, made: str) -> None:
    report = await tried(executor, module(made), module(made))

    assert report.verdict.status is Status.TRUSTED
    assert report.findings == ()


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        (BY_KEY, "returns {'id': <str: varies>, 'items': [3], 'total': 0}"),
        (
            BY_FIELD,
            "returns [Note(text='0', made=1718454615.0, number=<uuid.UUID: varies>), 1]",
        ),
    ],
)
async def test_a_difference_in_it_is_found(executor: Executor, made: str, shown: str) -> None:
    report = await tried(executor, module(made, "items[1:]"), module(made))

    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.code is Code.DIFFERS
    assert finding.witness is not None
    assert finding.witness.call == "order([3])"
    assert finding.witness.outcomes[-1].what == shown


async def test_of_another_type_it_is_another_answer(executor: Executor) -> None:
    report = await tried(
        executor, module(BY_KEY.replace("str(uuid.uuid4())", "uuid.uuid4().int")), module(BY_KEY)
    )

    assert report.verdict.status is Status.SUSPECT


@pytest.mark.parametrize("made", [DRAWN, GIVEN, IN_A_LIST, ALONE])
async def test_what_is_drawn_or_taken_or_has_no_name_is_chance(
    executor: Executor, made: str
) -> None:
    report = await tried(executor, module(made), module(made))

    assert report.verdict.status is Status.ABSTAINED
    assert [finding.code for finding in report.findings] == [Code.NOT_DETERMINISTIC]


TOUCHED = '''
import time

class Page:
    def __init__(self) -> None:
        self.views = 0
        self.seen = 0.0

    def view(self, times: int) -> int:
        """Count so many views, and remember when. How many there were in all."""
        self.views += times
        self.seen = time.monotonic()
        return self.views
'''
VIEW = """
def view(self, times):
    self.views += times
    self.seen = {moment}
    return {returned}
"""
VIEWS = (
    "it = Page(); it.view(2)",
    "it = Page(); it.view(2); it.view(3)",
    "it = Page(); it.view(0)",
    "it = Page(); it.view(7); it.view(1); it.view(1)",
)


@pytest.mark.parametrize(
    ("moment", "returned", "status"),
    [
        ("time.time()", "self.views", Status.TRUSTED),
        ("time.monotonic()", "times", Status.SUSPECT),
        ("self.seen", "self.views", Status.SUSPECT),
    ],
)
async def test_a_moment_that_an_object_keeps_is_the_same_in_all_programs(
    executor: Executor, moment: str, returned: str, status: Status
) -> None:
    model = scripted([VIEW.format(moment=moment, returned=returned)], VIEWS)

    report = await put_on_trial(executor, TOUCHED, "Page.view", model)

    assert report.verdict.status is status


EXPIRING = '''
import time
from collections.abc import Callable

class ExpiringMap:
    """Keeps values for so many seconds."""

    def __init__(self, ttl: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._ttl = ttl
        self._clock = clock
        self._items: dict[str, tuple[int, float]] = {{}}

    def put(self, key: str, value: int) -> int:
        """Store a value, which expires after `ttl` seconds. How many are stored and not expired."""
        now = self._clock()
        self._items[key] = (value, now + self._ttl)
        return sum(ends {comparison} now for _, ends in self._items.values())

    def get(self, key: str) -> int | None:
        """The value; nothing if it has expired."""
        value, ends = self._items.get(key, (None, 0.0))
        return value if self._clock() < ends else None
'''
PUT = """
def put(self, key, value):
    self._items[key] = (value, self._clock() + self._ttl)
    return len([1 for _, ends in self._items.values() if self._clock() < ends])
"""
PUTS = (
    "it = ExpiringMap(10); it.put('a', 1)",
    "it = ExpiringMap(10); it.put('a', 1); it.put('b', 2)",
    "it = ExpiringMap(10); it.put('a', 1); time.sleep(10); it.put('b', 2)",
    "it = ExpiringMap(10); it.put('a', 1); time.sleep(9.9); it.put('b', 2)",
    "it = ExpiringMap(0); it.put('a', 1)",
)


@pytest.mark.parametrize(("comparison", "status"), [(">", Status.TRUSTED), (">=", Status.SUSPECT)])
async def test_a_clock_that_a_program_reads_itself_is_no_chance(
    executor: Executor, comparison: str, status: Status
) -> None:
    own = EXPIRING.format(comparison=comparison)

    report = await put_on_trial(executor, own, "ExpiringMap.put", scripted([PUT], PUTS))

    assert report.verdict.status is status
    assert Code.NOT_DETERMINISTIC not in [finding.code for finding in report.findings]
