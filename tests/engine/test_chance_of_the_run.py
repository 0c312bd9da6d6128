"""What is nobody's doing: addresses, the frames of tracebacks, and the order of sets given."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor, without_incidentals
from assay_engine.types import Code, Status
from assay_sandbox import Encoded, Instance, LoadFailed, Observation, Raised, Returned, Told, encode
from support.trials import put_on_trial, scripted

LABELLED = '''\
def label(value: object, width: int) -> str:
    """The value as Python writes it, cut off after so many characters."""
    print(value)
    return repr(value)[:width]
'''
OBJECTS = [
    *(f"label({value}, {width})" for value in ("3", "'ab'", "[1, 'b']") for width in (0, 2, 9)),
    *(f"label({value}, 90)" for value in ("object()", "[object()]", "len", "lambda x: x")),
]
FIRSTS = '''\
def firsts(words: ANNOTATION) -> list[str]:
    """The first letters of the words, in the order in which they come."""
    return [word[:1] for word in words]
'''
LETTERS = "def firsts(words):\n    letters = [w[0:1] for w in words]\n    return letters"
LISTS = ["firsts([])", "firsts(['ab', 'c'])", "firsts(['', 'x'])", "firsts(('b', 'a', 'b'))"]
SETS = ["firsts({'ab', 'c', 'de'})", "firsts({'x', 'y', 'z', 'ab'})"]


async def test_an_address_is_no_chance(executor: Executor) -> None:
    other = LABELLED.replace("repr(value)[:width]", "f'{value!r:.{width}}'")
    report = await put_on_trial(executor, LABELLED, "label", scripted([other] * 10, OBJECTS))
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_what_differs_beside_an_address_is_seen(executor: Executor) -> None:
    wrong = LABELLED.replace("repr(value)[:width]", "repr(value)[:width].replace('<', '(')")
    report = await put_on_trial(executor, wrong, "label", scripted([LABELLED] * 10, OBJECTS))
    (found,) = [each for each in report.findings if each.code is Code.DIFFERS]
    assert "0x7" not in found.message


GUARDED = '''\
import traceback


def guarded(divisor: int) -> str:
    """A hundred divided by the divisor, as a text; the traceback if that cannot be done."""
    print(traceback.extract_stack()[-1])
    try:
        return str(100 // divisor)
    except ZeroDivisionError:
        traceback.print_exc(file=sys.stdout)
        return traceback.format_exc()
'''
BY_HELPER = """\
import sys
import traceback


def guarded(divisor: int) -> str:
    def divided():
        return 100 // divisor

    print(traceback.extract_stack()[-1])
    try:
        return str(divided())
    except ZeroDivisionError:
        traceback.print_exc(file=sys.stdout)
        return traceback.format_exc()
"""
DIVISORS = [f"guarded({divisor})" for divisor in (0, 1, -1, 7, 100, 101)]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (GUARDED, Status.TRUSTED),
        (GUARDED.replace("ZeroDivisionError", "ArithmeticError"), Status.TRUSTED),
        (GUARDED.replace("100 // divisor)", "100 // divisor)[:2]"), Status.SUSPECT),
        (GUARDED.replace("100 // divisor", "100 % divisor"), Status.SUSPECT),
        (GUARDED.replace("100 // divisor", "[100 // divisor][1 - bool(divisor)]"), Status.TRUSTED),
        (GUARDED.replace("format_exc()", "format_exc().upper()"), Status.SUSPECT),
    ],
)
async def test_where_a_traceback_leads_through_is_no_answer(
    executor: Executor, text: str, status: Status
) -> None:
    model = scripted([BY_HELPER] * 10, DIVISORS)
    report = await put_on_trial(executor, text.replace("import", "import sys, "), "guarded", model)
    assert report.verdict.status is status


@pytest.mark.parametrize(
    ("annotation", "inputs", "status"),
    [
        ("list[str]", LISTS, Status.TRUSTED),
        ("Iterable[str]", [*LISTS, *SETS], Status.TRUSTED),
        ("set[str]", SETS, Status.ABSTAINED),
    ],
)
async def test_in_which_order_a_set_comes_is_up_to_the_run(
    executor: Executor, annotation: str, inputs: list[str], status: Status
) -> None:
    text = f"from typing import Iterable\n\n\n{FIRSTS.replace('ANNOTATION', annotation)}"
    report = await put_on_trial(executor, text, "firsts", scripted([LETTERS] * 10, inputs))
    assert report.verdict.status is status
    told = [each for each in report.findings if each.code is Code.NOT_DETERMINISTIC]
    assert len(told) == (status is Status.ABSTAINED)


CHOSEN = '''\
import random


def pick(words):
    """The first of the words; of a set the one of them that comes first in it."""
    if isinstance(words, (set, frozenset)):
        return random.choice(list(words))
    return next(iter(words))
'''
FIRST = "def pick(words):\n    return next(iter(words))"
TAKEN = '''\
import uuid


def total(xs):
    """The sum of the numbers, or of the lengths of texts; each of a set counts once."""
    total = sum(x if isinstance(x, int) else len(x) for x in xs)
    return total + uuid.uuid4().int * isinstance(xs, set)
'''
TOTAL = "def total(xs):\n    return sum(x if isinstance(x, int) else len(x) for x in xs)"
GIVEN = ["[3, 4]", "[1]", "(5, 6, 7)", "[7, 7]"]
NUMBERS = ["{1, 2, 3}", "{4, 5, 6, 7}", "{8, 9, 10, 11}"]
WORDS = ["{'ab', 'c', 'de'}", "{'x', 'y', 'z', 'ab'}"]
HASHED = """\
def pick(words):
    \"\"\"The first of the words; of a set the one of them that comes first in it.\"\"\"
    return [hash(str(x)) if isinstance(words, set) else x for x in words][0]
