"""A clock that stands still changes what time it is, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, Scene, Surroundings, decode, encode

STAMPS = """
import copy, dataclasses, datetime, functools, pickle

class Stamp(datetime.datetime): pass
class Day(datetime.date): pass

@dataclasses.dataclass
class Entry:
    when: datetime.datetime

@functools.singledispatch
def kind(value): return "other"
@kind.register
def _(value: datetime.datetime): return "moment"
@kind.register
def _(value: datetime.date): return "day"

moment = datetime.datetime(2020, 1, 2, 3, 4, 5)
day, stamp = moment.date(), Stamp(2020, 1, 1)

def f(text):
    found = eval(text)
    return found if type(found) is bool else getattr(found, "__name__", str(found))
"""
ALIKE = (
    "isinstance(moment, datetime.datetime)",
    "isinstance(moment, datetime.date)",
    "isinstance(moment, Stamp)",
    "isinstance(stamp, datetime.datetime)",
    "issubclass(datetime.datetime, Stamp)",
    "issubclass(Stamp, datetime.datetime)",
    "issubclass(datetime.datetime, datetime.date)",
    "type(moment) == datetime.datetime",
    "type(moment) in {datetime.datetime: 1}",
    "type(day) in (datetime.datetime, datetime.date)",
    "type(Stamp.now())",
    "type(Stamp.today())",
    "type(Stamp.utcnow())",
    "type(Stamp.combine(day, moment.time()))",
    "type(Stamp.fromisoformat('2020-01-01'))",
    "type(Stamp.strptime('2020', '%Y'))",
    "type(stamp + datetime.timedelta(1))",
    "type(Day.today())",
    "type(datetime.datetime.now())",
    "type(datetime.datetime.strptime('2020', '%Y'))",
    "type(datetime.date.fromordinal(5))",
    "datetime.datetime",
    "kind(moment) + kind(day) + kind(3)",
    "pickle.loads(pickle.dumps([moment, day, stamp, Entry(moment)]))",
    "type(pickle.loads(pickle.dumps(stamp)))",
    "copy.deepcopy([moment, day, stamp])",
    "copy.copy(datetime.datetime(2020, 1, 1, fold=1)).fold",
    "pickle.loads(pickle.dumps(datetime.datetime(2020, 1, 1, fold=1))).fold",
    "datetime.datetime.max",
)


@pytest.fixture(scope="module")
def standing_still() -> Iterator[Sandbox]:
    surroundings = Surroundings(frozen_time=1_700_000_000.0)
    with Sandbox(workers=1, surroundings=surroundings) as sandbox:
        yield sandbox


def test_moments_are_of_the_same_types(sandbox: Sandbox, standing_still: Sandbox) -> None:
    calls = [Call((text,)) for text in ALIKE]
    frozen = standing_still.run(Program(STAMPS, "f"), calls)
    free = sandbox.run(Program(STAMPS, "f"), calls)
    assert all(isinstance(each, Returned) for each in free)
    pairs = zip(ALIKE, frozen, free, strict=True)
    assert [text for text, one, other in pairs if one != other] == []


def test_what_is_derived_from_a_moment_has_the_time_that_stands(standing_still: Sandbox) -> None:
    source = f"{STAMPS}\ndef g(): return [str(Stamp.utcnow()), str(datetime.datetime.utcnow())]"
    (seen,) = standing_still.run(Program(source, "g"), [Call()])
    assert isinstance(seen, Returned)
    assert decode(seen.value) == ["2023-11-14 22:13:20"] * 2


WAITING = {
    "a coroutine that sleeps": (
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 'done'\n"
    ),
    "several at a time": (
        "import asyncio\nasync def f():\n"
        "    await asyncio.gather(*(asyncio.sleep(0.01) for _ in range(3)))\n    return 'done'\n"
    ),
    "a coroutine with a deadline": (
        "import asyncio\nasync def f():\n    try:\n"
        "        await asyncio.wait_for(asyncio.Event().wait(), 0.01)\n"
        "    except asyncio.TimeoutError:\n        return 'done'\n"
    ),
    "an empty queue": (
        "import queue\ndef f():\n    try:\n        queue.Queue().get(timeout=0.01)\n"
        "    except queue.Empty:\n        return 'done'\n"
    ),
    "an event": (
        "import threading\ndef f():\n    threading.Event().wait(0.01)\n    return 'done'\n"
    ),
    "until a moment": (
        "import time\ndef f():\n    end = time.time() + 0.02\n    while time.time() < end:\n"
        "        time.sleep(0.01)\n    return 'done'\n"
    ),
    "a schedule": (
        "import sched, time\ndef f():\n    found = []\n"
        "    plan = sched.scheduler(time.time, time.sleep)\n"
        "    plan.enter(0.01, 1, found.append, ('done',))\n    plan.run()\n    return found[0]\n"
    ),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_waits_while_the_clock_stands_still_comes_to_an_end(
    sandbox: Sandbox, name: str
) -> None:
    (seen,) = sandbox.run(Program(WAITING[name], "f"), [Call(scene=Scene(time=5.0))])
    assert seen == Returned(encode("done"))


def test_who_sleeps_finds_the_clock_as_much_later_and_the_next_call_as_it_was(
    sandbox: Sandbox,
) -> None:
    source = (
        "import time\n"
        "def f(seconds):\n"
        "    before = time.time(), time.monotonic()\n"
        "    time.sleep(seconds)\n"
        "    return [*before, time.time(), time.monotonic()]\n"
    )
    calls = [Call((seconds,), scene=Scene(time=5.0)) for seconds in (0.25, 0)]
    seen = sandbox.run(Program(source, "f"), calls)
    assert seen == (Returned(encode([5.0, 5.0, 5.25, 5.25])), Returned(encode([5.0] * 4)))
