"""Composes a witness for a problem with a union as result, from one witness for each disjunct.

Paper, section 5.2: the problem is inverted for each disjunct, and the samples are composed. The
disjunct of an output is told by the output's type, by its value, or by the tag that a tuple begins
with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from msgspec import Struct

from assay_engine.running.same_values import same_value
from assay_engine.triangulation.values import (
    DEMONIC,
    Arguments,
    FullAnswer,
    Function,
    PartialAnswer,
    Term,
    strongest,
)
from assay_sandbox import Container, Instance, Value


class Branch(Struct, frozen=True):
    """The outputs of exactly this type. `exhaustive`: witnesses list all values. The output None
    has no payload: it says nothing beyond itself."""

    type_name: str
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        """The arguments that witnesses of the branch get for an output; None if it is of another
        branch."""
        if self.type_name != type_name(output):
            return None
        return () if output is None else (output,)


class Constant(Struct, frozen=True):
    """A single output without payload, such as "NO"."""

    value: Value
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        return () if same_value(self.value, output) else None


class Tagged(Struct, frozen=True):
    """Tuples that begin with a tag, such as ("YES", 3); the payload is what follows the tag."""

    tag: Value
    exhaustive: bool

    def payload(self, output: Value) -> Arguments | None:
        if not isinstance(output, tuple) or not output:
            return None
        first, *rest = cast("tuple[Value, ...]", output)
        return tuple(rest) if same_value(self.tag, first) else None


Disjunct: TypeAlias = Branch | Constant | Tagged
NONE = "NoneType"


def composed(branches: Sequence[Disjunct], parts: Sequence[Function]) -> Function:
    """The set-valued witness that asks the part of the first branch that has a payload for the
    output. An output of no branch is demonic: the parts cannot say anything about it."""

    def witness(output: Term, *context: Term) -> Term:
        special = strongest((output, *context))
        if special is not None:
            return special
        for branch, part in zip(branches, parts, strict=True):
            payload = branch.payload(output)
            if payload is not None:
                answer = part(*payload, *context)
                return answer if branch.exhaustive else _marked(answer)
        return DEMONIC

    return witness


def _marked(answer: Term) -> Term:
    return PartialAnswer(answer.listed) if isinstance(answer, FullAnswer) else answer


def type_name(value: Value) -> str:
    return value.type_name if isinstance(value, Instance | Container) else type(value).__name__
