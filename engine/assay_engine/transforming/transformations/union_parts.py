"""The set-valued inverse problems for a result of a union type, one for each type.

Paper, section 5.2. The result None says nothing beyond itself, so its part does not take the
result.
"""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.transforming.consistency import Shown, for_set_inverse
from assay_engine.transforming.problems import Header, Slot
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.transformations.set_inverse import set_inverse
from assay_engine.transforming.views import View
from assay_engine.triangulation.unions import NONE, Branch

# The answers of parts say themselves whether they list everything.
_EXHAUSTIVE = True


def union_parts(
    view: View, index: int, result: Slot, type_names: tuple[str, ...]
) -> tuple[tuple[Branch, Transformation], ...]:
    """One part for each named type of results."""
    return tuple(
        (
            Branch(name, _EXHAUSTIVE),
            _none(view, index) if name == NONE else _some(view, index, result, name),
        )
        for name in type_names
    )


def _none(view: View, index: int) -> Transformation:
    parameter = view.header.parameters[index]
    values = parameter.list_type
    target = Header(
        f"{view.header.name}_sinv_{parameter.name}_none",
        view.header.without(index),
        f"tuple[bool, {values}]",
    )
    return Transformation("none_inverse", target, {"parameter": parameter.name}, view.notes)


def _some(view: View, index: int, result: Slot, type_name: str) -> Transformation:
    typed = Slot(result.name, type_name if result.annotation is None else result.annotation)
    whole = set_inverse(view, index, typed, exhaustive=False)
    note = f"Speak of results of type {type_name} only: `{result.name}` is always one."
    return replace(
        whole,
        target=replace(whole.target, name=f"{whole.target.name}_{type_name}"),
        notes=(*whole.notes, note),
        consistent=for_set_inverse(_of_type(view.examples, type_name), index),
    )


def _of_type(examples: tuple[Shown, ...], type_name: str) -> tuple[Shown, ...]:
    return tuple(each for each in examples if type(each[1]).__name__ == type_name)
