"""The state that all attempts on one problem share."""

from __future__ import annotations

from msgspec import Struct

from assay_engine.drawing.asking import Asking
from assay_engine.running.laboratory import Laboratory
from assay_engine.transforming.plans import SchemePlan
from assay_engine.transforming.rewriting import Transformation
from assay_engine.transforming.samples import Observed
from assay_engine.transforming.solving import Pool, Wanted
from assay_engine.triangulation import Memo
from assay_engine.types import Specification


class Workshop(Struct, frozen=True):
    """Samples, the memo of program runs, and one pool of solutions per transformed problem."""

    asking: Asking
    laboratory: Laboratory
    original: Specification
    seen: Observed
    result_types: tuple[str, ...]
    memo: Memo
    pools: dict[object, Pool]

    def pool(self, wanted: Wanted) -> Pool:
        key: object = wanted
        if isinstance(wanted, Transformation):
            key = (wanted.template, wanted.target, wanted.notes)
        if key not in self.pools:
            self.pools[key] = Pool(self.original, wanted)
        return self.pools[key]

    def parts(self, plan: SchemePlan) -> list[Pool]:
        """The pools of witnesses: one for each branch of a union, or a single one."""
        if isinstance(plan.witnesses, tuple):
            return [self.pool(transformation) for _, transformation in plan.witnesses]
        return [self.pool(plan.witnesses)]

    def listing(self, plan: SchemePlan) -> Pool | None:
        """The pool of enumerators; None for a scheme that has none."""
        return None if plan.enumerators is None else self.pool(plan.enumerators)

    def needed(self, plan: SchemePlan) -> list[Pool]:
        """All pools of a plan."""
        return [*self.parts(plan), *filter(None, [self.listing(plan)])]
