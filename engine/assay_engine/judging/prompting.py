"""Fills the judges' prompts. A template is one text file per version, as in `drawing`.

The prompts of TRAILS hold what the specification shows and never the function's own body. Those of
the two judges that read code say so in their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from assay_engine.drawing.prompting import filled, sample_call, stub, surroundings, template
from assay_engine.judging.fencing import bounded, fence_for, plain
from assay_engine.judging.values import JudgeSettings
from assay_engine.types import Prompt, Specification

SPECIFICATION_CHARACTERS = 12_000
# For what says how much of the context is left out, and for what escapes make longer.
CONTEXT_SPARED = 200
CODE_CHARACTERS = 12_000
FREE_TEXT_CHARACTERS = 4_000

# The one prompt of a judge that checks without one ask, too.
PREFERENCE = "preference"

VERSIONS: Mapping[str, int] = {
    "scenarios": 1,
    "properties": 1,
    "inputs": 1,
    "repair": 1,
    "conforms": 1,
    PREFERENCE: 1,
    "zero_shot": 1,
    "hoare_precondition": 1,
    "hoare_step": 1,
    "hoare_verdict": 1,
    "tests_asserted": 1,
    "tests_expected": 1,
}

_STDIN = (
    "If a call needs standard input, put a line before it such as: "
    'stdin = "first line\\nsecond line\\n"\n'
)


class Questions(Struct, frozen=True):
    """Writes the questions about one function. Equal questions are equal prompts."""

    specification: Specification
    settings: JudgeSettings

    @property
    def shows_promise(self) -> bool:
        """Whether header and docstring are shown as a whole; what they refer to may be cut."""
        return len(stub(self.specification)) <= SPECIFICATION_CHARACTERS

    def scenarios(self) -> Prompt:
        fields = {"count": str(self.settings.scenarios)}
        return self._prompt("scenarios", {}, fields)

    def properties(self, found: str) -> Prompt:
        """`found` is what reading the code has shown, without quoting any of it."""
        return self._prompt("properties", {"found": found}, {})

    def inputs(
        self, scenario: str, properties: str, count: int, mockable: Sequence[str] = ()
    ) -> Prompt:
        """`mockable` are names that inputs may mock; without any, nothing is said of mocks."""
        data = {"scenario": scenario, "properties": properties}
        return self._prompt("inputs", data, self._call_fields(count, mockable))

    def repair(
        self,
        scenario: str,
        properties: str,
        tried: str,
        count: int,
        mockable: Sequence[str] = (),
    ) -> Prompt:
        data = {"scenario": scenario, "properties": properties, "tried": tried}
        return self._prompt("repair", data, self._call_fields(count, mockable))

    def conforms(self, input_text: str, output_text: str) -> Prompt:
        return self._prompt("conforms", {"input": input_text, "output": output_text}, {})

    def preference(self, input_text: str, first: str, second: str) -> Prompt:
        data = {"input": input_text, "first": first, "second": second}
        return self._prompt(PREFERENCE, data, {})

    def zero_shot(self, code: str) -> Prompt:
        return self._prompt("zero_shot", {"code": code}, {})

    def hoare_precondition(self) -> Prompt:
        return self._prompt("hoare_precondition", {}, {})

    def hoare_step(self, code: str, before: str, step: str) -> Prompt:
        return self._prompt("hoare_step", {"code": code, "before": before, "step": step}, {})

    def hoare_verdict(self, code: str, conditions: str) -> Prompt:
        return self._prompt("hoare_verdict", {"code": code, "conditions": conditions}, {})

    def tests(self, *, asserted: bool, count: int) -> Prompt:
        """Tests by assertion, or by input and output."""
        fields = {"count": str(count), "sample_call": sample_call(self.specification)}
        return self._prompt("tests_asserted" if asserted else "tests_expected", {}, fields)

    def _call_fields(self, count: int, mockable: Sequence[str]) -> dict[str, str]:
        return {
            "count": str(count),
            "sample_call": sample_call(self.specification),
            "surroundings": surroundings(self.specification, mockable) or _STDIN,
        }

    def _prompt(self, name: str, data: Mapping[str, str], fields: Mapping[str, str]) -> Prompt:
        """`data` go behind a fence, all of a prompt behind the same; `fields` are our own words."""
        system, user = template(__package__ or "", name, VERSIONS[name])
        shown = {"specification": _specification_text(self.specification), **data}
        shown = {label: plain(text, _LIMITS[label]) for label, text in shown.items()}
        fence = fence_for(shown.values())
        around = {label: fence.around(label, text) for label, text in shown.items()}
        return Prompt(
            name=name,
            version=VERSIONS[name],
            system=system,
            user=filled(user, {"mark": fence.mark, **fields, **around}),
            temperature=self.settings.temperature,
            max_tokens=self.settings.max_tokens,
        )


def _specification_text(specification: Specification) -> str:
    """Header and docstring without a body, below what they refer to, of which what is too much is
    left out first."""
    promise, context = stub(specification), specification.context.strip()
    room = SPECIFICATION_CHARACTERS - len(promise) - CONTEXT_SPARED
    if not context or room <= 0:
        return promise
    return f"{bounded(context, room)}\n\n\n{promise}"


# Inputs and outputs come bounded, value by value; these bound all their lines together.
_LIMITS: Mapping[str, int] = {
    "specification": SPECIFICATION_CHARACTERS,
    "code": CODE_CHARACTERS,
    "step": CODE_CHARACTERS,
    "conditions": 4 * FREE_TEXT_CHARACTERS,
    **dict.fromkeys(("found", "scenario", "properties", "before"), FREE_TEXT_CHARACTERS),
    **dict.fromkeys(("tried", "input", "output", "first", "second"), 3 * FREE_TEXT_CHARACTERS),
}
