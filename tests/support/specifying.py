"""What a text says of one of its functions, as the engine reads it."""

from __future__ import annotations

from assay_engine.dependencies.modules import NO_MODULES, Modules
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Specification, Unit


def specified(
    text: str, qualname: str | None = None, workspace: Modules = NO_MODULES
) -> Specification:
    """The specification of the function of this name, or else of the first."""
    return specify(text, unit_of(text, qualname), workspace=workspace)


def unit_of(text: str, qualname: str | None = None) -> Unit:
    return next(unit for unit in find_units(text)[0] if qualname in (None, unit.qualname))
