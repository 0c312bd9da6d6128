"""What becomes of a vector, in the same words as what was expected of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

import msgspec

from assay_engine.evaluation.vectors.expressions import check, evaluated
from assay_engine.evaluation.vectors.reading import BadVectors, Json, Vector, value_from
from assay_engine.evaluation.vectors.trials import agreeing, equivalent, is_about_programs, passing
from assay_engine.running.comparing import same_value
from assay_engine.selection import (
    AbstentionCounts,
    Consensus,
    abstention_metrics,
    codet,
    first_selected,
    majority,
    max_test,
    plurality,
    ransac,
)
from assay_engine.triangulation import Agreement, Memo, Rounds

# Expected metrics are written with nine digits.
METRIC_TOLERANCE = 1e-6

Got: TypeAlias = dict[str, Json]
_T = TypeVar("_T")


class Judged(msgspec.Struct, frozen=True):
    name: str
    scheme: str
    expected: Got
    got: Got
    ok: bool


def judge(vector: Vector) -> Rounds[Judged]:
    """What a vector comes to. Raises BadVectors at once, before any round."""
    try:
        rounds = _outcome(vector, Memo())
    except RecursionError:
        raise BadVectors(f"{vector.name}: nested too deeply") from None

    def judged() -> Rounds[Judged]:
        got = yield from rounds
        return Judged(vector.name, vector.scheme, vector.expected, got, _fits(vector, got))

    return judged()


def _outcome(vector: Vector, memo: Memo) -> Rounds[Got]:
    match vector.scheme:
        case "OPERATOR":
            check(vector.expression)
            return _map(lambda value: {"value": value}, evaluated(vector.expression, memo))
        case "PLURALITY":
            return _map(lambda found: _group(plurality(found)), equivalent(vector, memo))
        case "MAJORITY":
            return _map(lambda found: _group(majority(found)), equivalent(vector, memo))
        case "MAX-TEST":
            return _map(_most_tests, passing(vector, memo))
        case "CODET":
            return _map(lambda found: _consensus(codet(found)), passing(vector, memo))
        case "RANSAC":
            return _known(_consensus(ransac(vector.agreement)))
        case "CASCADE-ORDER":
            selected = first_selected(vector.outcomes)
            return _known(_group(() if selected is None else (selected[1],)))
        case "METRICS":
            return _known(dict(abstention_metrics(AbstentionCounts(*vector.counts))))
        case scheme if is_about_programs(scheme):
            return _map(lambda found: _as_expected(found, vector), agreeing(vector, memo))
        case scheme:
            raise BadVectors(f"{vector.name}: no scheme {scheme!r}")


def _as_expected(agreement: Agreement, vector: Vector) -> Got:
    """The agreement itself, of the only pair if that was asked, or what consensus selects."""
    if "property" in vector.expected:
        return {"property": agreement == ((0,),)}
    if "agreements" in vector.expected:
        return {"agreements": [[i, j] for i, found in enumerate(agreement) for j in found]}
    return _consensus(ransac(agreement))


def _most_tests(passed: Agreement) -> Got:
    best = max_test(passed)
    return _group(()) if best is None else {"selected": [best], "score": len(passed[best])}


def _consensus(consensus: Consensus | None) -> Got:
    if consensus is None:
        return _group(())
    block = consensus.block
    return {
        "selected": list(block.programs),
        "witnesses": list(block.witnesses),
        "score": block.score,
    }


def _group(members: tuple[int, ...]) -> Got:
    return {"selected": list(members), "score": len(members)} if members else {"abstain": True}


def _known(got: Got) -> Rounds[Got]:
    """No rounds at all."""
    yield from ()
    return got


def _map(change: Callable[[_T], Got], rounds: Rounds[_T]) -> Rounds[Got]:
    result = yield from rounds
    return change(result)


def _fits(vector: Vector, got: Got) -> bool:
    return all(
        key in got and _FITS.get(key, _close)(expected, got[key])
        for key, expected in vector.expected.items()
    )


def _selects(expected: Json, got: Json) -> bool:
    """All members of the winning group are expected, and any one of them may be returned."""
    return set(cast("list[int]", got)) <= set(cast("list[int]", expected))


def _agrees(expected: Json, got: Json) -> bool:
    return sorted(cast("list[Json]", expected)) == sorted(cast("list[Json]", got))


def _close(expected: Json, got: Json) -> bool:
    if isinstance(expected, float | int) and isinstance(got, float | int):
        return math.isclose(expected, got, rel_tol=0, abs_tol=METRIC_TOLERANCE)
    return expected == got


def _is_same(expected: Json, got: Json) -> bool:
    # True and 1 are equal values, but only one of them is a truth value.
    return isinstance(expected, bool) == isinstance(got, bool) and same_value(
        value_from(expected), value_from(got)
    )


_FITS: dict[str, Callable[[Json, Json], bool]] = {
    "selected": _selects,
    "agreements": _agrees,
    "value": _is_same,
}
