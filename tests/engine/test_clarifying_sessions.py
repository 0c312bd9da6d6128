"""Examples of several statements: steps, what a call leaves behind, and lines that are broken."""

from __future__ import annotations

import asyncio
import doctest
import sys
from types import ModuleType

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.fixes.clarifying import clarified
from assay_engine.fixes.sessions import session_of
from assay_engine.inputs.proposed import proposals_in
from assay_engine.splicing import apply_edits
from assay_engine.types import Code, Problem, Report, Status
from support.differing_functions import (
    ALL_OR_NOTHING,
    ASCENDING,
    AWAITED,
    CHANGED,
    GREATEST,
    IN_ANY_CASE,
    LAST_OFF,
    NEW_NODES,
    NODES,
    NOTE,
    PASSING,
    SORTING,
    STACK,
    TAKING,
    TICKET,
    TWICE,
    UNRESOLVED,
)
from support.specifying import specified
from support.trials import put_on_trial, scripted


async def tried(executor: Executor, text: str, qualname: str, candidate: str, call: str) -> Report:
    return await put_on_trial(executor, text, qualname, scripted([candidate], [call]))


def written(text: str, report: Report, number: int = 0) -> str:
    edits = clarified(text, report, number)
    assert not isinstance(edits, Problem)
    return apply_edits(text, edits)


def failed_doctests(text: str, qualname: str) -> int:
    """As doctest itself has it, of the one docstring."""
    module = ModuleType("clarified_module")
    sys.modules[module.__name__] = module
    exec(text, vars(module))  # our own text, written above
    function: object = module
    for name in qualname.split("."):
        function = getattr(function, name)
    finder = doctest.DocTestFinder(recurse=False)
    (found,) = finder.find(function, qualname, module=False, globs=vars(module))
    assert found.examples
    return doctest.DocTestRunner(verbose=False).run(found, out=lambda _: None).failed


@pytest.mark.parametrize(
    ("text", "qualname", "candidate", "call", "example"),
    [
        pytest.param(
            STACK,
            "Stack.pop",
            LAST_OFF,
            # After the second, either may stand.
            "it = Stack(); it.push(1); it.push(2); it.pop()\nit = Stack(); it.push(7); it.pop()",
            # What a step gives is no part of what is said.
            ">>> it = Stack()\n>>> _ = it.push(1)\n>>> _ = it.push(2)\n>>> it.pop()\n1",
            id="steps",
        ),
        pytest.param(
            SORTING,
            "order",
            ASCENDING,
            "order([1, 3, 2])",
            ">>> items = [1, 3, 2]\n>>> order(items)\n>>> items\n[3, 2, 1]",
            id="an argument",
        ),
        pytest.param(
            TAKING,
            "charge",
            ALL_OR_NOTHING,
            "charge([Account('a', 5)], 7)",
            ">>> accounts = [Account(name='a', funds=5)]\n>>> try:\n...     charge(accounts, 7)\n"
            "... except ValueError:\n...     pass\n>>> accounts[0].funds\n0",
            id="what is left behind an exception",
        ),
        pytest.param(
            NODES,
            "joined",
            NEW_NODES,
            "joined(Node(1), Node(1))",
            ">>> one = Node(value=1, next=None)\n>>> _ = joined(one, Node(value=1, next=None))\n"
            ">>> one.next is None\nFalse",
            id="what a prompt shows nothing of",
        ),
        pytest.param(
            TICKET,
            "Ticket.reopen",
            UNRESOLVED,
            "Ticket('T', 'closed', None, 'done').reopen()",
            ">>> it = Ticket(title='T', status='closed', assignee=None, resolution='done')\n"
            ">>> it.reopen()\n>>> it.resolution\n'done'",
            id="an object",
        ),
        pytest.param(
            PASSING,
            "passing",
            GREATEST,
            "passing([3, 1, 2])",
            ">>> list(passing([3, 1, 2]))\n[3, 2]",
            id="an iterator",
        ),
        pytest.param(
            PASSING,
            "passing",
            GREATEST,
            f"passing({[*range(1000003, 1000010), 1, 2]})",
            ">>> list(passing(\n...     [1000003, 1000004, 1000005, 1000006, 1000007, 1000008, "
            "1000009, 1, 2]\n... ))\n[1000003, 1000004, 1000005, 1000006, 1000007, 1000008, "
            "1000009, 2]",
            id="a long line",
        ),
        pytest.param(
            CHANGED,
            "changed",
            IN_ANY_CASE,
            "d = {'a': 1}\ntry:\n    with changed(d, 'a', 2):\n        1 / 0\n"
            "except Exception:\n    pass\nd",
            ">>> d = {'a': 1}\n>>> try:\n...     with changed(d, 'a', 2):\n...         1 / 0\n"
            "... except Exception:\n...     pass\n>>> d\n{'a': 2}",
            id="a block",
        ),
        pytest.param(
            AWAITED,
            "doubled",
            TWICE,
            "doubled(3)",
            ">>> import asyncio\n>>> asyncio.run(doubled(3))\n5",
            id="a coroutine",
        ),
    ],
)
async def test_an_example_shows_it_to_doctest_and_to_the_next_check(
    executor: Executor, text: str, qualname: str, candidate: str, call: str, example: str
) -> None:
    report = await tried(executor, text, qualname, candidate, call)
    assert report.verdict.status is Status.SUSPECT
    assert [each.example for each in report.clarifications] == [example]
    after = written(text, report)
    assert await asyncio.to_thread(failed_doctests, after, qualname) == 0
    (read,) = specified(after, qualname).examples
    assert example.endswith(f"\n{read.expected}")
    # What does not meet it has no say where something does.
    model = scripted([candidate, after, after], [call])
    again = await put_on_trial(executor, after, qualname, model)
    assert not again.findings
    # Where the example is all that it was tried on, that is too little to find it right.
    more = again.verdict.inputs_in_domain > 1
    assert again.verdict.status is (Status.TRUSTED if more else Status.ABSTAINED)


