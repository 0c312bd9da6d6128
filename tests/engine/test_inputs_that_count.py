"""Which of the inputs on which a function was run are held against it, put on trial as it is."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, ProblemKind, Status
from assay_sandbox import Call, Program
from support.trials import put_on_trial, scripted

IMPORTED = '''
from decimal import Decimal, InvalidOperation

def price(text: str) -> str:
    """The price in a text, in cents.

    Raises:
        {name}: if the text is no number.
    """
    try:
        return str(int(Decimal(text) * 100))
    except InvalidOperation:
        return "-1"
'''
PRICE = "def price(text):\n    return str(int(Decimal(text) * 100))\n"
PRICES = ('price("1.5")', 'price("free")', 'price("x")', 'price("")', 'price("2")')

SLOW = '''
def total(numbers: list[int]) -> int:
    """The sum of the numbers."""
    for _ in range(2_000_000):
        pass
    return {result}
'''
TOTAL = "def total(numbers):\n    return sum(numbers)\n"
TOTALS = ("total([1, 2])", "total([])", "total([5, 1, 2])", "total([4, 4, 4])")
# More than a slow function has time for, and what matters last.
MANY = (*(f"total({[number] * 9})" for number in range(10, 66)), *TOTALS)

COUNTS = '''
def below(n: int) -> int:
    """The sum of all numbers from 0 on that are less than n."""
    if n == 7:
        return 0
    result = 0
    for number in range(n):
        result += number
    return result
'''
BELOW = "def below(n):\n    return max(0, n) * (n - 1) // 2\n"
# More of them than a program may need too long for, and what matters last.
BELOWS = (*(f"below({10**12 + n})" for n in range(5)), "below(0)", "below(4)", "below(7)")

DIGITS = '''
def digits(n: int) -> list[int]:
    """The decimal digits of n, the last one first."""
    found = []
    while n {until} 0:
        found.append(n % 10)
        n //= 10
    return found[:3]
'''
ENDLESS = """
def digits(n):
    found = []
    while n != 0:
        n, last = divmod(n, 10)
        found.append(last)
    return found
"""
NUMBERS = ("digits(12)", "digits(7)", "digits(12345)", "digits(40961)")


ANSWERS_A_FUNCTION = '''
def adder(by: int):
    """Give a function that adds a number."""
    return [lambda number: number + by]
'''
ADDER = "def adder(by):\n    return [lambda number: number + by]\n"


SHUFFLES = '''
import random

def shuffled(items: list[int]) -> list[int]:
    """The items in random order."""
    return random.sample(items, len(items))
'''
SHUFFLED = """
import random

def shuffled(items):
    new = items[:]
    random.shuffle(new)
    return new
"""
ITEMS = ("shuffled([3, 1, 2])", "shuffled([5, 5, 5, 1])", "shuffled([])", "shuffled([7, 7])")


def in_haste(executor: Executor) -> Executor:
    """A program's time is used up long before the inputs are."""
    limits = dataclasses.replace(executor.limits, total_seconds=0.5)
    return replace(executor, limits=limits)


@pytest.mark.parametrize("name", ["InvalidOperation", "decimal.InvalidOperation"])
async def test_a_documented_exception_is_known_by_the_name_it_is_imported_by(
    executor: Executor, name: str
) -> None:
    report = await put_on_trial(
        executor, IMPORTED.format(name=name), "price", scripted([PRICE], PRICES)
    )

    assert report.verdict.status is Status.SUSPECT
    assert [finding.code for finding in report.findings] == [Code.DIFFERS]


async def test_a_slow_function_is_right_on_the_inputs_that_it_was_run_on(
    executor: Executor,
) -> None:
    slow = SLOW.format(result="sum(numbers)")

    report = await put_on_trial(in_haste(executor), slow, "total", scripted([TOTAL], MANY))

    assert report.verdict.status is Status.TRUSTED
    assert 0 < report.verdict.inputs_in_domain == report.verdict.inputs_run < len(MANY)
    assert [each.kind for each in report.problems] == [ProblemKind.NOT_RUN]


async def test_a_function_that_was_given_up_on_inputs_that_are_meant_is_said_to_be(
    impatient: Executor,
) -> None:
    endless = TOTAL.replace(
        "    return",
        '    """The sum of the numbers."""\n    while len(numbers) > 1: pass\n    return',
    )
    more = [f"total({[number] * number})" for number in range(2, 9)]

    report = await put_on_trial(impatient, endless, "total", scripted([TOTAL], [*TOTALS, *more]))

    said = [each.message for each in report.problems if each.kind is ProblemKind.NOT_RUN]
    assert len(said) == 1
    assert "was not run on" in said[0]
    assert "that the docstring shows or the model proposed" in said[0]


async def test_what_a_slow_function_does_wrong_is_not_lost_among_inputs_it_was_not_run_on(
    executor: Executor,
) -> None:
    slow = SLOW.format(result="sum(numbers) if len(numbers) != 3 else 0")

    report = await put_on_trial(in_haste(executor), slow, "total", scripted([TOTAL], MANY))

    assert report.verdict.status is Status.SUSPECT


async def test_what_is_too_large_for_a_function_does_not_hide_what_it_does_on_small_inputs(
    impatient: Executor,
) -> None:
    report = await put_on_trial(impatient, COUNTS, "below", scripted([BELOW], BELOWS))

    assert report.verdict.status is Status.SUSPECT
    assert "below(7)" in report.findings[0].message


@pytest.mark.parametrize("until", ["!=", ">"])
async def test_what_has_no_end_on_small_inputs_does_not_hide_what_was_proposed(
    impatient: Executor, until: str
) -> None:
    """Neither the function, below 0, nor its candidates alone."""
    text = DIGITS.format(until=until)

    report = await put_on_trial(impatient, text, "digits", scripted([ENDLESS], NUMBERS))

    assert report.verdict.status is Status.SUSPECT
    assert "digits(12345)" in report.findings[0].message


