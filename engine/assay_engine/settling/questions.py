"""The question to the docstring: which of two outcomes, shown in either order, does it promise?

The prompt holds what the specification shows, and never the function's own body. A template is one
text file per version, as in `sampling`. Replies are read strictly: reasons, then one line with the
reason in a sentence, then a last line with the verdict. A reply that is cut off has no such last
line. A reply with two verdicts, or with its verdict in other words or another language, has said
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from msgspec import Struct

from assay_engine import digest
from assay_engine.models.thoughts import without_thoughts
from assay_engine.sampling.asking import Asking, Dialogue
from assay_engine.sampling.prompting import filled, stub, template
from assay_engine.settling.serialising import bounded, fence_for, plain
from assay_engine.types import Prompt, Reading, Specification

SPECIFICATION_CHARACTERS = 12_000
# Room for the note on how much of the context is left out, and for escapes, which lengthen it.
CONTEXT_SPARED = 200
# The values in an input or an outcome are bounded already; this bounds all their lines together.
OUTCOME_CHARACTERS = 12_000

PREFERENCE = "preference"
PREFERENCE_VERSION = 1


class Templates(Struct, frozen=True):
    """The templates in the folder `prompts` of a package. `versions` holds the version to use of
    each template; `limits` holds the most characters shown of each piece of data."""

    package: str
    versions: Mapping[str, int]
    limits: Mapping[str, int]


_TEMPLATES = Templates(
    __package__ or "",
    {PREFERENCE: PREFERENCE_VERSION},
    dict.fromkeys(("input", "first", "second"), OUTCOME_CHARACTERS),
)


class Questions(Struct, frozen=True):
    """Writes the questions about one function. Equal questions are equal prompts."""

    specification: Specification
    max_tokens: int = 2_000
    temperature: float = 0.5

    @property
    def shows_promise(self) -> bool:
        """Whether header and docstring are shown whole; the context they refer to may be cut."""
        return len(stub(self.specification)) <= SPECIFICATION_CHARACTERS

    def preference(self, shown: str, first: str, second: str) -> Prompt:
        """Which outcome of the input `shown` is as promised?"""
        data = {"input": shown, "first": first, "second": second}
        return self.prompt(_TEMPLATES, PREFERENCE, data, {})

    def prompt(
        self, templates: Templates, name: str, data: Mapping[str, str], fields: Mapping[str, str]
    ) -> Prompt:
        """`data` go behind fences that share a mark in each prompt; `fields` are our own words."""
        version = templates.versions[name]
        system, user = template(templates.package, name, version)
        shown = {
            "specification": plain(self._specification_text(), SPECIFICATION_CHARACTERS),
            **{label: plain(text, templates.limits[label]) for label, text in data.items()},
        }
        fence = fence_for(shown.values())
        around = {label: fence.around(label, text) for label, text in shown.items()}
        return Prompt(
            name=name,
            version=version,
            system=system,
            user=filled(user, {"mark": fence.mark, **fields, **around}),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
        )

    def _specification_text(self) -> str:
        """Header and docstring without a body, below the context they refer to. If the text would
        be too long, part of the context is left out first."""
        promise, its = stub(self.specification), self.specification
        context = "\n\n\n".join(filter(None, (its.context.strip(), its.neighbours)))
        room = SPECIFICATION_CHARACTERS - len(promise) - CONTEXT_SPARED
        if not context or room <= 0:
            return promise
        return f"{bounded(context, room)}\n\n\n{promise}"


_OWN_FIRST = {
    "FIRST": Reading.OWN,
    "SECOND": Reading.THEIRS,
    "BOTH": Reading.BOTH,
    "NEITHER": Reading.NEITHER,
    "UNDECIDED": Reading.OPEN,
}
_OWN_SECOND = {**_OWN_FIRST, "FIRST": Reading.THEIRS, "SECOND": Reading.OWN}


class Preference(Struct, frozen=True):
    """The reading that one reply states, and its reason: one sentence, or empty."""

    reading: Reading
    reason: str


def preferred(
    asking: Asking,
    questions: Questions,
    shown: str,
    own: str,
    theirs: str,
    *,
    own_first: bool,
) -> Dialogue[Preference | None]:
    """Ask, with the function's own output shown first or second. `shown` is the input, `own` and
    `theirs` are the outputs of the function and its rivals. None if no reply can be read."""
    prompt = questions.preference(shown, *((own, theirs) if own_first else (theirs, own)))
    said = yield from asking.dialogue(prompt, read_preference)
    if said is None:
        return None
    return Preference((_OWN_FIRST if own_first else _OWN_SECOND)[said.word], said.reason)


def own_comes_first(shown: str) -> bool:
    """Whether the function's own outcome on this input is shown first when first asked about.

    Models favour one of the two places. Which outcome has it must not depend on whose it is.
    """
    return int(digest.of_text(shown), 16) % 2 == 1


def read_preference(reply: str) -> Said | None:
    """The verdict of the reply, in the prompt's own words; None if it cannot be read."""
    return read_verdict(reply, _OWN_FIRST)


REPLY_CHARACTERS_MAX = 100_000
REASON_CHARACTERS = 300

_DECORATION = " \t*_`#>"
_VERDICT = re.compile(r"VERDICT[*_` ]*:[*_` ]*(?P<said>.*)", re.IGNORECASE)
_REASON = re.compile(r"REASON[*_` ]*:[*_` ]*(?P<said>.+)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Said(Struct, frozen=True):
    """A verdict, one of the words that were asked for, and its reason in one sentence."""

    word: str
    reason: str


def read_verdict(reply: str, words: Collection[str]) -> Said | None:
    """The verdict of a reply that ends in ``VERDICT:`` and one of the words, after some reasons,
    and states no other verdict anywhere; otherwise None."""
    if len(reply) > REPLY_CHARACTERS_MAX:
        return None
    lines = [line.strip(_DECORATION) for line in without_thoughts(reply).splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < 2 or not _VERDICT.fullmatch(lines[-1]):
        return None
    verdicts = {
        found["said"].strip(_DECORATION + ".").upper()
        for line in lines
        if (found := _VERDICT.fullmatch(line))
    }
    if len(verdicts) != 1 or not verdicts.issubset(words):
        return None
    (word,) = verdicts
    # The last reason that is marked as one, or the last sentence before the verdict.
    marked = [found["said"] for line in lines[:-1] if (found := _REASON.fullmatch(line))]
    reason = (marked or _SENTENCE_END.split(lines[-2]))[-1].strip(_DECORATION)
    return Said(word, bounded(plain(reason, REASON_CHARACTERS), REASON_CHARACTERS))
