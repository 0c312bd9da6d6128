"""Functions that take open files, and are given files in memory."""

from __future__ import annotations

from assay_engine.compare.executor import Executor
from assay_engine.types import Severity, Status
from support.trials import put_on_trial, scripted

# The last row of an item counts, where all of them should.
READS = '''
import csv
from typing import TextIO


def stock(handle: TextIO) -> dict[str, int]:
    """How much there is of each item, in a CSV file with the columns item and quantity; rows of the
    same item are added up."""
    found = {}
    for row in csv.DictReader(handle):
        found[row["item"]] = int(row["quantity"])
    return found
'''
RIGHT = READS.replace(
    '= int(row["quantity"])', '= found.get(row["item"], 0) + int(row["quantity"])'
)
ONCE = 'stock(io.StringIO("item,quantity\\nnut,2\\nbolt,3\\n"))'
TWICE = 'stock(io.StringIO("item,quantity\\nnut,2\\nnut,3\\n"))'


async def test_a_mistake_in_reading_is_shown_with_the_file(executor: Executor) -> None:
    report = await put_on_trial(executor, READS, "stock", scripted([RIGHT], [ONCE, TWICE]))
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("stock(io.StringIO('item,quantity\\nnut,2\\nnut,3\\n'))")
    right = await put_on_trial(executor, RIGHT, "stock", scripted([RIGHT], [ONCE, TWICE]))
    assert right.verdict.status is Status.TRUSTED
    assert right.verdict.inputs_in_domain == 2


async def test_an_example_that_imports_what_it_needs_is_an_input(executor: Executor) -> None:
    text = READS.replace("handle: TextIO", "handle").replace(
        'added up."""',
        f"added up.\n\n    >>> import io\n    >>> {TWICE.replace(chr(92), chr(92) * 2)}\n"
        "    {'nut': 5}\n" + '    """',
    )
    report = await put_on_trial(executor, text, "stock", scripted([RIGHT], []))
    assert report.verdict.status is Status.SUSPECT
    assert "nut" in report.findings[0].message


async def test_how_far_a_file_was_read_makes_no_difference(executor: Executor) -> None:
    text = '''
def first_line(handle):
    """The first line of an open file without its end; empty if there is none."""
    return handle.readline().rstrip("\\n")
'''
    whole = text.replace(
        'handle.readline().rstrip("\\n")', '(handle.read().split("\\n") + [""])[0]'
    )
    files = ['first_line(io.StringIO("a\\nb\\n"))', 'first_line(io.StringIO(""))']
    report = await put_on_trial(executor, text, "first_line", scripted([whole], files))
    assert report.verdict.status is Status.TRUSTED


async def test_what_is_written_into_a_file_is_compared(executor: Executor) -> None:
    text = '''
from typing import TextIO


def save(rows: list[str], out: TextIO) -> None:
    """Write each row on a line of its own."""
    out.write("\\n".join(rows))
'''
    right = text.replace('"\\n".join(rows)', '"".join(row + "\\n" for row in rows)')
    report = await put_on_trial(
        executor, text, "save", scripted([right], ['save(["a", "b"], io.StringIO())'])
    )
    assert report.verdict.status is Status.SUSPECT
    message = report.findings[0].message
    assert "all 10 candidates leave `out` as io.StringIO('a\\nb\\n')" in message
    assert message.endswith("this leaves `out` as io.StringIO('a\\nb')")


async def test_it_is_said_that_no_proposed_input_can_be_made(executor: Executor) -> None:
    text = '''
def received(socket: "Wire") -> bytes:
    """What comes in."""
    return socket.take()
'''
    model = scripted([text], ["received(Wire(1))", "received(Wire(2))"])
    report = await put_on_trial(executor, text, "received", model)
    assert report.verdict.status is Status.ABSTAINED
    proposed, none = (problem.message for problem in report.problems)
    assert proposed.startswith("None of 2 inputs that the model proposed can be created here:")
    assert proposed.endswith(" the first is received(Wire(1)).")
    assert none == "There are no inputs to run it on. Add an example to its docstring."


MISSING = '''
def area(radius: float) -> float:
    """The area of a circle of this radius.

    >>> import math
    >>> area(1) == math.pi
    True
    """
    return math.pi * radius * radius
'''


async def test_what_an_example_imports_is_not_there_for_the_function(
    executor: Executor,
) -> None:
    right = MISSING.replace("    return", "    import math\n    return")
    report = await put_on_trial(executor, MISSING, "area", scripted([right], ["area(2)"]))
    assert report.verdict.status is Status.SUSPECT
    assert "NameError" in report.findings[0].message


async def test_what_an_example_imports_hides_nothing_from_the_function(
    executor: Executor,
) -> None:
    text = '''
def modular(base: int, exponent: int, modulus: int) -> int:
    """The power, modulo a modulus greater than 1.

    >>> from math import pow
    >>> import winreg
    >>> modular(2, 5, 7)
    4
    """
    return pow(base, exponent, modulus)
'''
    right = text.replace("return pow(base, exponent, modulus)", "return base**exponent % modulus")
    inputs = ["modular(2, 5, 7)", "modular(3, 0, 5)", "modular(10, 3, 7)"]
    report = await put_on_trial(executor, text, "modular", scripted([right], inputs))
    assert report.findings == () or "TypeError" not in report.findings[0].message
