"""Views of a problem, in which one parameter can be inverted.

A view changes headers and inputs, never programs: `change` splits the arguments of the inputs, and
joins them again on their way into a program. Every change is checked on the inputs. A length
parameter that is not the length in every input, or a tuple of varying size, is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.decompositions import (
    Decomposition,
    chained,
    suffix_split,
    unpacked_tuple,
    without_length,
)
from assay_engine.methods.triangulation.formulas.evaluate import as_it_is
from assay_engine.methods.triangulation.formulas.values import Arguments, Function
from assay_engine.methods.triangulation.problems import Header, Slot, element_type, parts_of_tuple
from assay_engine.methods.triangulation.rewriting import Shown
from assay_engine.methods.triangulation.survey import Survey
from assay_sandbox import Value

# A tuple with more parts is treated as a sequence.
PARTS_MAX = 4
SUFFIX_LENGTH = 1


class View(Struct, frozen=True):
    """A problem's header and examples after `change`. `notes` tell the model that restates the
    problem how its parameters differ from the original's. `inverted` is the index of the parameter
    to invert, if the view leaves no choice."""

    header: Header
    examples: tuple[Shown, ...]
    change: Decomposition | None = None
    notes: tuple[str, ...] = ()
    inverted: int | None = None

    def adapt(self, program: Function) -> Function:
        """Turn a program for the original problem into a program for this view of the problem."""
        return as_it_is(program) if self.change is None else self.change.adapt(program)

    def split(self, inputs: Sequence[Arguments]) -> tuple[Arguments, ...]:
        return tuple(inputs if self.change is None else map(self.change.split, inputs))


def invertible_view(whole: View, survey: Survey, inputs: Sequence[Arguments]) -> View:
    """The view without a length parameter, with a lone tuple unpacked or a lone sequence split."""
    view = _without_length(whole, survey, inputs)
    view = _unpacked(view, view.split(inputs))
    return _suffix_split(view, view.split(inputs))


def pointwise_view(whole: View) -> View:
    """The problem for a single element of its only parameter, a list. Paper, proposition 5.12.

    Inputs stay sequences: the scheme takes them apart.
    """
    (sequence,) = whole.header.parameters
    name = "item"
    while name in (*whole.header.names, whole.header.name):
        name += "_"
    item = Slot(name, element_type(sequence.annotation))
    header = Header(f"{whole.header.name}_single", (item,), element_type(whole.header.returns))
    note = (
        f"The function above takes a list, `{sequence.name}`, and returns a list with one result "
        "for each element, in order, each computed from that element alone. Speak of a single "
        f"element, called `{item.name}`, and of the one result for it; there is no list."
    )
    examples: tuple[Shown, ...] = tuple(
        ((element,), output)
        for (elements,), outputs in whole.examples
        if isinstance(elements, list) and isinstance(outputs, list)
        for element, output in zip(
            cast("list[Value]", elements), cast("list[Value]", outputs), strict=False
        )
    )
    return View(header, examples, None, (note,), 0)


def _without_length(view: View, survey: Survey, inputs: Sequence[Arguments]) -> View:
    if survey.length_parameter is None or survey.measured_parameter is None:
        return view
    names = view.header.names
    length = names.index(survey.length_parameter)
    measured = names.index(survey.measured_parameter)
    sized = (str, list, tuple, set, frozenset, dict)
    if not all(
        isinstance(each[measured], sized)
        and type(each[length]) is int
        and each[length] == len(cast("Sized", each[measured]))
        for each in inputs
    ):
        return view
    note = (
        f"The parameter `{names[length]}` is always the length of `{names[measured]}` and is left "
        "out: do not mention it as a parameter."
    )
    header = replace(view.header, parameters=view.header.without(length))
    return _changed(view, header, without_length(length, measured), note)


def _unpacked(view: View, inputs: Sequence[Arguments]) -> View:
    if len(view.header.parameters) != 1 or not inputs:
        return view
    (slot,) = view.header.parameters
    tuples = [cast("Arguments", each) for (each,) in inputs if isinstance(each, tuple)]
    sizes = {len(each) for each in tuples}
    if len(tuples) != len(inputs) or len(sizes) != 1:
        return view
    (size,) = sizes
    if not 2 <= size <= PARTS_MAX:
        return view
    types = parts_of_tuple(slot.annotation, size)
    parts = tuple(Slot(f"{slot.name}_{number + 1}", types[number]) for number in range(size))
    names = ", ".join(f"`{part.name}`" for part in parts)
    note = f"The tuple `{slot.name}` is given as its {size} parts, {names}, in this order."
    header = replace(view.header, parameters=parts)
    return _changed(view, header, unpacked_tuple(), note)


def _suffix_split(view: View, inputs: Sequence[Arguments]) -> View:
    if len(view.header.parameters) != 1 or not inputs:
        return view
    kinds: tuple[type, ...] = (list, str, tuple)
    kind = next((kind for kind in kinds if all(type(each) is kind for (each,) in inputs)), None)
    if kind is None:
        return view
    (slot,) = view.header.parameters
    prefix, suffix = f"{slot.name}_prefix", f"{slot.name}_suffix"
    element = "character" if kind is str else "element"
    note = (
        f"The {kind.__name__} `{slot.name}` is given as two of the same type: `{suffix}` holds "
        f"its last {element} alone, or nothing if `{slot.name}` is empty, and `{prefix}` all "
        f"{element}s before; `{prefix} + {suffix}` is the whole. A value of `{suffix}` is itself "
        f"a {kind.__name__} of one {element}, and is empty if and only if the whole is."
    )
    header = replace(
        view.header, parameters=(Slot(prefix, slot.annotation), Slot(suffix, slot.annotation))
    )
    changed = _changed(view, header, suffix_split(0, SUFFIX_LENGTH, kind), note)
    return replace(changed, inverted=1)


def _changed(view: View, header: Header, change: Decomposition, note: str) -> View:
    examples: list[Shown] = []
    for given, output in view.examples:
        try:
            examples.append((change.split(given), output))
        except ValueError:  # an example of another shape says nothing here
            continue
    whole = change if view.change is None else chained([view.change, change])
    return View(header, tuple(examples), whole, (*view.notes, note))
