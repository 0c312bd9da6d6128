"""Scripts: what they raise, and that what can be awaited is awaited, in one loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    Expression,
    Observation,
    Program,
    Raised,
    Returned,
    Sandbox,
    Script,
    Surroundings,
    TimedOut,
    Unserialisable,
    decode,
)
from support.interpreters import interpreters

COUNTER = """
import asyncio, contextvars

WHO = contextvars.ContextVar("who", default="nobody")

class Counter:
    def __init__(self):
        self.count, self.lock, self.running = 0, asyncio.Lock(), None

    async def bump(self, by):
        if by < 0:
            raise ValueError("less")
        async with self.lock:
            await asyncio.sleep(1)
            self.count += by
        return self.count

    def start(self):
        self.running = asyncio.create_task(self.bump(10))
        return self.running

    async def numbers(self):
        for number in range(self.count):
            yield number

    async def known_as(self, name):
        WHO.set(name)

    async def __aenter__(self):
        await self.bump(100)
        return self

    async def __aexit__(self, *failed):
        self.count = 0

    def bumped(self, by):
        return asyncio.run(self.bump(by))

class Later:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return self.value

def bump(counter, by): return counter.bump(by)
def count(counter): return counter.count
def bumped(counter, by): return counter.bumped(by)
def started(counter): return counter.start() and counter.count
def numbers(counter): return counter.numbers()
async def who(counter): return WHO.get()
"""


@pytest.fixture(scope="module")
def skipping() -> Iterator[Sandbox]:
    with Sandbox(workers=1, surroundings=Surroundings(skips_waits=True)) as sandbox:
        yield sandbox


def after(steps: str, value: str = "it") -> Expression:
    return Expression("\n".join([*steps.split("; "), value]))


def value_of(seen: Observation) -> object:
    return decode(seen.value) if isinstance(seen, Returned) else seen


AWAITED = [
    ("bump", "it = Counter(); it.bump(1); it.bump(2)", (3,), 6),
    ("bump", "it = Counter(); await it.bump(1); it.bump(2)", (3,), 6),
    ("count", "it = Counter(); seen = it.bump(4); it.bump(seen)", (), 8),
    ("count", "it = Counter(); it.bump(await it.bump(4))", (), 8),
    ("count", "it = Counter(); await asyncio.gather(it.bump(1), it.bump(7))", (), 8),
    ("count", "it = Counter(); [it.bump(n) for n in (1, 2)]", (), 3),
    ("count", "it = Counter(); it.bump(3); [await it.bump(n) async for n in it.numbers()]", (), 6),
    ("count", "it = Counter(); it.bump(3); it.bump(len({n async for n in it.numbers()}))", (), 6),
    ("count", "it = Counter(); job = asyncio.create_task(it.bump(1)); await job", (), 1),
    ("count", "it = Counter(); it.start(); await asyncio.sleep(2)", (), 10),
    ("count", "it = await Counter().__aenter__(); it.bump(1)", (), 101),
    ("count", "it = Counter(); asyncio.run(it.bump(5))", (), 5),
    ("count", "it = Counter(); it.bumped(5)", (), 5),
    ("bumped", "it = Counter(); it.bumped(5)", (1,), 6),
    # A method that needs a loop finds one where a line awaits.
    ("started", "it = Counter(); await it.bump(1)", (), 1),
    ("numbers", "it = Counter(); it.bump(2)", (), (0, 1)),
    ("count", "it = Counter(); it.bump(Later(3).value); await Later(1)", (), 3),
]


@pytest.mark.parametrize(
    ("entry", "steps", "more", "expected"), AWAITED, ids=[f"{row[0]}: {row[1]}" for row in AWAITED]
)
def test_steps_are_awaited(
    skipping: Sandbox, entry: str, steps: str, more: tuple[object, ...], expected: object
) -> None:
    (seen,) = skipping.run(Program(COUNTER, entry), [Call((after(steps), *more))])
    found = value_of(seen)
    assert getattr(found, "items", found) == expected


def test_steps_and_call_are_one_task_of_one_loop(skipping: Sandbox) -> None:
    names = ("ada", "bob")
    calls = [Call((after(f"it = Counter(); it.known_as({name!r})"),)) for name in names]
    seen = skipping.run(Program(COUNTER, "who"), calls)
    assert [*map(value_of, seen)] in ([*names], ["nobody", "nobody"])


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_every_interpreter_awaits(python: Path) -> None:
    with Sandbox(python, workers=1, surroundings=Surroundings(skips_waits=True)) as sandbox:
        for entry, steps, more, expected in AWAITED:
            (seen,) = sandbox.run(Program(COUNTER, entry), [Call((after(steps), *more))])
            found = value_of(seen)
            assert getattr(found, "items", found) == expected, (steps, seen)


RAISING = [
    ("it = Counter(); it.bump(1); it.bump(-1)", 3),
    ("it = Counter(); await it.bump(-1); it.bump(1)", 2),
    ("it = Counter(); await asyncio.gather(it.bump(1), it.bump(-1)); it.bump(-2)", 2),
    ("it = Counter(); it.bumped(-1)", 2),
]


@pytest.mark.parametrize(("steps", "step"), RAISING)
def test_what_the_program_raises_in_a_step_is_told_with_the_step(
    skipping: Sandbox, steps: str, step: int
) -> None:
    (seen,) = skipping.run(Program(COUNTER, "bump"), [Call((after(steps), 1))])
    assert isinstance(seen, Raised)
    assert (seen.type_name, seen.message, seen.step) == ("ValueError", "less", step)


def test_what_the_call_raises_has_no_step(skipping: Sandbox) -> None:
    for given in (after("it = Counter(); it.bump(1)"), Expression("Counter()")):
        (seen,) = skipping.run(Program(COUNTER, "bump"), [Call((given, -1))])
        assert isinstance(seen, Raised)
        assert seen.step is None


@pytest.mark.parametrize(
    "steps",
    ["it = Counter(); it.bum(1)", "it = Counter(); it.bump()", "it = Conter(); it.bump(1)"],
)
def test_what_a_step_gets_wrong_itself_is_an_input_that_cannot_be_made(
    skipping: Sandbox, steps: str
) -> None:
    (seen,) = skipping.run(Program(COUNTER, "bump"), [Call((after(steps), 1))])
    assert isinstance(seen, Unserialisable)
    assert seen.of_input


USES = """
import asyncio

