"""A clock that stands still changes what time it is, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, Surroundings, decode

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
