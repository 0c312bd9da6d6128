"""Observes the forward samples on the shared inputs, before any witness is drawn.

Checks on the samples the model's claim that a function maps a list element by element.

Paper, section 5.2 (STREAM): the second clause, ``p([i1, …, in]) = [p°(i1), …, p°(in)]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

from msgspec import Struct

from assay_engine.methods.triangulation.formulas.compositions import elements, stream, type_name
from assay_engine.methods.triangulation.formulas.evaluate import (
    Rounds,
    Subject,
    agreements,
    until_known,
)
from assay_engine.methods.triangulation.formulas.operators import contradict, spread
from assay_engine.methods.triangulation.formulas.outcomes import Memo, encoded_arguments
from assay_engine.methods.triangulation.formulas.properties import Points, Scheme
from assay_engine.methods.triangulation.formulas.schemes import SYNTACTIC
from assay_engine.methods.triangulation.formulas.values import Arguments, Function, Special, Term
from assay_engine.methods.triangulation.selection import behaviour_classes
from assay_engine.methods.triangulation.survey import Survey
from assay_sandbox import Program, Value

# The most inputs used, spread over all inputs by size. The paper's tool takes 15 to 25.
INPUTS_MAX = 24
# A type counts as a type of results if this share of the samples' runs return it, or if the
# largest class does.
TYPE_SHARE = 0.2
# The outputs that witnesses are tried on come from this many classes of samples, the largest ones.
CLASSES_ASKED = 3
OUTPUTS_MAX = 40


class Forward(Struct, frozen=True):
    """A program for the original problem, and how many samples gave it: 0 for the user's own."""

    program: Program
    weight: int


class Observed(Struct, frozen=True):
    """The row of terms and the behaviour class of each forward program. A program that crashes on
    an input, and so has no behaviour class, gets a class of its own."""

    forwards: tuple[Forward, ...]
    inputs: tuple[Arguments, ...]
    rows: tuple[tuple[Term, ...], ...]
    classes: tuple[int, ...]

    def contradict(self, left: int, right: int) -> bool:
        return contradict(self.rows[left], self.rows[right])

    def contradict_at(self, left: int, right: int, position: int) -> bool:
        """Whether the two return different values on one input."""
        return contradict([self.rows[left][position]], [self.rows[right][position]])

    @property
    def weights(self) -> tuple[int, ...]:
        return tuple(each.weight for each in self.forwards)

    def largest(self, count: int) -> tuple[int, ...]:
        """One member of each of the largest classes of samples, largest first."""
        total = Counter[int]()
        for each, forward in zip(self.classes, self.forwards, strict=True):
            total[each] += forward.weight
        ranked = [each for each, weight in total.most_common() if weight]
        return tuple(self.classes.index(each) for each in ranked[:count])


def usable_inputs(inputs: Sequence[Arguments], parameters: int) -> tuple[Arguments, ...]:
    """Distinct inputs that give every parameter, from the smallest to the largest."""
    by_text: dict[str, Arguments] = {}
    for arguments in inputs:
        if len(arguments) == parameters:
            try:
                by_text.setdefault(encoded_arguments(arguments), arguments)
            except TypeError:  # arguments that cannot be encoded cannot be tried
                continue
    ordered = sorted(by_text, key=lambda text: (len(text), text))
    return tuple(by_text[text] for text in spread(ordered, INPUTS_MAX))


def observed(
    forwards: Sequence[Forward], inputs: tuple[Arguments, ...], memo: Memo
) -> Rounds[Observed]:
    subjects = [Subject((each.program,)) for each in forwards]
    equivalent = yield from agreements(SYNTACTIC, subjects, subjects, Points(inputs), memo)
    # A pair that is refuted early was not run on all inputs, so the rows are completed here.
    functions = [memo.function(each.program) for each in forwards]
    rows = yield from until_known(
        lambda: tuple(tuple(function(*each) for each in inputs) for function in functions), memo
    )
    classes = [-1 - index for index in range(len(forwards))]
    for number, members in enumerate(behaviour_classes(equivalent)):
        for index in members:
            classes[index] = number
    return Observed(tuple(forwards), inputs, rows, tuple(classes))


def result_types(seen: Observed) -> tuple[str, ...]:
    """Names of the types of results, the most frequent first."""
    weight = Counter[str]()
    for forward, row in zip(seen.forwards, seen.rows, strict=True):
        for term in row:
            if not isinstance(term, Special):
                weight[type_name(term)] += forward.weight
    leading = {
        type_name(term)
        for index in seen.largest(1)
        for term in seen.rows[index]
        if not isinstance(term, Special)
    }
    least = TYPE_SHARE * sum(seen.weights) * len(seen.inputs)
    return tuple(name for name, total in weight.most_common() if name in leading or total >= least)


def reached_outputs(seen: Observed, types: Sequence[str]) -> tuple[tuple[int, Value], ...]:
    """Outputs of the largest classes that have one of `types`, with the index of their input."""
    found = [
        (position, term)
        for index in seen.largest(CLASSES_ASKED)
        for position, term in enumerate(seen.rows[index])
        if not isinstance(term, Special) and type_name(term) in types
    ]
    unique: dict[str, tuple[int, Value]] = {}
    for position, term in found:
        unique.setdefault(f"{position} {encoded_arguments((term,))}", (position, term))
    return tuple(spread(list(unique.values()), OUTPUTS_MAX))


def elements_of(outputs: Sequence[tuple[int, Value]]) -> tuple[Arguments, ...]:
    """The distinct elements of those outputs that are lists, each as a tuple of arguments."""
    single = (
        (element,)
        for _, output in outputs
        if isinstance(output, list)
        for element in cast("list[Value]", output)
    )
    unique = {encoded_arguments(each): each for each in single}
    return tuple(spread(list(unique.values()), OUTPUTS_MAX))


# Samples that get the map wrong do not count against the claim, unless fewer than this share map.
MAPPING_SHARE = 1 / 3

_MAP = stream(Scheme("MAP", ()))


def maps_elements(survey: Survey, seen: Observed, types: Sequence[str], memo: Memo) -> Rounds[bool]:
    """Whether the model makes the claim and samples with a third of the weight bear it out."""
    is_list = all(len(each) == 1 and isinstance(each[0], list) for each in seen.inputs)
    if not survey.elementwise or not is_list or tuple(types) != ("list",):
        return False
    subjects = [Subject((each.program,)) for each in seen.forwards]
    found = yield from agreements(_MAP, subjects, subjects[:1], Points(seen.inputs), memo)
    mapping = sum(w for w, each in zip(seen.weights, found, strict=True) if each)
    return mapping >= MAPPING_SHARE * sum(seen.weights)


def on_elements(
    inputs: tuple[Arguments, ...],
) -> tuple[tuple[Arguments, ...], Callable[[Function], Function]]:
    """The elements of all sequences as inputs, and an adapter of programs to a single element.

    An adapted program returns a list of one result. Two such lists differ where the results do.
    """

    def on_one(program: Function) -> Function:
        def single(element: Term) -> Term:
            return program([element])

        return single

    return elements(Points(inputs), None).inputs, on_one
