"""The disjuncts of a union as vectors name them: by type, by value, or by a tag."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from msgspec import Struct

from assay_engine.compare.same_values import same_value
from assay_engine.methods.triangulation.formulas.compositions import Payload, composed
from assay_engine.methods.triangulation.formulas.values import (
    Arguments,
    FullAnswer,
    Function,
    PartialAnswer,
    Term,
)
from assay_sandbox import Value


class Disjunct(Struct, frozen=True):
    """Some of the outputs. `exhaustive`: witnesses list all values."""

    payload: Payload
    exhaustive: bool


def constant(value: Value, output: Value) -> Arguments | None:
    """The payload of a single output, such as "NO", which has none."""
    return () if same_value(value, output) else None


def tagged(tag: Value, output: Value) -> Arguments | None:
    """The payload of tuples that begin with a tag, such as ("YES", 3): what follows the tag."""
    if not isinstance(output, tuple) or not output:
        return None
    first, *rest = cast("tuple[Value, ...]", output)
    return tuple(rest) if same_value(tag, first) else None


def witness_of(disjuncts: Sequence[Disjunct], parts: Sequence[Function]) -> Function:
    """The witness that the parts make, with answers marked where they do not list all values."""
    marked = [
        part if each.exhaustive else partial(_marked, part)
        for each, part in zip(disjuncts, parts, strict=True)
    ]
    return composed([each.payload for each in disjuncts], marked)


def _marked(part: Function, *arguments: Term) -> Term:
    answer = part(*arguments)
    return PartialAnswer(answer.listed) if isinstance(answer, FullAnswer) else answer
