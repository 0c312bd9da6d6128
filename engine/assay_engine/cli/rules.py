"""The meaning of each finding code in few words, for services that list the rules of a tool."""

from __future__ import annotations

from msgspec import Struct

from assay_engine.types import Code, Severity


class Rule(Struct, frozen=True):
    """`title` is the heading of the code's page in docs/findings; `severity` the usual one."""

    code: Code
    severity: Severity
    title: str
    description: str
    help: str


RULES = (
    Rule(
        Code.DIFFERS,
        Severity.WARNING,
        "differs from the consensus",
        "Candidates that were drawn from the docstring alone agree on what an input should give, "
        "and the function gives something else.",
        "Look at the input. If the candidates are right, take the replacement. If the function is "
        "right, the docstring does not say so: add the input to it as an example.",
    ),
    Rule(
        Code.JUDGED,
        Severity.WARNING,
        "judged not to conform to the docstring",
        "A judge that reads the docstring, an input and what the function did on it, but never the "
        "code, finds that this is not what the docstring promises.",
        "Read the docstring beside the input and the output. The judge's reason is a model's, word "
        "for word, and may be wrong.",
    ),
    Rule(
        Code.FAILS_EXAMPLE,
        Severity.ERROR,
        "fails an example of its own docstring",
        "The docstring shows a call and its result, and the function gives another.",
        "Run the example. Fix the function, or the example if that is what is wrong.",
    ),
    Rule(
        Code.RAISES,
        Severity.WARNING,
        "raises where the consensus returns a value",
        "The function raises an exception on an input that candidates drawn from the docstring "
        "accept.",
        "Look at the input. If it is meant, fix the function or take the replacement. If it is "
        'not, say so in the docstring ("raises ValueError if ...").',
    ),
    Rule(
        Code.AMBIGUOUS,
        Severity.INFORMATION,
        "the docstring admits several behaviours",
        "Candidates that were drawn from the docstring are divided on an input, or it leaves open "
        "whether what the function does there is right.",
        "Decide what the input should give, and add it to the docstring as an example.",
    ),
    Rule(
        Code.NOT_DETERMINISTIC,
        Severity.INFORMATION,
        "not deterministic",
        "Two runs of the function on the same input, with different hash and random seeds, gave "
        "different answers.",
        "If chance is meant, take a random.Random or a seed as a parameter. If it is not, look for "
        "the order of a set, the clock, or random.",
    ),
    Rule(
        Code.DOUBTFUL_EXAMPLE,
        Severity.WARNING,
        "an example of the docstring is likely to be wrong",
        "The function fails an example of its docstring, and so do the candidates, which return "
        "there what the function does.",
        "Work the example out by hand, and fix it or the function.",
    ),
    Rule(
        Code.NOT_CHECKED,
        Severity.HINT,
        "could not be checked",
        "The function was not put on trial; the message says why.",
        "Nothing has to be done. A docstring with an example, or a function that can be called on "
        "its own, can be checked.",
    ),
)