"""


@pytest.mark.parametrize(
    ("text", "other", "given"),
    [
        (CHOSEN, FIRST, NUMBERS),
        (CHOSEN, FIRST, WORDS),
        (CHOSEN, FIRST, [f"frozenset({each})" for each in WORDS]),
        (TAKEN, TOTAL, NUMBERS),
        (TAKEN, TOTAL, WORDS),
        (HASHED, FIRST, NUMBERS),
    ],
)
async def test_a_set_is_no_excuse_for_other_chance(
    executor: Executor, text: str, other: str, given: list[str]
) -> None:
    name = "total" if text is TAKEN else "pick"
    inputs = [f"{name}({each})" for each in (*GIVEN, *given)]
    report = await put_on_trial(executor, text, name, scripted([other] * 10, inputs))
    assert report.verdict.status is Status.ABSTAINED
    assert Code.NOT_DETERMINISTIC in [each.code for each in report.findings]


GROUPED = '''\
import traceback


def failures(messages: list[str]) -> str:
    """The traceback, as text, of an ExceptionGroup named "failed" of a ValueError for each message;
    nothing if there is none."""
    if not messages:
        return ""
    try:
        raise ExceptionGroup("failed", [ValueError(m) for m in messages])
    except ExceptionGroup:
        return traceback.format_exc()
'''
GROUPS = [f"failures({each})" for each in ([], ["a"], ["a", "b"], ["x y"], ["n", "no"], ["q"])]
CUT = '''\
import traceback


def attempt(number: int) -> list[str]:
    """The first 60 characters of the traceback of dividing by zero, and the lines "number\\\\n" and
    "end\\\\n"; of 0 nothing."""
    if number == 0:
        return []
    try:
        1 // 0
    except ZeroDivisionError:
        return [traceback.format_exc()[:60], f"{number}\\n", "end\\n"]
'''
CUTS = [f"attempt({number})" for number in (0, 1, 2, 3, 10, -1)]
LOCATED = '''\
def located(blocks: list[int]) -> list[str]:
    """For each block, "block at 0x", its number in twelve hexadecimal digits, and a semicolon."""
    return [f"block at 0x{abs(block):012x};" for block in blocks]
'''
BLOCKS = [f"located({each})" for each in ([], [1], [2, 3], [255], [4096, 1], [9, 9, 9])]


@pytest.mark.parametrize(
    ("text", "name", "inputs", "right", "wrong"),
    [
        (GROUPED, "failures", GROUPS, "ValueError(m)", "ValueError(m.upper())"),
        (CUT, "attempt", CUTS, "{number}", "{number + 1}"),
        (LOCATED, "located", BLOCKS, "abs(block)", "abs(block) + 1"),
    ],
)
async def test_what_stands_beside_it_is_an_answer(
    executor: Executor, text: str, name: str, inputs: list[str], right: str, wrong: str
) -> None:
    model = scripted([text] * 10, inputs)
    report = await put_on_trial(
        executor, text.replace(right, f"{right[:-1]} {right[-1]}"), name, model
    )
    assert report.verdict.status is Status.TRUSTED
    report = await put_on_trial(executor, text.replace(right, wrong), name, model)
    assert report.verdict.status is Status.SUSPECT


TRACEBACK = """Traceback (most recent call last):
  File "<program>", line 3, in f
    return g("a\\\\b")
           ^^^^^^^^^^^
  File "<program>", line 7, in g
ValueError: no "b"
  of two lines
"""
ERROR = 'Traceback (most recent call last):\nValueError: no "b"\n  of two lines\n'
IN_GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "<program>", line 3, in f
  |     g(1)
  |     ~^^^
  |   File "<program>", line 4, in g
  |   [Previous line repeated 18 more times]
  | ExceptionGroup: eg (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "<program>", line 9, in h
    | ValueError: one
    |   of two lines
    +---------------- 2 ----------------
    | ValueError: two
    +------------------------------------
"""
GROUP = """  + Exception Group Traceback (most recent call last):
  | ExceptionGroup: eg (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    | ValueError: one
    |   of two lines
    +---------------- 2 ----------------
    | ValueError: two
    +------------------------------------
"""
HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "a.py", line 3, in f\n'
OBJECT = "<A object at 0x7f5e3c0d1f80>"
MASKED = "<A object at 0x...>"


