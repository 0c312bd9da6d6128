"""Methods on trial: what a model is asked, and what is run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_engine.running.laboratory import Laboratory
from assay_engine.types import Code, Status
from support.trials import open_laboratory, put_on_trial, scripted

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


@pytest.fixture(scope="module")
def laboratory() -> Iterator[Laboratory]:
    with open_laboratory() as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "status", "codes"),
    [
        ("steps", Status.TRUSTED, []),
        ("min(steps, 4)", Status.SUSPECT, [Code.DIFFERS]),
    ],
)
async def test_bodies_of_other_methods_are_run_and_not_sent(
    laboratory: Laboratory, body: str, status: Status, codes: list[Code]
) -> None:
    model = scripted([CANDIDATE] * 10, INPUTS)
    report = await put_on_trial(laboratory, METER.replace("BODY", body), "Meter.walked", model)
    assert report.verdict.status is status
    assert [finding.code for finding in report.findings] == codes
    assert model.asked
    for prompt, _ in model.asked:
        assert "The steps, or the limit if they are more." in prompt.user
        assert "self.limit = limit" in prompt.user
        assert "unsent" not in prompt.user
