"""Frames the task: the behaviours to exercise, and the needs of a call (TRAILS, section 2.4).

The paper asks a model for the properties of the code under test. Assay sends code on trial nowhere:
the model is told only what the code's syntax tree shows.
"""

from __future__ import annotations

import re

from msgspec import Struct

from assay_engine.methods.trails.prompting import JudgeQuestions
from assay_engine.models.thoughts import without_thoughts
from assay_engine.sampling.asking import Asking
from assay_engine.settling.serialising import bounded
from assay_engine.specification.needs import needs_of
from assay_engine.types import Specification

SCENARIO_CHARACTERS = 1_500
PROPERTY_CHARACTERS = 600
PROPERTIES = ("arguments", "stdin", "files", "exceptions", "mocks")

_SCENARIO = re.compile(r"^\W*SCENARIO\s+\d+\W*(?P<rest>.*)$", re.IGNORECASE)
_PROPERTY = re.compile(rf"^\W*(?P<name>{'|'.join(PROPERTIES)})\W*?:(?P<said>.*)$", re.IGNORECASE)
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_NOTHING = frozenset({"", "none", "none.", "n/a", "no", "nothing"})


class Properties(Struct, frozen=True):
    """The things that a test has to provide, in the model's words. Empty texts mean nothing.

    `exceptions` are names of exception types that the function is meant to raise.
    """

    arguments: str = ""
    stdin: str = ""
    files: str = ""
    mocks: str = ""
    exceptions: tuple[str, ...] = ()

    def text(self) -> str:
        """The properties as a later prompt shows them."""
        said = {
            "ARGUMENTS": self.arguments,
            "STDIN": self.stdin,
            "FILES": self.files,
            "EXCEPTIONS": ", ".join(self.exceptions),
            "MOCKS": self.mocks,
        }
        return "\n".join(f"{name}: {text or 'none'}" for name, text in said.items())


class Framing(Struct, frozen=True):
    """At most s scenarios (`JudgeSettings.scenarios`) as free text, and the properties."""

    scenarios: tuple[str, ...]
    properties: Properties


async def frame(asking: Asking, questions: JudgeQuestions) -> Framing:
    """Ask for scenarios and properties at once. There is no scenario if no reply holds any."""
    specification = questions.specification
    limit = questions.settings.scenarios
    scenarios, properties = await asking.answers(
        asking.dialogue(questions.scenarios(), lambda reply: _read_scenarios(reply, limit)),
        asking.dialogue(questions.properties(found_in(specification)), _read_properties),
    )
    return Framing(scenarios or (), properties or Properties())


def found_in(specification: Specification) -> str:
    """The function's needs, as its syntax tree shows them: names of what it calls, and no code."""
    needs = needs_of(specification)
    rows = (
        ("calls into the world outside", needs.outside),
        ("reads standard input with", needs.stdin),
        ("reads clocks or chance with", needs.chance),
        ("raises", needs.raised),
    )
    lines = [f"{words}: {', '.join(names)}" for words, names in rows if names]
    return "\n".join(lines) or "It reads no input but its arguments, as far as its names tell."


def mockable_in(specification: Specification, properties: Properties) -> tuple[str, ...]:
    """The dotted names that inputs may mock: functions that use the network, and those of the
    function's other calls that the properties name. Never the function itself."""
    needs = needs_of(specification)
    named = frozenset(_DOTTED.findall(properties.mocks))
    also = [name for name in needs.replaceable if name in named]
    return tuple(sorted({*needs.network, *also}))


def _read_scenarios(reply: str, limit: int) -> tuple[str, ...] | None:
    """The first `limit` scenarios of a reply, or None if it holds none."""
    found: list[list[str]] = []
    for line in without_thoughts(reply).splitlines():
        heading = _SCENARIO.match(line)
        if heading:
            found.append([heading["rest"].strip()])
        elif found:
            found[-1].append(line.strip())
    texts = [" ".join(filter(None, lines)) for lines in found]
    return tuple(bounded(text, SCENARIO_CHARACTERS) for text in texts if text)[:limit] or None


def _read_properties(reply: str) -> Properties | None:
    """The properties in a reply, or None if it mentions none."""
    said: dict[str, str] = {}
    for line in without_thoughts(reply).splitlines():
        found = _PROPERTY.match(line)
        if found:
            text = found["said"].strip(" *_`\t")
            text = "" if text.lower() in _NOTHING else bounded(text, PROPERTY_CHARACTERS)
            said.setdefault(found["name"].lower(), text)
    if not said:
        return None
    named = [_EXCEPTION.search(part) for part in said.pop("exceptions", "").split(",")]
    names = dict.fromkeys(found[0] for found in named if found)
    # Every crash is of one of these types, so naming them announces nothing.
    exceptions = tuple(name for name in names if name not in ("Exception", "BaseException"))
    return Properties(**said, exceptions=exceptions)