@pytest.mark.parametrize(
    ("seen", "left"),
    [
        (Returned(encode([OBJECT, 1])), Returned(encode([MASKED, 1]))),
        (Returned(encode(1), stdout=f"{OBJECT}\n"), Returned(encode(1), stdout=f"{MASKED}\n")),
        (
            Returned(encode(1), encode([[OBJECT], {}]), files_after=encode({"a": OBJECT})),
            Returned(encode(1), encode([[MASKED], {}]), files_after=encode({"a": MASKED})),
        ),
        (Raised("ValueError", OBJECT), Raised("ValueError", MASKED)),
        (Raised("ValueError", f"x {TRACEBACK}y"), Raised("ValueError", f"x {ERROR}y")),
        (Returned(encode([TRACEBACK, 1])), Returned(encode([ERROR, 1]))),
        (Returned(encode(0), stdout=2 * TRACEBACK), Returned(encode(0), stdout=2 * ERROR)),
        (
            Returned(encode(['  File "<program>", line 12, in f\n'])),
            Returned(encode(['  File "<program>", line ..., in f\n'])),
        ),
        (
            Raised("E", "<weakref at 0x7f5e3c0d1f80; to 'A' at 0x10a3b4c50>"),
            Raised("E", "<weakref at 0x...; to 'A' at 0x...>"),
        ),
        (Returned(encode([IN_GROUP])), Returned(encode([GROUP]))),
        (Returned(encode(0), stdout=2 * IN_GROUP), Returned(encode(0), stdout=2 * GROUP)),
        (Returned(encode((HEAD + FRAME, 1, "b\n"))), Returned(encode((HEAD, 1, "b\n")))),
        (
            Returned(encode([f"{HEAD}{FRAME}    raise E('x\\n')\n    # \\\n{FRAME}E: b"])),
            Returned(encode([f"{HEAD}E: b"])),
        ),
        (Returned(encode({OBJECT: {OBJECT}})), Returned(encode({MASKED: {MASKED}}))),
        (
            Returned(encode(Told("function", (OBJECT, Instance("A", (("b", OBJECT),)))))),
            Returned(encode(Told("function", (MASKED, Instance("A", (("b", MASKED),)))))),
        ),
        (
            Returned(encode({"<a at 0x123456789>b", "<a at 0x123456780>c"})),
            Returned(encode({"<a at 0x...>b", "<a at 0x...>c"})),
        ),
        (
            Raised("E", f"<bound method A.m of {OBJECT}> <A object at 0x7f5e3c0d1f80 state=1>"),
            Raised("E", f"<bound method A.m of {MASKED}> <A object at 0x... state=1>"),
        ),
        (
            Raised(
                "E",
                f"<function f.<locals>.<lambda> at 0x7f5e3c0d1f80> <B a={OBJECT} at 0x10a3b4c50>",
            ),
            Raised("E", f"<function f.<locals>.<lambda> at 0x...> <B a={MASKED} at 0x...>"),
        ),
        (
            Raised("E", "<weakproxy at 0x7f5e3c0d1f80 to A at 0x10a3b4c50>"),
            Raised("E", "<weakproxy at 0x... to A at 0x...>"),
        ),
    ],
)
def test_addresses_are_left_out(seen: Observation, left: Observation) -> None:
    assert without_incidentals(seen) == left


@pytest.mark.parametrize(
    "seen",
    [
        Returned(encode(["fault at 0xdeadbeef: read", "at 0x7f5e3c0d1f80 or so"])),
        Returned(encode(["block at 0x000000000001;", "a < b at 0x000000000001: c"])),
        Returned(encode([HEAD, "second\n", {"a": "b\n"}, "  third\n"])),
        Returned(encode(f"{HEAD}  of it\n"), stdout=f"{HEAD}\n{FRAME}"),
        Returned(encode({OBJECT, f"{OBJECT[:-2]}1>"})),
        Returned(encode({OBJECT: 1, f"{OBJECT[:-2]}1>": 2})),
        Returned(Encoded(f'["{OBJECT}"')),
        Returned(Encoded("[" * 100_000 + f'"{OBJECT}"' + "]" * 100_000)),
        Raised("ValueError", "0x7f5e3c0d1f80"),
        LoadFailed("ValueError", "none"),
    ],
)
def test_what_a_program_writes_itself_is_kept(seen: Observation) -> None:
    assert without_incidentals(seen) is seen


@pytest.mark.parametrize(
    "part",
    [
        *("<", "<a", "<a<b>", "<a at 0x", "<a at 0x...> ", "<a at 0x7f5e3c0d1f8", HEAD, FRAME),
        *(" ", "\\", '"', '\\"', "<a at 0x7f5e3c0d1f80;", "<a> at 0x7f5e3c0d1f80 "),
    ],
)
def test_texts_of_any_kind_are_read_in_time_that_grows_as_they_do(part: str) -> None:
    text = f"{HEAD}{FRAME}" + 2**20 // len(part) * part
    # A pattern that tries every way to read these has no end before the test's own deadline.
    for seen in (
        Returned(Encoded(f'"<a at 0x{text}'), stdout=text),
        Raised("E", text, args_after=encode([text])),
    ):
        assert len(without_incidentals(seen).stdout) <= len(text)
