"""What is nobody's doing: addresses, the frames of tracebacks, and the order of sets given."""

from __future__ import annotations

import pytest

from assay_engine.running.incidental import without_incidentals
from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Code, Status
from assay_sandbox import LoadFailed, Observation, Raised, Returned, encode
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


async def test_an_address_is_no_chance(laboratory: Laboratory) -> None:
    other = LABELLED.replace("repr(value)[:width]", "f'{value!r:.{width}}'")
    report = await put_on_trial(laboratory, LABELLED, "label", scripted([other] * 10, OBJECTS))
    assert report.verdict.status is Status.TRUSTED
    assert not report.findings


async def test_what_differs_beside_an_address_is_seen(laboratory: Laboratory) -> None:
    wrong = LABELLED.replace("repr(value)[:width]", "repr(value)[:width].replace('<', '(')")
    report = await put_on_trial(laboratory, wrong, "label", scripted([LABELLED] * 10, OBJECTS))
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
    laboratory: Laboratory, text: str, status: Status
) -> None:
    model = scripted([BY_HELPER] * 10, DIVISORS)
    report = await put_on_trial(
        laboratory, text.replace("import", "import sys, "), "guarded", model
    )
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
    laboratory: Laboratory, annotation: str, inputs: list[str], status: Status
) -> None:
    text = f"from typing import Iterable\n\n\n{FIRSTS.replace('ANNOTATION', annotation)}"
    report = await put_on_trial(laboratory, text, "firsts", scripted([LETTERS] * 10, inputs))
    assert report.verdict.status is status
    told = [each for each in report.findings if each.code is Code.NOT_DETERMINISTIC]
    assert len(told) == (status is Status.ABSTAINED)


TRACEBACK = """Traceback (most recent call last):
  File "<program>", line 3, in f
    return g("a\\\\b")
           ^^^^^^^^^^^
  File "<program>", line 7, in g
ValueError: no "b"
  of two lines
"""
ERROR = 'Traceback (most recent call last):\nValueError: no "b"\n  of two lines\n'
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
    ],
)
def test_addresses_are_left_out(seen: Observation, left: Observation) -> None:
    assert without_incidentals(seen) == left


@pytest.mark.parametrize(
    "seen",
    [
        Returned(encode(["fault at 0xdeadbeef: read", "at 0x7f5e3c0d1f80 or so"])),
        Raised("ValueError", "0x7f5e3c0d1f80"),
        LoadFailed("ValueError", "none"),
    ],
)
def test_what_a_program_writes_itself_is_kept(seen: Observation) -> None:
    assert without_incidentals(seen) is seen or without_incidentals(seen) == seen
