"""Fills prompt templates. A template is one text file per version: system part, rule, user part.

A prompt contains only what the specification shows: never the function's own body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from assay_engine.specification.needs import needs_of
from assay_engine.syntax.classes import classes_of, receivers
from assay_engine.syntax.text import read_source
from assay_engine.types import ParameterKind, Prompt, Specification, UnitKind
from assay_engine.words import backticks_around

CANDIDATE, INPUTS = "candidate", "inputs"
CANDIDATE_VERSION = 1
INPUTS_VERSION = 4
PROPOSALS_ASKED = 20
OPEN_ASKED = 5
_PROPOSAL_TOKENS_MAX = 3_000


def candidate_prompt(
    specification: Specification, *, temperature: float, max_tokens: int
) -> Prompt:
    """The prompt that asks for another implementation."""
    system, user = template(__package__, CANDIDATE, CANDIDATE_VERSION)
    user = filled(user, _fields(specification))
    if specification.unit.kind is not UnitKind.FUNCTION:
        user += _AS_METHOD
    return Prompt(CANDIDATE, CANDIDATE_VERSION, system, user, temperature, max_tokens)


_AS_METHOD = """

Give the method alone or within its class; either way it takes the place of the method in the \
class above, so that private names such as `self.__name` resolve there."""


def inputs_prompt(specification: Specification, *, temperature: float) -> Prompt:
    """The prompt that asks for inputs in the function's domain."""
    system, user = template(__package__, INPUTS, INPUTS_VERSION)
    user = filled(user, _fields(specification))
    if said := surroundings(specification):
        user += f"\n\n{said}"
    return Prompt(INPUTS, INPUTS_VERSION, system, user, temperature, _PROPOSAL_TOKENS_MAX)


def surroundings(specification: Specification, mockable: Sequence[str] = ()) -> str:
    """The part of a prompt that says how to write down the surroundings of a call.

    It is empty if a call needs no surroundings. `mockable` are the dotted names of functions to be
    replaced.
    """
    needs = needs_of(specification)
    lines = [
        line
        for needed, line in (
            (needs.stdin, 'stdin = "first line\\nsecond line\\n"'),
            (needs.files, 'files = {"name as the call uses it": "text of the file\\n"}'),
            (needs.environment, 'environment = {"NAME": "value"}'),
            (needs.clocks, 'now = "2024-02-29T12:00:00"'),
        )
        if needed
    ]
    lines += [f'mocks = {{"{name}": [{{"returns": [1, 2]}}]}}' for name in mockable[:1]]
    if not lines:
        return ""
    told = (
        "Before a call, put what it finds around it, each on one line and as a literal, in just "
        "these words:\n\n" + "\n".join(lines) + "\n\nWhat is not said again stays as it was."
    )
    return told + _MOCKS.replace("{names}", ", ".join(mockable)) if mockable else told


_MOCKS = """ \
The name mocks maps {names} to a list of what each call of it in turn does, the last one ever \
after. Each entry is one of:

{"returns": 3}
{"raises": "TimeoutError", "message": "slow"}
{"object": {"status_code": 200, "json()": {"a": 1}, "read()": b"text"}}

The last returns an object with these attributes; a name that ends in () is a method and stands \
with what it returns. Give all that the function may use of an object. Nothing else answers: a \
call without its mocks cannot be used."""


_STATE = """

What a method does may depend on what was done with its object before. So bring the object into a \
state first in most inputs:

it = {owner}(…)
it.…(…)
it.{called}"""


@cache
def template(package: str, name: str, version: int) -> tuple[str, str]:
    """The system and user parts of a template, from the folder `prompts` of a package."""
    text = resources.files(package).joinpath(f"prompts/{name}.v{version}.txt").read_text("utf-8")
    system, _, user = text.partition("\n=====\n")
    return system.strip(), user.strip()


_FIELD = re.compile(r"\{([a-z_]+)\}")


