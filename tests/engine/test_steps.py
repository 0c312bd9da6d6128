"""Calls on objects that steps have brought into a state first."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.inputs.proposed import example_calls, proposals_in
from assay_engine.types import Code, Specification, Status
from assay_engine.values.describing import call_text
from assay_sandbox import Expression
from support.specifying import specified
from support.trials import put_on_trial, scripted

SHELF = '''
class Shelf:
    def __init__(self, room: int) -> None:
        self.room = room
        self.items: list[str] = []

    def add(self, item: str) -> "Shelf":
        """Put an item at the end; without room for it the first one goes."""
        {added}
        self.items.append(item)
        return self

    @property
    def last(self) -> str:
        """The item that was added last, or nothing.

        >>> shelf = Shelf(2)
        >>> _ = shelf.add("a")
        >>> shelf.last
        'a'
        """
        return self.items[-1] if self.items else ""


def first(shelf: Shelf) -> str:
    """The first item."""
    return shelf.items[0]
'''
ADDED = "self.items = self.items[max(0, len(self.items) + 1 - self.room) :]"
ADD = """\
def add(self, item: str) -> "Shelf":
    if len(self.items) >= self.room:
        self.items = self.items[1:]
    self.items.append(item)
    return self
"""


def on_the_shelf(name: str) -> Specification:
    return specified(SHELF.format(added=ADDED), name)


@pytest.mark.parametrize(
    ("name", "line", "shown"),
    [
        (
            "Shelf.add",
            'it = Shelf(1); it.add("a"); it.add("b")',
            "it = Shelf(1); it.add('a'); it.add('b')",
        ),
        (
            "Shelf.add",
            '- a = "x"; it = Shelf(len(a)); it.add(a).add(a).add(a);',
            "a = 'x'; it = Shelf(len(a)); it.add(a).add(a).add(a)",
        ),
        (
            "Shelf.last",
            'it = Shelf(1); it.add("a"); it.last',
            "it = Shelf(1); it.add('a'); it.last",
        ),
        (
            "Shelf.last",
            "it = Shelf(1); it.items = ['a']; it.items[0] = it.last * 2; it.last",
            "it = Shelf(1); it.items = ['a']; it.items[0] = it.last * 2; it.last",
        ),
        ("Shelf.last", "import os; it = Shelf(1); it.last", "it = Shelf(1); it.last"),
        ("first", 'it = Shelf(1); it.add("a"); first(it)', None),
    ],
)
def test_a_line_with_steps_is_a_call(name: str, line: str, shown: str | None) -> None:
    specification = on_the_shelf(name)
    (proposal,) = proposals_in(line, specification)
    assert isinstance(proposal.call.args[0], Expression)
    if shown is not None:
        assert call_text(proposal.call, specification) == shown


@pytest.mark.parametrize(
    "line",
    [
        "for it in (Shelf(1),): it.add('a'); it.add('b')",
        "it = Shelf(1); it.room = 3",
        "it = Shelf(1); it",
        "it = Shelf(1); it.add(",
        "Put an item; then another.",
    ],
)
def test_what_is_no_call_after_steps_is_passed_over(line: str) -> None:
    assert proposals_in(line, on_the_shelf("Shelf.add")) == ()


def test_a_session_leads_to_the_state_of_its_example() -> None:
    specification = on_the_shelf("Shelf.last")
    (call,) = example_calls(specification)
    assert call_text(call, specification) == "shelf = Shelf(2); _ = shelf.add('a'); shelf.last"


async def test_a_difference_in_a_later_state_is_found(executor: Executor) -> None:
    fresh = [f"Shelf({room}).add({item!r})" for room in (1, 2, 5) for item in ("", "a", "bc")]
    steps = [
        'it = Shelf(2); it.add("a"); it.add("b"); it.add("c")',
        'it = Shelf(3); it.items = ["a", "b"]; it.items[0] = "c"; it.add("")',
    ]
    right = SHELF.format(added=ADDED)
    wrong = SHELF.format(added="self.items = self.items[-self.room :]")
    missed = await put_on_trial(executor, wrong, "Shelf.add", scripted([ADD] * 10, fresh))
    assert missed.verdict.status is not Status.SUSPECT
    model = scripted([ADD] * 10, [*fresh, *steps])
    found = await put_on_trial(executor, wrong, "Shelf.add", model)
    assert [finding.code for finding in found.findings] == [Code.DIFFERS]
    (witness,) = [finding.witness for finding in found.findings]
    assert witness is not None
    assert witness.call == "it = Shelf(2); it.add('a'); it.add('b'); it.add('c')"
    (prompt, _) = next(asked for asked in model.asked if asked[0].name == "inputs")
    assert "it = Shelf(…)\nit.…(…)\nit.add(item)" in prompt.user
    trusted = await put_on_trial(executor, right, "Shelf.add", model)
    assert trusted.verdict.status is Status.TRUSTED


BUS = '''
from collections.abc import Callable


class Bus:
    def __init__(self) -> None:
        self.heard: list[Callable[[str], None]] = []

    def hear(self, listener: Callable[[str], None]) -> None:
        self.heard.append(listener)

    def tell(self, word: str, log: list[str]) -> None:
        """Tell all listeners the word, in the order in which they came."""
        for listener in {order}:
            listener(word)
'''
TELL = """\
def tell(self, word: str, log: list[str]) -> None:
    for each in list(self.heard):
        each(word)
"""


async def test_names_of_steps_are_known_to_functions_and_other_arguments(
    executor: Executor,
) -> None:
    proposed = [
        f"log = []; bus = Bus(); bus.hear(lambda word: log.append(word)); "
        f"bus.hear(lambda word: log.append({other!r})); bus.tell({word!r}, log)"
        for word in ("a", "b", "c")
        for other in ("x", "y")
    ]
    proposed.append("Bus().tell('d', [])")
    model = scripted([TELL] * 10, proposed)
    right = await put_on_trial(executor, BUS.format(order="self.heard"), "Bus.tell", model)
    assert right.verdict.status is Status.TRUSTED
    wrong = BUS.format(order="reversed(self.heard)")
    found = await put_on_trial(executor, wrong, "Bus.tell", model)
    assert found.verdict.status is Status.SUSPECT
    (witness,) = [finding.witness for finding in found.findings]
    assert witness is not None
    assert witness.call.startswith("log = []; bus = Bus(); bus.hear(lambda word: ")
