"""The prompts of judges that read code, or that have tests written."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from assay_engine.sampling.prompting import sample_call
from assay_engine.settling.prompting import (
    FREE_TEXT_CHARACTERS,
    SPECIFICATION_CHARACTERS,
    Questions,
    Templates,
)
from assay_engine.types import Prompt

CODE_CHARACTERS = 12_000

VERSIONS: Mapping[str, int] = {
    "zero_shot": 1,
    "hoare_precondition": 1,
    "hoare_step": 1,
    "hoare_verdict": 1,
    "tests_asserted": 1,
    "tests_expected": 1,
}
_LIMITS: Mapping[str, int] = {
    "specification": SPECIFICATION_CHARACTERS,
    "code": CODE_CHARACTERS,
    "step": CODE_CHARACTERS,
    "before": FREE_TEXT_CHARACTERS,
    "conditions": 4 * FREE_TEXT_CHARACTERS,
}
_TEMPLATES = Templates(__package__ or "", VERSIONS, _LIMITS)


class BaselineQuestions(Questions, frozen=True):
    """Like `Questions`, with the templates of this package."""

    @property
    @override
    def templates(self) -> Templates:
        return _TEMPLATES

    def zero_shot(self, code: str) -> Prompt:
        return self.prompt("zero_shot", {"code": code}, {})

    def hoare_precondition(self) -> Prompt:
        return self.prompt("hoare_precondition", {}, {})

    def hoare_step(self, code: str, before: str, step: str) -> Prompt:
        return self.prompt("hoare_step", {"code": code, "before": before, "step": step}, {})

    def hoare_verdict(self, code: str, conditions: str) -> Prompt:
        return self.prompt("hoare_verdict", {"code": code, "conditions": conditions}, {})

    def tests(self, *, asserted: bool, count: int) -> Prompt:
        """The prompt for tests: assertions, or inputs and outputs."""
        fields = {"count": str(count), "sample_call": sample_call(self.specification)}
        return self.prompt("tests_asserted" if asserted else "tests_expected", {}, fields)
