"""Lists the functions of a text that are to be tried, and the key of each one's report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay_engine import digest
from assay_engine.check_unit import CheckUnit, Earlier, OtherVersion
from assay_engine.dependencies.modules import NO_MODULES, Modules, workspace_modules
from assay_engine.dependencies.neighbours import with_neighbours
from assay_engine.sampling.prompting import CANDIDATE_VERSION, INPUTS_VERSION
from assay_engine.settling.questions import PREFERENCE, PREFERENCE_VERSION
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units, is_addressed
from assay_engine.types import SourceText, Specification, Tier, Unit

PROMPTS = (
    ("candidate", CANDIDATE_VERSION),
    ("inputs", INPUTS_VERSION),
    (PREFERENCE, PREFERENCE_VERSION),
)
# Increase this when the contents of a report change, or how a report is reached. Stored reports
# then become void.
REPORT_VERSION = 47


def worklist(
    source: SourceText,
    tier: Tier,
    rests_on: Sequence[str],
    only: Callable[[Unit], bool] | None = None,
    *,
    neighbours: int = 0,
    earlier: OtherVersion | None = None,
) -> list[tuple[CheckUnit, Modules]]:
    """The functions to be tried, in file order, each with the modules it can use.

    `rests_on` is what every report depends on besides the text: settings, interpreter and model.
    Without `only`, the functions that are somebody's interface are tried. `neighbours` are the
    characters of other modules' definitions that a model may be shown for each. `earlier` is a
    former state of the text, beside which those are held that had another state there.
    """
    workspace: Modules = NO_MODULES
    if source.root is not None:
        workspace = workspace_modules(Path(source.path), Path(source.root))
    specifications = [
        specify(source.text, unit, workspace=workspace, request=source.request)
        for unit in find_units(source.text)[0]
        if (only or is_addressed)(unit)
    ]
    former: dict[str, Earlier] = {}
    if earlier is not None:
        for unit in find_units(earlier.source.text)[0]:
            specification = specify(earlier.source.text, unit, workspace=workspace)
            former[unit.qualname] = Earlier(specification, earlier.called)
    return [
        (filed(source, each, tier, rests_on, former.get(each.unit.qualname)), workspace)
        for each in with_neighbours(source.text, specifications, workspace, neighbours)
    ]


def filed(
    source: SourceText,
    specification: Specification,
    tier: Tier,
    rests_on: Sequence[str],
    earlier: Earlier | None = None,
) -> CheckUnit:
    """File a function of the text under a digest of everything that its report depends on."""
    if earlier is not None and earlier.specification.program == specification.program:
        earlier = None
    prompts = PROMPTS
    if tier is Tier.THOROUGH:
        # Triangulation is optional: nothing of it is loaded unless it is wanted.
        from assay_engine.methods.triangulation import TRANSFORMING_PROMPTS

        prompts += TRANSFORMING_PROMPTS
    unit = specification.unit
    place = specification.place
    # A replacement shows the unit as the file has it, so its own text is part of the key.
    own = unit.span.of(source.text)
    key = digest.of_parts(
        [
            str(REPORT_VERSION),
            tier,
            repr(prompts),
            *rests_on,
            own,
            specification.program,
            specification.entry,
            str(specification.definition),
            specification.neighbours,
            # The whole file, and not only the unit, determines which names are exceptions.
            repr(specification.documented_exceptions),
            *([] if place is None else [place.module, place.file, *place.roots]),
            # Which calls reach outside depends on what the project itself has by an import's name.
            *sorted(specification.workspace_roots),
            *(["request", source.request] if source.request else []),
        ]
    )
    return CheckUnit(source, specification, key, prompts, earlier=earlier)
