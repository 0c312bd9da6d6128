"""Replacements are proved on inputs: on those where what a candidate does can be compared."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.replacing import redrawn
from assay_engine.syntax.units import find_units
from assay_engine.types import ProblemKind, Replacement, SourceText, Status
from support.trials import put_on_trial, scripted

TEXT = '''
def counted(n: int) -> list[int]:
    """The numbers from 1 up to and with n."""
    return list(range(1, min(n, 100)))
'''
RIGHT = "def counted(n):\n    return list(range(1, n + 1))\n"
# Larger than a result may be.
LARGE = "counted(400000)"


# They differ on negative numbers alone.
NONE, REFUSING = (
    RIGHT.replace("    return", f"    if n < 0:\n        {said}\n    return")
    for said in ("return [0]", "return [n]")
)


@pytest.mark.parametrize(
    ("candidates", "call"),
    [([RIGHT], LARGE), ([NONE, REFUSING], "counted(-2)")],
    ids=["its results cannot be compared", "the docstring leaves it open"],
)
async def test_another_input_hinders_no_replacement(
    executor: Executor, candidates: list[str], call: str
) -> None:
    """All candidates agree against the function elsewhere."""
    model = scripted(candidates, ["counted(1)", "counted(3)", call, "counted(0)"])
    report = await put_on_trial(executor, TEXT, "counted", model)
    assert report.verdict.status is Status.SUSPECT
    assert ProblemKind.NO_REPLACEMENT not in {problem.kind for problem in report.problems}
    (replacement,) = report.replacements
    assert "+    return list(range(1, n + 1))" in replacement.diff


async def test_an_object_with_private_fields_is_shown_as_it_was_written(
    executor: Executor,
) -> None:
    text = '''
class Tally:
    def __init__(self) -> None:
        self._seen = []

    def missing(self, most: int) -> int:
        """How many more may be seen, of at most `most`."""
        return most - len(self._seen) - 1
'''
    right = "def missing(self, most):\n    return most - len(self._seen)\n"
    model = scripted([right], ["Tally().missing(3)", "Tally().missing(5)", "Tally().missing(1)"])
    report = await put_on_trial(executor, text, "Tally.missing", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert finding.witness is not None
    assert finding.witness.call.startswith("Tally().missing(")
    # Nor can a test or an example be written of anything else.
    (expected, _) = report.expectations
    assert "Tally().missing(" in expected.body
    assert all(">>> Tally().missing(" in each.example for each in report.clarifications)


async def test_what_has_come_into_such_an_object_is_shown(executor: Executor) -> None:
    text = '''
class Ledger:
    def __init__(self, owner: str) -> None:
        self._owner = owner
        self.entries = []

    def booked(self, points: int) -> int:
        """Book points, and return how many there are. Raises ValueError if they are negative."""
        self.entries.append(points)
        if points < 0:
            raise ValueError
        return sum(self.entries)
'''
    right = (
        "def booked(self, points):\n    if points < 0:\n        raise ValueError\n"
        "    self.entries.append(points)\n    return sum(self.entries)\n"
    )
    calls = [f"Ledger('eve').booked({each})" for each in (3, -2, 5)]
    report = await put_on_trial(executor, text, "Ledger.booked", scripted([right], calls))
    (finding,) = report.findings
    assert "Ledger('eve').booked(-2)" in finding.message
    assert "entries=[-2]" in finding.message


async def test_what_a_script_lacks_at_its_end_is_no_fault_of_the_function(
    executor: Executor,
) -> None:
    """A script catches what the function should have raised, and then says that it has."""
    text = '''
def taken(stock: list[int], most: int) -> list[int]:
    """Take at most so many items. Raises ValueError if that is negative."""
    return stock[:most]
'''
    right = text.replace("    return", "    if most < 0:\n        raise ValueError\n    return")
    script = "try:\n    taken([1, 2], -1)\nexcept ValueError:\n    refused = True\nrefused"
    model = scripted([right], ["taken([1, 2], 1)", "taken([], 1)", "taken([1], 0)", script])
    report = await put_on_trial(executor, text, "taken", model)
    assert report.verdict.status is Status.SUSPECT
    assert report.findings[0].message.endswith("this leaves refused unset in the script")
    assert [each.is_original for each in report.expectations if each.body] == [False]
    assert not [each for each in report.clarifications if "this function" in each.who]


@pytest.mark.parametrize(
    ("path", "root", "named"),
    [
        ("/work/shop/src/a.py", "/work/shop", "src/a.py"),
        ("src/a.py", "/work/shop", "src/a.py"),
        ("/elsewhere/a.py", "/work/shop", "/elsewhere/a.py"),
        ("/work/shop/a.py", None, "/work/shop/a.py"),
    ],
)
def test_a_diff_names_the_file_from_its_projects_folder_on(
    path: str, root: str | None, named: str
) -> None:
    source = SourceText(path, TEXT, root)
    (unit,) = find_units(TEXT)[0]
    ((kept,), problems) = redrawn(source, unit, [Replacement(RIGHT, "returns", "")])
    assert problems == ()
    assert kept.diff.startswith(f"--- a/{named.lstrip('/')}\n+++ b/{named.lstrip('/')}\n")
