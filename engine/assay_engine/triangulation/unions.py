"""A witness for a problem whose result is a union, put together from one for each type.

Paper, section 5.2: the problem is inverted for each disjunct, and the samples are composed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay_engine.triangulation.values import (
    DEMONIC,
    FullAnswer,
    Function,
    PartialAnswer,
    Term,
    strongest,
)
from assay_sandbox import Container, Instance, Value


@dataclass(frozen=True, slots=True)
class Branch:
    """A disjunct: None, or the type of this name. `exhaustive`: its witnesses list all there is."""

    type_name: str
    exhaustive: bool

    @property
    def has_payload(self) -> bool:
        """Whether its witnesses take the output; None says nothing beyond itself."""
        return self.type_name != NONE


NONE = "NoneType"


def composed(branches: Sequence[Branch], parts: Sequence[Function]) -> Function:
    """The set-valued witness that asks the part for the output's type. An output of no branch's
    type is demonic: the parts cannot say anything about it."""

    def witness(output: Term, *context: Term) -> Term:
        special = strongest((output, *context))
        if special is not None:
            return special
        for branch, part in zip(branches, parts, strict=True):
            if branch.type_name == _type_name(output):
                answer = part(output, *context) if branch.has_payload else part(*context)
                return answer if branch.exhaustive else _marked(answer)
        return DEMONIC

    return witness


def _marked(answer: Term) -> Term:
    return PartialAnswer(answer.listed) if isinstance(answer, FullAnswer) else answer


def _type_name(value: Value) -> str:
    return value.type_name if isinstance(value, Instance | Container) else type(value).__name__