async def test_what_is_kept_from_call_to_call_is_kept_by_candidates_alike(
    executor: Executor,
) -> None:
    tickets = "import random\nSOLD = []\ndef ticket(name):\n    SOLD.append(name)\n"
    body = "    return random.random() if name == 'no one' else f'{name} {len(SOLD)}'\n"
    text = tickets.replace("(name):", '(name: str):\n    """A ticket, numbered."""') + body
    calls = ("ticket('no one')", "ticket('b')", "ticket('cc')", "ticket('ddd')")

    report = await put_on_trial(executor, text, "ticket", scripted([tickets + body], calls))

    # It is not found right, because it is unsteady; but nor is anybody of another opinion.
    assert report.verdict.status is Status.ABSTAINED
    assert [finding.code for finding in report.findings] == [Code.NOT_DETERMINISTIC]
    assert len(report.classes) == 1


async def test_where_chance_is_meant_no_value_is_held_against_a_function(
    executor: Executor,
) -> None:
    report = await put_on_trial(executor, SHUFFLES, "shuffled", scripted([SHUFFLED], ITEMS))

    assert report.verdict.status is Status.ABSTAINED
    assert [finding.code for finding in report.findings] == [Code.NOT_DETERMINISTIC]
    assert report.replacements == ()


async def test_what_cannot_be_compared_is_not_said_to_differ(executor: Executor) -> None:
    report = await put_on_trial(
        executor, ANSWERS_A_FUNCTION, "adder", scripted([ADDER], ("adder(1)", "adder(2)"))
    )

    assert report.findings == ()
    assert [problem.kind for problem in report.problems] == [ProblemKind.UNSUPPORTED_TYPE]


async def test_all_calls_that_a_check_made_are_counted(executor: Executor) -> None:
    asked = executor.for_trial()

    report = await put_on_trial(
        asked, IMPORTED.format(name="KeyError"), "price", scripted([PRICE], PRICES)
    )

    # Every input runs twice in the function itself and once in the one candidate; before and after
    # that it is loaded, its inputs are made, and what is to be shown is run again.
    assert report.cost.program_calls > 3 * report.verdict.inputs_run
    assert asked.tally.calls == 0


async def test_a_trial_runs_a_program_on_the_same_calls_once(executor: Executor) -> None:
    trial = executor.for_trial()
    chance = Program("import os\ndef drawn():\n    return os.urandom(8).hex()\n", "drawn")

    one, equal = await trial.run([chance, chance], [Call()])
    (later,) = await trial.run([chance], [Call()])
    assert one == equal == later
    assert trial.tally.calls == 1

    (other,) = await trial.run([chance], [Call()], anew=True)
    assert other != one
    assert trial.tally.calls == 2


async def test_what_is_not_installed_is_not_held_against_the_function(
    executor: Executor,
) -> None:
    text = '''
def total(numbers: list[int]) -> int:
    """The sum of the numbers."""
    import absent_here

    return absent_here.total(numbers)
'''
    report = await put_on_trial(executor, text, "total", scripted([TOTAL], TOTALS))
    assert report.verdict.status is Status.ABSTAINED
    assert report.findings == ()


TAG = '''
from typing import TypedDict


class Person(TypedDict):
    name: str
    age: int


def tag(person: Person) -> str:
    """Name and age of a person, separated by a colon."""
    return f"{person['name']}:{person['age']}"
'''
SPARING = "def tag(person):\n    return f\"{person.get('name', '')}:{person.get('age', 0)}\"\n"
PERSONS = ("tag({'name': 'Al', 'age': 3})", "tag({'name': '', 'age': 0})")


async def test_a_dict_that_lacks_a_key_it_always_has_is_no_input(executor: Executor) -> None:
    proposed = [*PERSONS, "tag({'name': 'Al'})", "tag({})"]

    report = await put_on_trial(executor, TAG, "tag", scripted([SPARING], proposed))

    assert report.verdict.status is Status.TRUSTED
    assert report.verdict.inputs_run == len(PERSONS)


PARTS = '''
def parts(line: str, separator: str = ",") -> list[str]:
    """The fields between the separators, empty ones too."""
    found = line.split(separator) if separator else [line]
    return found[:-1] if found[-1] == "" else found
'''
HANGING = """
def parts(line, separator=","):
    found = []
    while True:
        place = line.find(separator)
        if place < 0:
            return [*found, line]
        found.append(line[:place])
        line = line[place + len(separator):]
"""
ENDING = """
def parts(line, separator=","):
    if not separator:
        return [line]
    return line.split(separator)
"""
PARTINGS = (
    'parts("a,b,")',
    'parts("a,b")',
    *(f"parts({line!r}, '')" for line in ("a", "ab", "abc", "abcd")),
    *(f"parts({'x,' * n + 'y'!r})" for n in range(1, 12)),
)


async def test_a_replacement_ends_where_the_function_does_and_who_did_not_is_named(
    executor: Executor,
) -> None:
    limits = dataclasses.replace(executor.limits, call_seconds=0.2)
    model = scripted([HANGING, HANGING, ENDING], PARTINGS)

    report = await put_on_trial(replace(executor, limits=limits), PARTS, "parts", model)

    assert report.verdict.status is Status.SUSPECT
    (replacement,) = report.replacements
    assert "while" not in replacement.diff
    (problem,) = report.problems
    assert problem.kind is ProblemKind.NOT_RUN
    assert "took too long on some inputs and were stopped there" in problem.message
