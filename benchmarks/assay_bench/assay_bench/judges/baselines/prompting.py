"""The prompts of judges that read code, or that have tests written."""

from __future__ import annotations

from collections.abc import Mapping

from assay_engine.methods.trails.prompting import FREE_TEXT_CHARACTERS, JudgeQuestions
from assay_engine.sampling.prompting import sample_call
from assay_engine.settling.questions import Templates
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
    "code": CODE_CHARACTERS,
    "step": CODE_CHARACTERS,
    "before": FREE_TEXT_CHARACTERS,
    "conditions": 4 * FREE_TEXT_CHARACTERS,
}
_TEMPLATES = Templates(__package__ or "", VERSIONS, _LIMITS)


class BaselineQuestions(JudgeQuestions, frozen=True):
    """Like `JudgeQuestions`, with the templates of this package."""

    def zero_shot(self, code: str) -> Prompt:
        return self.prompt(_TEMPLATES, "zero_shot", {"code": code}, {})

    def hoare_precondition(self) -> Prompt:
        return self.prompt(_TEMPLATES, "hoare_precondition", {}, {})

    def hoare_step(self, code: str, before: str, step: str) -> Prompt:
        return self.prompt(
            _TEMPLATES, "hoare_step", {"code": code, "before": before, "step": step}, {}
        )

    def hoare_verdict(self, code: str, conditions: str) -> Prompt:
        return self.prompt(
            _TEMPLATES, "hoare_verdict", {"code": code, "conditions": conditions}, {}
        )

    def tests(self, *, asserted: bool, count: int) -> Prompt:
        """The prompt for tests: assertions, or inputs and outputs."""
        fields = {"count": str(count), "sample_call": sample_call(self.specification)}
        return self.prompt(
            _TEMPLATES, "tests_asserted" if asserted else "tests_expected", {}, fields
        )