async def test_what_is_left_of_an_argument_settles_what_a_docstring_leaves_open(
    executor: Executor,
) -> None:
    model = scripted([ASCENDING, SORTING], ["order([1, 3, 2])"], "UNDECIDED")
    report = await put_on_trial(executor, SORTING, "order", model)
    assert report.verdict.status is Status.AMBIGUOUS
    shown = [each.example.rpartition("\n")[2] for each in report.clarifications]
    assert shown == ["[3, 2, 1]", "[1, 2, 3]"]
    other = written(SORTING, report, 1)
    assert failed_doctests(other, "order") == 1
    again = await tried(executor, other, "order", ASCENDING, "order([1, 3, 2])")
    assert [each.code for each in again.findings] == [Code.FAILS_EXAMPLE]


@pytest.mark.parametrize(
    ("text", "candidate", "calls"),
    [
        # Files are not there where the example is run.
        (NOTE, "def note(name):\n    open(name, 'w').write('b')\n", "note('n.txt')"),
        # Of more steps nobody would see what they come to.
        (STACK, LAST_OFF, f"it = Stack(); {'it.push(1); ' * 10}it.push(2); it.pop()"),
    ],
)
async def test_what_no_few_lines_show_is_no_example(
    executor: Executor, text: str, candidate: str, calls: str
) -> None:
    qualname = "Stack.pop" if text is STACK else "note"
    report = await tried(executor, text, qualname, candidate, calls)
    assert report.verdict.status is Status.SUSPECT
    assert report.clarifications == ()


@pytest.mark.parametrize(
    ("script", "is_offered"),
    [
        ("import os\nos.system('true')\nf(1)", False),
        ("f(__import__('subprocess').run)", False),
        ("f(open)", False),
        ("from pathlib import Path\nf(Path('a').unlink)", False),
        ("import decimal\nf(decimal.Decimal(1))", True),
        ("f(io.StringIO('a'))", True),
        ("class Fake:\n    def get(self):\n        return 1\n\nf(Fake())", True),
    ],
)
def test_what_reaches_outside_is_written_into_no_file(script: str, is_offered: bool) -> None:
    specification = specified('def f(x):\n    """Give it back."""\n    return x\n')
    (proposal,) = proposals_in(script, specification)
    assert (session_of(proposal.call, specification) is not None) is is_offered
