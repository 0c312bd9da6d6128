"""Decides which schemes to try on a problem, in which order, and in which view of the problem.

Paper, section 6: ENUM-SINV before FWD-SINV before FWD-INV. Schemes that cannot succeed are left
out. If only one answer is right, an enumerator solves the original problem over again. If results
keep little of a parameter, it has no inverse. Predicates keep one bit of their input, so for them
there are only the baselines, which confirm but accuse nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.methods.triangulation.formulas.compositions import (
    NONE,
    Cascade,
    stream,
    stream_cascade,
)
from assay_engine.methods.triangulation.formulas.properties import Scheme
from assay_engine.methods.triangulation.formulas.schemes import (
    ENUM_SINV,
    FWD_ENUM,
    FWD_INV,
    FWD_SINV,
    OFF_BY_ONE,
    POSTCONDITION,
)
from assay_engine.methods.triangulation.problems import Slot, disjuncts
from assay_engine.methods.triangulation.rewriting import Transformation
from assay_engine.methods.triangulation.survey import Fibre, Survey, result_name
from assay_engine.methods.triangulation.transformations import (
    enumeration,
    inverse,
    off_by_one,
    postcondition,
    set_inverse,
    union_parts,
)
from assay_engine.methods.triangulation.views import View
from assay_engine.types import Specification

# Below this share, too much of a parameter is lost to work out a value of it from the result.
INJECTIVE = 0.9

# Of a union, a transformation for each type of results.
Witnesses: TypeAlias = Transformation | Specification | tuple[tuple[str, Transformation], ...]


class SchemePlan(Struct, frozen=True):
    """One scheme, the parameter it inverts in which view, and the problems to draw solutions of.

    `is_exact`: right solutions do not differ. `is_baseline`: agreement is weak evidence.
    `is_pointwise`: drawn programs are for single elements.
    """

    scheme: Scheme | Cascade
    view: View
    inverted: int
    witnesses: Witnesses
    enumerators: Transformation | None = None
    is_exact: bool = True
    is_baseline: bool = False
    is_pointwise: bool = False

    @property
    def name(self) -> str:
        return self.scheme.name


class Measured(Struct, frozen=True):
    """Measurements on the samples. `result_types` are the names of the types of their results."""

    result_types: tuple[str, ...]
    kept: tuple[float, ...]
    maps_elements: bool


def plans_for(
    original: Specification,
    whole: View,
    view: View,
    inverted: int,
    survey: Survey,
    measured: Measured,
) -> tuple[SchemePlan, ...]:
    result = Slot(result_name(survey, view.header), whole.header.returns)
    if measured.result_types == ("bool",):
        condition, exact = postcondition(whole, result), not survey.several_answers
        return (
            SchemePlan(POSTCONDITION, whole, 0, condition, is_exact=exact, is_baseline=True),
            SchemePlan(OFF_BY_ONE, whole, 0, off_by_one(original), is_baseline=True),
        )
    if measured.maps_elements:
        element = Slot(result.name, view.header.returns)
        return _inverting(view, 0, element, survey, measured, exhaustive=False, enumerated=view)
    name = view.header.names[inverted]
    found = (each.values for each in survey.parameters if each.name == name)
    exhaustive = view.inverted is None and next(found, Fibre.MANY) is not Fibre.MANY
    return _inverting(
        view, inverted, result, survey, measured, exhaustive=exhaustive, enumerated=whole
    )


def _inverting(
    view: View,
    inverted: int,
    result: Slot,
    survey: Survey,
    measured: Measured,
    *,
    exhaustive: bool,
    enumerated: View,
) -> tuple[SchemePlan, ...]:
    listing = set_inverse(view, inverted, result, exhaustive=exhaustive)
    exact = not survey.several_answers
    union = () if measured.maps_elements else _union(view, measured.result_types)
    branches = union_parts(view, inverted, result, union) if union else None
    plans: list[SchemePlan] = []
    if survey.several_answers and branches is None:
        plans.append(
            SchemePlan(
                Cascade(ENUM_SINV, FWD_ENUM),
                view,
                inverted,
                listing,
                enumeration(enumerated),
                is_exact=False,
            )
        )
    plans.append(SchemePlan(FWD_SINV, view, inverted, branches or listing, is_exact=exact))
    # A problem with several right answers has no function to invert.
    if exact and measured.kept[inverted] >= INJECTIVE:
        plans.append(SchemePlan(FWD_INV, view, inverted, inverse(view, inverted, result)))
    if not measured.maps_elements:
        return tuple(plans)
    return tuple(
        replace(
            plan,
            scheme=stream_cascade(plan.scheme)
            if isinstance(plan.scheme, Cascade)
            else stream(plan.scheme),
            is_pointwise=True,
        )
        for plan in plans
    )


def _union(view: View, result_types: Sequence[str]) -> tuple[str, ...]:
    """The types to split results by. Empty for a single type, or if all are types of numbers."""
    declared = [NONE] if "None" in disjuncts(view.header.returns)[1:] else []
    types = tuple(dict.fromkeys([*result_types, *declared]))
    if len(types) < 2 or set(types) <= {"int", "float", "bool", "complex"}:
        return ()
    return types
