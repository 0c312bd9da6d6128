"""The evidence as one page of HTML, for a browser or an editor's web view.

All that is on the page comes from reports, and so from programs and models: the template escapes
it, `visible` shows what would turn or hide text, and the page's own policy forbids scripts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from assay_engine.messages.fixes import caution_phrase, if_right, no_example_phrase
from assay_engine.messages.opinions import judged_line, settling_phrases, triangulation_lines
from assay_engine.messages.phrases import (
    accepted_phrase,
    agreement_phrase,
    confidence_phrase,
    cost_phrase,
    panel_phrase,
    partition_phrase,
    provenance,
    refused_phrase,
)
from assay_engine.pages.hover import headline
from assay_engine.types import EquivalenceClass, Origin, Phrase, Report, Witness, Words
from assay_engine.words import count, one_line, visible

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

FUNCTIONS_SHOWN = 200
# Further classes are only counted. The one that the function is in is always among those shown.
CLASSES_SHOWN = 8
_LETTERS = "ABCDEFGH"
# Of one program, value or sentence. Reports cut nearly everything before.
CHARACTERS_SHOWN = 12_000
# They mark code within a sentence. Such characters in foreign text are shown as escapes.
_OPENED, _CLOSED = "\ue000", "\ue001"
_CODE = re.compile(f"{_OPENED}([^{_CLOSED}]*){_CLOSED}|`([^`]+)`")


class Links(Struct, frozen=True):
    """What an editor makes of a page: addresses of the function, and of what can be done, each
    under the name of its button. `is_outdated`: the function has changed since."""

    function: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    is_outdated: bool = False


NO_LINKS = Links()


def evidence_page(report: Report, *more: Report, nonce: str, links: Links = NO_LINKS) -> str:
    """The page on one function, or on several, as a whole document that needs nothing else.

    `nonce` allows the page's own style sheet: a fresh, random text for each page, of letters,
    digits, ``-`` and ``_``. `links` are of the one function, in an editor.
    """
    reports = (report, *more)
    shown = reports[:FUNCTIONS_SHOWN]
    return _template().render(
        nonce=nonce,
        links=links,
        prose=_prose,
        phrase=_phrase,
        functions=[_function(each) for each in shown],
        left_out=count(len(reports) - len(shown), "more function") if reports != shown else "",
    )


def _function(report: Report) -> Mapping[str, object]:
    """What the template shows of a report, beside the report itself."""
    places = [*range(len(report.classes))]
    own = [place for place in places if report.classes[place].has_original]
    shown = places[:CLASSES_SHOWN]
    if own and own[0] not in shown:
        shown[-1] = own[0]
    classes = [report.classes[place] for place in shown]
    return {
        "report": report,
        "headline": headline(report),
        "summary": [*filter(None, _summary(report))],
        "findings": [
            (each, None if each.witness is None else provenance(each.witness, _as_code))
            for each in report.findings
        ],
        "said": {each.message for each in report.findings},
        "is_open": any(
            each.witness is not None and each.witness.origin is Origin.OPEN
            for each in report.findings
        ),
        "classes": [
            {"letter": letter, "who": _who(entry), "entry": entry}
            for letter, entry in zip(_LETTERS, classes, strict=False)
        ],
        "further": len(report.classes) - len(classes),
        # Empty if the report does not tell how often two classes agree.
        "pairs": [
            f"{_LETTERS[one]} and {_LETTERS[other]} do the same on "
            f"{classes[one].alike[shown[other]]} of "
            f"{count(classes[one].alike[shown[one]], 'input')}"
            for one, other in combinations(range(len(classes)), 2)
            if all(each.alike for each in classes)
        ],
        "rows": [
            {
                "witness": each,
                "from": provenance(each, _as_code),
                # For each class, the number of its outcome among those of the input.
                "cells": [_outcome_of(entry, each) for entry in classes],
            }
            for each in report.inputs
        ],
        "settling": [_sentence(each) for each in settling_phrases(report, _as_code, _quoted)],
        "judged": None if report.judged is None else _sentence(judged_line(report.judged)),
        "triangulation": []
        if report.triangulation is None
        else [
            _sentence(each) for each in triangulation_lines(report.triangulation, at_length=True)
        ],
        "dissent": None if report.dissent is None else provenance(report.dissent, _as_code),
        "partitions": [partition_phrase(each, _as_code) for each in report.partitions],
        "replacements": [
            (each, "" if each.caution is None else _sentence(caution_phrase(each.caution)))
            for each in report.replacements
        ],
        "clarifications": [
            (if_right(each), each.behaviour, each.example) for each in report.clarifications
        ],
        "no_example": _sentence(no_example_phrase(report)),
        "cost": _sentence(cost_phrase([report])),
        "target": shlex.quote(f"{report.path}::{report.qualname}"),
    }


def _who(entry: EquivalenceClass) -> str:
    candidates = count(entry.weight, "candidate")
    if entry.models:
        candidates += f" ({', '.join(map('{0[0]} {0[1]}'.format, sorted(entry.models.items())))})"
    if not entry.has_original:
        return candidates
    return f"this function and {candidates}" if entry.weight else "this function"


def _outcome_of(entry: EquivalenceClass, witness: Witness) -> int | None:
    """Which of the outcomes of an input is this class's; None if it has none there."""
    for number, outcome in enumerate(witness.outcomes):
        if entry.members[0] in outcome.candidates if entry.members else outcome.is_original:
            return number
    return None


def _summary(report: Report) -> Iterable[str]:
    verdict = report.verdict
    yield _sentence(confidence_phrase(verdict))
    if verdict.support is not None:
        yield _sentence(agreement_phrase(verdict.support, at_length=True))
    yield _sentence(panel_phrase(report.classes, _as_code))
    if verdict.inputs_run:
        yield _sentence(accepted_phrase(verdict))
    yield _sentence(refused_phrase(report.partitions, _as_code))
    if report.ignored:
        yield f"A comment in its header ignores {', '.join(report.ignored)}."


def _as_code(text: str) -> str:
    return f"{_OPENED}{one_line(text)}{_CLOSED}"


def _quoted(reason: str) -> str:
    return f"“{one_line(reason)}”"


def _sentence(phrase: str) -> str:
    end = "" if phrase.endswith((".", "”")) or not phrase else "."
    return f"{phrase[:1].upper()}{phrase[1:]}{end}"


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("assay_engine.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("evidence.html")


def _shown(value: object) -> object:
    """Everything that the template is to write: texts are cut, and what is unseen is escaped."""
    # `Markup` is a text as well, but one that has been through this.
    if type(value) is not str:
        return value
    left = len(value) - CHARACTERS_SHOWN
    return visible(f"{value[:CHARACTERS_SHOWN]}… {left:,} more" if left > 0 else value)


def _prose(sentence: str) -> Markup:
    """A sentence of ours, in which marks and backticks tell what is code."""
    from markupsafe import Markup, escape

    written, end = Markup(), 0
    for found in _CODE.finditer(sentence):
        written += escape(_shown(sentence[end : found.start()]))
        written += Markup("<code>{}</code>").format(_shown(found[1] or found[2] or ""))
        end = found.end()
    return written + escape(_shown(sentence[end:]))


def _phrase(parts: Phrase) -> Markup:
    """A phrase, with everything but our own words as code."""
    from markupsafe import Markup, escape

    return Markup().join(
        escape(_shown(part.text))
        if isinstance(part, Words)
        else Markup("<code>{}</code>").format(_shown(part.text))
        for part in parts
    )