def twice(function):
    async def called(argument):
        if argument < 0:
            raise KeyError(argument)
        await function(argument)
        return await function(argument + 1)
    return called
"""
MADE = "seen = []\nf = twice(lambda x: asyncio.sleep(1, seen.append(x)))\n"


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("f(1)\n(f(5), seen)", (None, [1, 2, 5, 6])),
        ("(await f(1), len(seen))", (None, 2)),
        ("await asyncio.gather(f(1), f(3))\nseen", [1, 3, 2, 4]),
        ("{'a': f(0), 'b': seen}", {"a": None, "b": [0, 1]}),
    ],
)
def test_scripts_are_awaited(skipping: Sandbox, last: str, expected: object) -> None:
    (seen,) = skipping.run(Program(USES, "twice"), [Call((Script(f"{MADE}{last}"),))])
    assert value_of(seen) == expected


def test_where_a_script_raises_is_told(skipping: Sandbox) -> None:
    scripts = [f"{MADE}f({one})\nf({other})" for one, other in ((-1, 1), (1, -1))]
    seen = skipping.run(Program(USES, "twice"), [Call((Script(each),)) for each in scripts])
    assert [each.step for each in seen if isinstance(each, Raised)] == [3, None]


# A script, and what it comes to; none of it is written down in the program.
SCRIPTS = [
    ("from fractions import Fraction\nstr(same(Fraction(1, 2)))", "1/2"),
    ("import collections.abc\nisinstance(same([]), collections.abc.Sequence)", True),
    ("class Fake:\n    def total(self):\n        return same(7)\nFake().total()", 7),
    ("def double(x):\n    y = x + x\n    return y\nsame(double)(4)", 8),
    ("try:\n    fail()\nexcept KeyError as error:\n    seen = repr(error)\nseen", "KeyError('no')"),
    ("it = [3]\nwith open_(it) as found:\n    found.append(4)\nit", [3, 4, 0]),
    ("it = []\nfor x in range(3):\n    it.append(same(x))\nit", [0, 1, 2]),
    ("a, (b, *c) = 1, (2, 3, 4)\na += 1\n[same(n) for n in (a, b, *c)]", [2, 2, 3, 4]),
    ("it = {'a': 1}\ndel it['a']\nit['b'], it['c'] = 1, 2\nsame(it)", {"b": 1, "c": 2}),
    ("async with entered([1]) as it:\n    it.append(2)\nit", [1, 2, 0]),
    ("it = []\nasync for x in counted(3):\n    it.append(x)\nsame(it)", [0, 1, 2]),
]
AROUND = """
import contextlib

