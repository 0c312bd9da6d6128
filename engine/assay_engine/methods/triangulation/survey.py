"""Asks the model what kind of problem a function solves: one question instead of five.

The reply names the result, ranks the parameters by how natural they are to invert, and says which
fibres can be listed. It may claim a length parameter, an element-wise map, or several right
answers. Every claim that can be measured is measured before anything rests on it (`views`,
`choosing`, `streams`).
"""

from __future__ import annotations

import keyword
import re
from enum import StrEnum

import msgspec

from assay_engine.methods.triangulation import SURVEY_VERSION
from assay_engine.methods.triangulation.problems import Header
from assay_engine.models.thoughts import without_thoughts
from assay_engine.sampling.asking import Answer, Asking, corrected
from assay_engine.sampling.prompting import context_part, fenced, filled, stub, template
from assay_engine.types import Prompt, Specification

_SURVEY_TOKENS_MAX = 800


class Fibre(StrEnum):
    """How many values of a parameter give the same result, with all other parameters unchanged."""

    ONE = "one"
    FEW = "few"
    MANY = "many"


class Invertible(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter and the size of its fibres."""

    name: str
    values: Fibre


class Survey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's reply. `parameters` are in the order in which to try to invert them."""

    result_name: str
    several_answers: bool
    elementwise: bool
    length_parameter: str | None
    measured_parameter: str | None
    parameters: tuple[Invertible, ...]


async def surveyed(asking: Asking, specification: Specification, header: Header) -> Answer[Survey]:
    system, user = template(__package__, "survey", SURVEY_VERSION)
    fields = {"context_part": context_part(specification), "stub": fenced(stub(specification))}
    prompt = Prompt("survey", SURVEY_VERSION, system, filled(user, fields), 0.0, _SURVEY_TOKENS_MAX)
    return await asking.answer(corrected(prompt, lambda text: _read_survey(text, header)))


_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]{0,39}")


def _read_survey(text: str, header: Header) -> Survey | str:
    """The survey in a reply, or the reason why there is none."""
    found = _OBJECT.search(without_thoughts(text))
    if found is None:
        return "it holds no JSON object"
    try:
        survey = msgspec.json.decode(found[0].encode("utf-8", "replace"), type=Survey)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"its JSON is not as asked ({error})"
    return _objection(survey, header) or survey


def _objection(survey: Survey, header: Header) -> str:
    if not _SNAKE_CASE.fullmatch(survey.result_name) or keyword.iskeyword(survey.result_name):
        return f"{survey.result_name!r} is no name in snake_case"
    if sorted(each.name for each in survey.parameters) != sorted(header.names):
        return f"its parameters are not {', '.join(header.names)}"
    claimed = {survey.length_parameter, survey.measured_parameter}
    if claimed == {None}:
        return ""
    if len(claimed) == 1 or not claimed <= set(header.names):
        return "its length parameter and measured parameter are not two of the parameters"
    return ""


def result_name(survey: Survey, header: Header) -> str:
    """A name for the result as a parameter: neither a parameter nor the function has this name."""
    name = survey.result_name
    while name in (*header.names, header.name):
        name += "_result"
    return name
