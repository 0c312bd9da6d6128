"""Decides which parameters may be given a list or a text: others have no shape to speak of."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from assay_engine.inputs.type_names import MAPPINGS, NUMBERS, SCALARS, SETS
from assay_engine.syntax.aliases import aliases_of
from assay_engine.syntax.alternatives import alternatives
from assay_engine.syntax.lineage import classes_of
from assay_engine.syntax.names import last_name
from assay_engine.syntax.source import read_source
from assay_engine.types import Parameter
from assay_sandbox import Value

# Annotations of types that hold no items and are no text, or that are looked up by key.
_NOT_HOLDING = NUMBERS | SCALARS.keys() | SETS | MAPPINGS | {"Counter", "Callable", "None"}
# The bases of classes that are no lists. A class with any other base may be a list.
_NO_LIST = frozenset(
    ("object", "ABC", "Generic", "Protocol", "Enum", "IntEnum", "StrEnum", "Exception", "TypedDict")
)


class Holding:
    """Judges one function's parameters by their annotations, or by the arguments in examples."""

    def __init__(self, program: str, shown: Sequence[Mapping[str, Value]]) -> None:
        source = read_source(program)
        self._classes, self._aliases = classes_of(source), aliases_of(source)
        self._shown = shown

    def names(self, parameters: Sequence[Parameter]) -> list[str]:
        return [each.name for each in parameters if self._may_hold(each)]

    def spoken_of(self, parameters: Sequence[Parameter]) -> tuple[str, ...]:
        """The parameters that "the list" may mean.

        Parameters with a default are left out if there are any without.
        """
        holding = [each for each in parameters if self._may_hold(each)]
        required = [each for each in holding if each.default is None]
        return tuple(each.name for each in required or holding)

    def _may_hold(self, parameter: Parameter) -> bool:
        if parameter.annotation is not None:
            kinds = alternatives(parameter.annotation, self._aliases)
            return not kinds or any(map(self._is_holding, kinds))
        return all(
            isinstance(arguments[parameter.name], str | list | tuple)
            for arguments in self._shown
            if parameter.name in arguments
        )

    def _is_holding(self, kind: ast.expr) -> bool:
        name = last_name(kind) or ast.unparse(kind)
        node = self._classes.get(name)
        if node is None:
            return name not in _NOT_HOLDING
        bases = {last_name(base) for each in self._classes.lineage(node) for base in each.bases}
        return not bases <= {*self._classes, *_NO_LIST}
