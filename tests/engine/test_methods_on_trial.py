"""Methods on trial: what a model is asked, and what is run."""

from __future__ import annotations

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, Status
from support.trials import put_on_trial, scripted

METER = '''\
class Meter:
    """Counts steps, up to a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.steps = 0

    def walked(self, steps: int) -> int:
        """Add the steps, never beyond the limit, and return how many there are now.

        >>> Meter(10).walked(3)
        3
        """
        self.steps = self._within(self.steps + BODY)
        return self.steps

    def _within(self, steps: int) -> int:
        """The steps, or the limit if they are more."""
        unsent = min(steps, self.limit)
        return unsent
'''
CANDIDATE = """\
def walked(self, steps: int) -> int:
    self.steps = self._within(self.steps + steps)
    return self.steps
"""
INPUTS = [f"Meter({limit}).walked({steps})" for limit in (1, 4, 10) for steps in (0, 1, 2, 5, 12)]


@pytest.mark.parametrize(
    ("body", "status", "codes"),
    [
        ("steps", Status.TRUSTED, []),
        ("min(steps, 4)", Status.SUSPECT, [Code.DIFFERS]),
    ],
)
async def test_bodies_of_other_methods_are_run_and_not_sent(
    executor: Executor, body: str, status: Status, codes: list[Code]
) -> None:
    model = scripted([CANDIDATE] * 10, INPUTS)
    report = await put_on_trial(executor, METER.replace("BODY", body), "Meter.walked", model)
    assert report.verdict.status is status
    assert [finding.code for finding in report.findings] == codes
    assert model.asked
    for prompt, _ in model.asked:
        assert "The steps, or the limit if they are more." in prompt.user
        assert "self.limit = limit" in prompt.user
        assert "unsent" not in prompt.user


BOX = '''\
from functools import cached_property, lru_cache


class Box:
    """A box of whole sides."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height

    @GETTER
    def outline(self) -> int:
        """The length of all four sides together.

        >>> Box(2, 3).outline
        10
        """
        return BODY
'''
SETTER = """\

    @outline.setter
    def outline(self, length: int) -> None:
        \"\"\"Make it a square of this outline.\"\"\"
        self.width = self.height = length // 4
"""
OUTLINES = [f"Box({width}, {height}).outline" for width in (0, 1, 5) for height in (0, 2, 5)]


@pytest.mark.parametrize("getter", ["property", "cached_property"])
async def test_a_property_is_tried_like_a_method(executor: Executor, getter: str) -> None:
    text = BOX.replace("GETTER", getter) + (SETTER if getter == "property" else "")
    own = "@property\ndef outline(self) -> int:\n    return 2 * self.width + 2 * self.height\n"
    model = scripted([own] * 10, OUTLINES)
    wrong = "2 * self.width + max(4, 2 * self.height)"
    report = await put_on_trial(executor, text.replace("BODY", wrong), "Box.outline", model)
    assert report.verdict.status is Status.SUSPECT
    (finding,) = report.findings
    assert "Box(" in finding.message
    assert ").outline: all 10 candidates return" in finding.message
    assert "+        return 2 * self.width + 2 * self.height" in report.replacements[0].diff
    asked = next(prompt for prompt, _ in model.asked if prompt.name == "inputs")
    assert "as in: Box(…).outline\n" in asked.user
    right = text.replace("BODY", "2 * (self.width + self.height)")
    assert (await put_on_trial(executor, right, "Box.outline", model)).verdict.status is (
        Status.TRUSTED
    )


async def test_what_sets_a_property_is_refused(executor: Executor) -> None:
    text = BOX.replace("GETTER", "property").replace("BODY", "1") + SETTER
    report = await put_on_trial(executor, text, "Box.outline#2", scripted([], []))
    assert report.verdict.status is Status.UNSUPPORTED
    assert "not a plain property" in report.findings[0].message


async def test_a_property_beneath_another_decorator_is_refused(executor: Executor) -> None:
    text = BOX.replace("GETTER", "lru_cache\n    @property").replace("BODY", "1")
    report = await put_on_trial(executor, text, "Box.outline", scripted([], []))
    assert report.verdict.status is Status.UNSUPPORTED


STACK = '''\
class Stack:
    def __init__(self) -> None:
        self._items: list[int] = []

    def push(self, item: int) -> None:
        """Put an item on top."""
        self._items.insert(0, item)
'''
PUSHES = "def push(self, item: int) -> None:\n    self._items.append(item)\n"


async def test_a_method_seen_in_one_state_only_is_not_found_right(executor: Executor) -> None:
    model = scripted([PUSHES] * 10, [f"Stack().push({item})" for item in (0, 1, 7)])
    report = await put_on_trial(executor, STACK, "Stack.push", model)
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert "only run on Stack objects as they are created" in problem.message


THROTTLE = '''\
class Throttle:
    def __init__(self, limit: int, window: int) -> None:
        self.limit = limit
        self.window = window
        self.times: list[int] = []

    def permit(self, now: int) -> bool:
        """Whether fewer than limit calls were permitted in the last window seconds; it counts."""
        self.times = {kept}
        if len(self.times) >= self.limit:
            return False
        self.times.append(now)
        return True
'''
KEPT = "[each for each in self.times if each > now - self.window]"


async def test_a_method_seen_on_objects_that_hold_nothing_is_not_found_right(
    executor: Executor,
) -> None:
    text = THROTTLE.format(kept="self.times")
    right = THROTTLE.format(kept=KEPT)
    candidate = "\n".join(line[4:] for line in right[right.index("    def permit") :].split("\n"))
    calls = [f"Throttle({limit}, 10).permit({limit})" for limit in (1, 0, 3, 2)]
    report = await put_on_trial(executor, text, "Throttle.permit", scripted([candidate], calls))
    assert report.verdict.status is Status.ABSTAINED
    (problem,) = report.problems
    assert "Throttle objects with nothing in `times`." in problem.message