def filled(text: str, fields: Mapping[str, str]) -> str:
    """The template with its fields filled in one pass: inserted text is not searched for fields.

    Raises KeyError for a field without a value.
    """
    return _FIELD.sub(lambda field: fields[field[1]], text)


def shown_of(specification: Specification) -> tuple[str, str]:
    """The parts of a prompt that show a function.

    Where they are the same, so are the prompts of the function's trial.
    """
    return context_part(specification), stub(specification)


def _fields(specification: Specification) -> dict[str, str]:
    call = sample_call(specification)
    owner, is_method, called = call.partition("(…).")
    return {
        "context_part": context_part(specification),
        "stub": fenced(stub(specification)),
        "count": str(PROPOSALS_ASKED),
        "open_count": str(OPEN_ASKED),
        "sample_call": call,
        "state_part": filled(_STATE, {"owner": owner, "called": called}) if is_method else "",
    }


def context_part(specification: Specification) -> str:
    """A paragraph with the code that the function may refer to; empty if there is none."""
    own, others = specification.context.strip(), specification.neighbours
    shown = f"It belongs to a module that holds:\n\n{fenced(own)}\n\n" if own else ""
    return shown + (f"{_NEIGHBOURS}\n\n{fenced(others)}\n\n" if others else "")


_NEIGHBOURS = (
    "It uses these definitions of its project, which are shown without the bodies of functions. "
    "Each comment names the module that the definitions below it can be imported from:"
)


def fenced(code: str) -> str:
    """A block of code between fences longer than any in the code: docstrings may hold fences."""
    fence = backticks_around(code, 3)
    return f"{fence}python\n{code}\n{fence}"


def stub(specification: Specification) -> str:
    """The header and docstring of the function, as a definition without a body."""
    docstring = specification.docstring
    text = docstring.replace("\\", "\\\\")
    end = "\n" if "\n" in docstring else ""
    # Quotes that need no escaping come first.
    free = (
        quote
        for quote in ('"""', "'''")
        if quote not in docstring and not f"{docstring}{end}".endswith(quote[0])
    )
    quote = next(free, "")
    if not quote:
        quote, text = '"""', text.replace('"', '\\"')
    literal = f"{quote}{text}{end}{quote}"
    body = "\n".join(f"    {line}".rstrip() for line in literal.split("\n"))
    owner = ""
    if specification.unit.kind is not UnitKind.FUNCTION:
        owner = f"# a {specification.unit.kind} of {specification.entry.rsplit('.', 1)[0]}\n"
    return f"{owner}{specification.signature}\n{body}"


_STARS = {
    ParameterKind.KEYWORD_ONLY: "{name}={name}",
    ParameterKind.VAR_POSITIONAL: "*{name}",
    ParameterKind.VAR_KEYWORD: "**{name}",
}


def sample_call(specification: Specification) -> str:
    """A sample of a call: ``f(a, *b, c=c)``, ``owner(…).f(a)``; ``owner(…).f`` for a property.

    A method's owner is its own class, or one that inherits it if its own cannot be made.
    """
    names = [
        _STARS.get(each.kind, "{name}").format(name=each.name) for each in specification.parameters
    ]
    unit = specification.unit
    owner = specification.entry.rpartition(".")[0]
    match unit.kind:
        case UnitKind.FUNCTION:
            return f"{unit.name}({', '.join(names)})"
        case UnitKind.METHOD:
            classes = classes_of(read_source(specification.program))
            if owner in classes:
                made = receivers(classes[owner], unit.name, classes)
                owner = made[0].name if made else owner
            arguments = "" if unit.getter else f"({', '.join(names[1:])})"
            return f"{owner}(…).{unit.name}{arguments}"
        case UnitKind.CLASS_METHOD | UnitKind.STATIC_METHOD:
            own = names[1:] if unit.kind is UnitKind.CLASS_METHOD else names
            return f"{owner}.{unit.name}({', '.join(own)})"
