"""Functions that read files, standard input, the environment or the clock, put into scenes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.compare.executor import Executor, open_executor, program_of
from assay_engine.inputs.gather import gather_inputs
from assay_engine.inputs.proposed import proposals_in
from assay_engine.inputs.staging import staged
from assay_engine.methods.trails.generating import read_inputs
from assay_engine.sampling.prompting import inputs_prompt
from assay_engine.specification.supportable import unsupported
from assay_engine.types import Draw, Origin, Reply, Specification, Usage
from assay_sandbox import Call, Limits, Returned, Scalar, Scene, decode
from support.specifying import specified

COUNT = '''
def count(path: str) -> int:
    """How many lines of a text file are not blank."""
    with open(path, encoding="utf-8") as file:
        return sum(1 for line in file if line.strip())
'''
AGE = '''
import os
from datetime import date

def age(born: int) -> str:
    """Whole years since the year of birth, in the language of the variable LANG: en or de."""
    years = date.today().year - born
    return f"{years} Jahre" if os.environ.get("LANG") == "de" else f"{years} years"
'''
REPLY = """
files = {"a.txt": "x\\n\\ny\\n", "b.txt": ""}
count("a.txt")
count("b.txt")
files = {"../a": ""}
count("out of its folder")
files = {"a.txt": 3}
count("no text")
"""


def proposed_calls(reply: str, specification: Specification) -> tuple[Call, ...]:
    return tuple(each.call for each in proposals_in(reply, specification))


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with open_executor(Limits(), workers=1) as opened:
        yield opened


@pytest.mark.parametrize("read", [proposed_calls, read_inputs])
def test_a_reply_says_what_a_call_finds_around_it(read: object) -> None:
    assert callable(read)
    files = (("a.txt", "x\n\ny\n"), ("b.txt", ""))
    assert read(REPLY, specified(COUNT)) == (
        Call(("a.txt",), scene=Scene(files)),
        Call(("b.txt",), scene=Scene(files)),
    )


async def test_a_function_that_reads_a_file_is_run_on_files(executor: Executor) -> None:
    specification = specified(COUNT)
    assert unsupported(specification, importable=lambda name: True) is None
    replies = Draw((Reply(REPLY, 0, Usage(), cached=False),), ())
    gathered = await gather_inputs(executor, specification, replies, limit=20)
    proposed = [each.call for each in gathered.inputs if each.origin is Origin.PROPOSED]
    (row,) = await executor.run([program_of(specification)], proposed)
    values = [decode(each.value) for each in row if isinstance(each, Returned)]
    assert values == [2, 0]


@pytest.mark.parametrize(
    ("parameters", "call"),
    [
        ("path: Path", Call((Scalar("pathlib.PosixPath", "a.txt"),))),
        ("*, path: str", Call(kwargs=(("path", "a.txt"),))),
    ],
    ids=["a path", "by name"],
)
def test_a_file_lies_where_a_call_says_however_it_says_it(parameters: str, call: Call) -> None:
    source = COUNT.replace("path: str", parameters)
    (placed,) = staged([call], specified(f"from pathlib import Path\n{source}"))
    assert placed.scene is not None
    assert [name for name, _content in placed.scene.files] == ["a.txt"]


async def test_clock_and_environment_stand_still(executor: Executor) -> None:
    specification = specified(AGE)
    reply = 'environment = {"LANG": "de"}\nnow = "2024-02-29"\nage(2000)\nage(1990)'
    replies = Draw((Reply(reply, 0, Usage(), cached=False),), ())
    gathered = await gather_inputs(executor, specification, replies, limit=10)
    calls = [each.call for each in gathered.inputs]
    program = [program_of(specification)]
    (one,) = await executor.run(program, calls)
    (other,) = await executor.run(program, calls, second=True)
    assert one == other
    assert isinstance(one[0], Returned)
    assert isinstance(one[1], Returned)
    assert [decode(each.value) for each in one[:2]] == ["24 Jahre", "34 Jahre"]


@pytest.mark.parametrize("now", ["1700000000000", "1e999", "-1e15", '"0001-01-01T00:00+14:00"'])
@pytest.mark.parametrize("read", [proposed_calls, read_inputs])
def test_a_moment_that_no_calendar_has_is_no_input(read: object, now: str) -> None:
    assert callable(read)
    reply = f"now = {now}\nage(2000)\nnow = 1700000000\nage(1990)"
    assert read(reply, specified(AGE)) == (Call((1990,), scene=Scene(time=1_700_000_000.0)),)


def test_only_what_a_function_needs_is_asked_for() -> None:
    def asked(source: str) -> str:
        return inputs_prompt(specified(source), temperature=0.5).user

    assert "files = " in asked(COUNT)
    assert "now = " not in asked(COUNT)
    assert "environment = " in asked(AGE)
    assert "now = " in asked(AGE)
    assert "Before a call" not in asked(
        'def f(x: int) -> int:\n    """Twice x."""\n    return 2 * x\n'
    )


def test_the_call_that_is_shown_can_be_made_as_it_is_written() -> None:
    source = 'def f(a, *rest, key=None, **others):\n    """All of it."""\n    return a\n'
    asked = inputs_prompt(specified(source), temperature=0.5).user
    assert "written as in: f(a, *rest, key=key, **others)" in asked


CHOSEN = """
from dataclasses import dataclass

@dataclass
class Ticket:
    number: int

    def __post_init__(self):
        if self.number != 7_654_321:
            raise ValueError(self.number)

def price(ticket: Ticket) -> int:
    \"\"\"The price of a ticket.\"\"\"
    return ticket.number % 7
"""


async def test_objects_that_cannot_be_made_are_told(executor: Executor) -> None:
    replies = Draw((Reply("price(Ticket(7))\nprice(Ticket(8))", 0, Usage(), cached=False),), ())
    gathered = await gather_inputs(executor, specified(CHOSEN, "price"), replies, limit=20)
    assert gathered.inputs == ()
    (problem,) = gathered.problems
    assert problem.message.startswith(
        "None of 2 inputs that the model proposed can be created here"
    )
