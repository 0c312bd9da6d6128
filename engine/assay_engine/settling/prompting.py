"""Fills the judge's prompts. A template is one text file per version, as in `sampling`.

The prompts hold what the specification shows, and never the function's own body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from assay_engine.sampling.prompting import filled, sample_call, stub, surroundings, template
from assay_engine.settling.serialising import bounded, fence_for, plain
from assay_engine.settling.values import JudgeSettings
from assay_engine.types import Prompt, Specification

SPECIFICATION_CHARACTERS = 12_000
# Room for the note on how much of the context is left out, and for escapes, which lengthen it.
CONTEXT_SPARED = 200
FREE_TEXT_CHARACTERS = 4_000

# The only prompt of the judge that checks without a judge ask, too.
PREFERENCE = "preference"

VERSIONS: Mapping[str, int] = {
    "scenarios": 1,
    "properties": 1,
    "inputs": 1,
    "repair": 1,
    "conforms": 1,
    PREFERENCE: 1,
}

_STDIN = (
    "If a call needs standard input, put a line before it such as: "
    'stdin = "first line\\nsecond line\\n"\n'
)


class Templates(Struct, frozen=True):
    """The templates in the folder `prompts` of a package. `versions` holds the version to use of
    each template; `limits` holds the most characters shown of each piece of data."""

    package: str
    versions: Mapping[str, int]
    limits: Mapping[str, int]


class Questions(Struct, frozen=True):
    """Writes the questions about one function. Equal questions are equal prompts."""

    specification: Specification
    settings: JudgeSettings

    @property
    def templates(self) -> Templates:
        return _TEMPLATES

    @property
    def shows_promise(self) -> bool:
        """Whether header and docstring are shown whole; the context they refer to may be cut."""
        return len(stub(self.specification)) <= SPECIFICATION_CHARACTERS

    def scenarios(self) -> Prompt:
        fields = {"count": str(self.settings.scenarios)}
        return self.prompt("scenarios", {}, fields)

    def properties(self, found: str) -> Prompt:
        """`found` is what reading the code has shown, without quoting any of it."""
        return self.prompt("properties", {"found": found}, {})

    def inputs(
        self, scenario: str, properties: str, count: int, mockable: Sequence[str] = ()
    ) -> Prompt:
        """`mockable` are names that inputs may mock; without any, the prompt mentions no mocks."""
        data = {"scenario": scenario, "properties": properties}
        return self.prompt("inputs", data, self._call_fields(count, mockable))

    def repair(
        self,
        scenario: str,
        properties: str,
        tried: str,
        count: int,
        mockable: Sequence[str] = (),
    ) -> Prompt:
        data = {"scenario": scenario, "properties": properties, "tried": tried}
        return self.prompt("repair", data, self._call_fields(count, mockable))

    def conforms(self, input_text: str, output_text: str) -> Prompt:
        return self.prompt("conforms", {"input": input_text, "output": output_text}, {})

    def preference(self, input_text: str, first: str, second: str) -> Prompt:
        data = {"input": input_text, "first": first, "second": second}
        return self.prompt(PREFERENCE, data, {})

    def _call_fields(self, count: int, mockable: Sequence[str]) -> dict[str, str]:
        return {
            "count": str(count),
            "sample_call": sample_call(self.specification),
            "surroundings": surroundings(self.specification, mockable) or _STDIN,
        }

    def prompt(self, name: str, data: Mapping[str, str], fields: Mapping[str, str]) -> Prompt:
        """`data` go behind fences that share a mark in each prompt; `fields` are our own words."""
        version, limits = self.templates.versions[name], self.templates.limits
        system, user = template(self.templates.package, name, version)
        shown = {"specification": _specification_text(self.specification), **data}
        shown = {label: plain(text, limits[label]) for label, text in shown.items()}
        fence = fence_for(shown.values())
        around = {label: fence.around(label, text) for label, text in shown.items()}
        return Prompt(
            name=name,
            version=version,
            system=system,
            user=filled(user, {"mark": fence.mark, **fields, **around}),
            temperature=self.settings.temperature,
            max_tokens=self.settings.max_tokens,
        )


def _specification_text(specification: Specification) -> str:
    """Header and docstring without a body, below the context they refer to. If the text would be
    too long, part of the context is left out first."""
    promise = stub(specification)
    context = "\n\n\n".join(filter(None, (specification.context.strip(), specification.neighbours)))
    room = SPECIFICATION_CHARACTERS - len(promise) - CONTEXT_SPARED
    if not context or room <= 0:
        return promise
    return f"{bounded(context, room)}\n\n\n{promise}"


# Each value in inputs and outputs is bounded already; these limits bound all their lines together.
_LIMITS: Mapping[str, int] = {
    "specification": SPECIFICATION_CHARACTERS,
    **dict.fromkeys(("found", "scenario", "properties"), FREE_TEXT_CHARACTERS),
    **dict.fromkeys(("tried", "input", "output", "first", "second"), 3 * FREE_TEXT_CHARACTERS),
}
_TEMPLATES = Templates(__package__ or "", VERSIONS, _LIMITS)