def same(x): return x

def fail(): raise KeyError("no")

@contextlib.contextmanager
def open_(it):
    yield it
    it.append(0)

@contextlib.asynccontextmanager
async def entered(it):
    yield it
    it.append(0)

async def counted(n):
    for number in range(n):
        yield number
"""


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: path.name)
def test_a_script_may_have_any_statements(python: Path) -> None:
    calls = [Call((Script(source),)) for source, _ in SCRIPTS]
    with Sandbox(python, workers=1, surroundings=Surroundings(skips_waits=True)) as sandbox:
        seen = sandbox.run(Program(AROUND, "same"), calls)
    assert [*map(value_of, seen)] == [expected for _, expected in SCRIPTS]


@pytest.mark.parametrize(
    "source",
    ["import nowhere_at_all\nsame(1)", "same(nothing)", "from collections import no\nsame(no)"],
)
def test_a_script_that_lacks_a_name_is_an_input_that_cannot_be_made(
    skipping: Sandbox, source: str
) -> None:
    (seen,) = skipping.run(Program(AROUND, "same"), [Call((Script(source),))])
    assert isinstance(seen, Unserialisable)
    assert seen.of_input


def test_a_variable_without_a_value_is_for_what_the_program_did(skipping: Sandbox) -> None:
    source = "try:\n    same(1)\nexcept KeyError:\n    failed = True\nfailed"
    (seen,) = skipping.run(Program(AROUND, "same"), [Call((Script(source),))])
    assert isinstance(seen, Raised)
    assert seen.type_name == "UnboundLocalError"


def test_a_name_that_the_program_lacks_is_its_own_fault(skipping: Sandbox) -> None:
    source = "def f(g): return g() + nothing\n"
    (seen,) = skipping.run(Program(source, "f"), [Call((Script("x = 1\nf(lambda: x)"),))])
    assert isinstance(seen, Raised)
    assert seen.type_name == "NameError"


def test_a_function_that_is_given_is_awaited_by_nobody_else(skipping: Sandbox) -> None:
    source = "import asyncio\ndef f(g): return type(g(1)).__name__\n"
    given = Expression("lambda x: asyncio.sleep(x)")
    (seen,) = skipping.run(Program(source, "f"), [Call((given,))])
    assert value_of(seen) == "coroutine"


def test_a_loop_that_an_object_keeps_is_told_alike_before_and_after(skipping: Sandbox) -> None:
    steps = "it = Counter(); await asyncio.gather(it.bump(1), it.bump(7))"
    (seen,) = skipping.run(Program(COUNTER, "count"), [Call((after(steps),))])
    assert seen == Returned("8")


def test_steps_that_come_to_no_end_are_ended_and_the_next_call_is_made(skipping: Sandbox) -> None:
    endless = after("it = Counter(); await asyncio.Event().wait()")
    usual = after("it = Counter(); it.bump(1)")
    seen = skipping.run(Program(COUNTER, "count"), [Call((endless,)), Call((usual,))])
    assert seen == (TimedOut(1.0), Returned("1"))
