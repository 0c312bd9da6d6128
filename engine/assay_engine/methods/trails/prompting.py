"""The prompts of the TRAILS judge, and what a stored opinion rests on.

The prompts hold what the specification shows, and never the function's own body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from assay_engine.methods.trails.values import JudgeSettings
from assay_engine.sampling.prompting import sample_call, surroundings
from assay_engine.settling.questions import (
    OUTCOME_CHARACTERS,
    PREFERENCE,
    PREFERENCE_VERSION,
    Questions,
    Templates,
)
from assay_engine.types import Prompt, Specification

FREE_TEXT_CHARACTERS = 4_000
SETTINGS = JudgeSettings()
VERSIONS: Mapping[str, int] = {
    "scenarios": 1,
    "properties": 1,
    "inputs": 1,
    "repair": 1,
    "conforms": 1,
    PREFERENCE: PREFERENCE_VERSION,
}
# Increase this when the judge's questions change, or what follows from its answers. Stored opinions
# then become void.
OPINION_VERSION = 2
# What a stored opinion rests on, besides the report that it is about.
OPINION_BASIS = (str(OPINION_VERSION), repr(SETTINGS), repr(sorted(VERSIONS.items())))

_TEMPLATES = Templates(
    __package__ or "",
    VERSIONS,
    {
        **dict.fromkeys(("found", "scenario", "properties"), FREE_TEXT_CHARACTERS),
        **dict.fromkeys(("tried", "input", "output"), OUTCOME_CHARACTERS),
    },
)
_STDIN = (
    "If a call needs standard input, put a line before it such as: "
    'stdin = "first line\\nsecond line\\n"\n'
)


class JudgeQuestions(Questions, frozen=True):
    """Writes the judge's questions about one function."""

    settings: JudgeSettings = SETTINGS

    @classmethod
    def about(cls, specification: Specification, settings: JudgeSettings) -> Self:
        return cls(specification, settings.max_tokens, settings.temperature, settings)

    def scenarios(self) -> Prompt:
        fields = {"count": str(self.settings.scenarios)}
        return self.prompt(_TEMPLATES, "scenarios", {}, fields)

    def properties(self, found: str) -> Prompt:
        """`found` is what reading the code has shown, without quoting any of it."""
        return self.prompt(_TEMPLATES, "properties", {"found": found}, {})

    def inputs(
        self,
        scenario: str,
        properties: str,
        count: int,
        mockable: Sequence[str] = (),
        *,
        tried: str | None = None,
    ) -> Prompt:
        """Ask for `count` inputs, or with `tried`, to repair the inputs that were. `mockable` are
        names that inputs may mock; without any, the prompt mentions no mocks."""
        fields = {
            "count": str(count),
            "sample_call": sample_call(self.specification),
            "surroundings": surroundings(self.specification, mockable) or _STDIN,
        }
        data = {"scenario": scenario, "properties": properties}
        if tried is None:
            return self.prompt(_TEMPLATES, "inputs", data, fields)
        return self.prompt(_TEMPLATES, "repair", {**data, "tried": tried}, fields)

    def conforms(self, shown: str, output: str) -> Prompt:
        return self.prompt(_TEMPLATES, "conforms", {"input": shown, "output": output}, {})
