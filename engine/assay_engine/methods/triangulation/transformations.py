"""Transformations of a problem: each gives the new header and the prompt for it.

- `inverse`: find a value of one parameter, given the result and the others (paper, definitions 5.1
  and 5.3); solved by the witnesses of FWD-INV. Without other parameters it is the full inverse.
- `set_inverse`: list all values of one parameter that give a result (5.5 and 5.7); solved by the
  witnesses of FWD-SINV and ENUM-SINV. If there are too many values to list, the answer is some of
  them, marked as such (section 5.3).
- `union_parts`: set-valued inverses for a result of a union type, one for each type (section 5.2).
  The result None says nothing beyond itself, so its part does not take the result.
- `enumeration`: list all results that are right for an input (5.9); solved by the enumerators of
  ENUM-SINV.
- `postcondition`: tell if a result is right for an input (section 4.4); a baseline, and what is
  left where no inverse makes sense, as for predicates.
- `off_by_one`: the same problem with every result shifted (section 6, OffByOne); a baseline.
"""

from __future__ import annotations

from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.compositions import NONE
from assay_engine.methods.triangulation.problems import Header, Slot, header_of, stated
from assay_engine.methods.triangulation.rewriting import (
    Transformation,
    for_enumeration,
    for_inverse,
    for_postcondition,
    for_set_inverse,
)
from assay_engine.methods.triangulation.views import View
from assay_engine.types import Specification


def inverse(view: View, index: int, result: Slot) -> Transformation:
    parameter = view.header.parameters[index]
    target = Header(
        f"{view.header.name}_inv_{parameter.name}",
        (result, *view.header.without(index)),
        parameter.annotation,
    )
    return Transformation(
        "inverse",
        target,
        {"result": result.name, "parameter": parameter.name},
        view.notes,
        (result.name,),
        for_inverse(view.examples, index),
    )


def set_inverse(view: View, index: int, result: Slot, *, exhaustive: bool) -> Transformation:
    parameter = view.header.parameters[index]
    values = parameter.list_type
    target = Header(
        f"{view.header.name}_sinv_{parameter.name}",
        (result, *view.header.without(index)),
        values if exhaustive else f"tuple[bool, {values}]",
    )
    return Transformation(
        "set_inverse" if exhaustive else "partial_inverse",
        target,
        {"result": result.name, "parameter": parameter.name},
        view.notes,
        (result.name,),
        for_set_inverse(view.examples, index),
    )


def enumeration(view: View) -> Transformation:
    """`view` is the problem before any parameter is split: the programs are adapted instead."""
    returns = view.header.returns
    values = "list" if returns is None else f"list[{returns}]"
    target = Header(f"{view.header.name}_enum", view.header.parameters, f"tuple[bool, {values}]")
    return Transformation("enumeration", target, {}, view.notes, (), for_enumeration(view.examples))


def postcondition(view: View, result: Slot) -> Transformation:
    target = Header(f"{view.header.name}_postcondition", (*view.header.parameters, result), "bool")
    return Transformation(
        "postcondition",
        target,
        {"result": result.name},
        view.notes,
        (result.name,),
        for_postcondition(view.examples),
    )


_SHIFT = (
    "Finally, shift the result by one before it is returned: add 1 to a number; return the "
    'opposite of a truth value; append "_1" to a string; append 1 to a list of integers; add 1 '
    "to each element of a tuple of integers. Any examples above show the result before the shift."
)


def off_by_one(original: Specification) -> Specification:
    """The shifted problem. Raises ValueError if the original is no plain function."""
    header = header_of(original)
    if header is None:
        raise ValueError(f"{original.unit.qualname} is no plain function")
    return stated(header, f"{original.docstring}\n\n{_SHIFT}", original)


def union_parts(
    view: View, index: int, result: Slot, type_names: tuple[str, ...]
) -> tuple[tuple[str, Transformation], ...]:
    """One part for each named type of results."""
    return tuple(
        (name, _none(view, index) if name == NONE else _some(view, index, result, name))
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
        contradicts=for_set_inverse(
            [each for each in view.examples if type(each[1]).__name__ == type_name], index
        ),
    )
