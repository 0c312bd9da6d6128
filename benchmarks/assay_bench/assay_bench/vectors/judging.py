"""Judges a vector: states its outcome in the same terms as its expected outcome."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

import msgspec

from assay_bench.selection import (
    AbstentionCounts,
    abstention_metrics,
    first_selected,
    majority,
    max_test,
    plurality,
)
from assay_bench.vectors.expressions import check, evaluated
from assay_bench.vectors.reading import BadVector, Vector
from assay_bench.vectors.trials import (
    Found,
    agreeing,
    equivalent,
    is_about_programs,
    passing,
)
from assay_bench.vectors.values import Json, NoValue, standard, value_from
from assay_engine.compare.same_values import same_value
from assay_engine.methods.triangulation.formulas.evaluate import Rounds
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.selection import ransac

# Expected metrics are written with nine digits.
METRIC_TOLERANCE = 1e-6
# Far more witnesses than anybody draws.
WITNESSES_MAX = 100_000

Got: TypeAlias = dict[str, Json]
_T = TypeVar("_T")


class JudgedVector(msgspec.Struct, frozen=True):
    """`got` holds an error, in words, for a vector that cannot be evaluated."""

    name: Json
    scheme: Json
    expected: Json
    got: Got
    ok: bool


def judge(vector: Vector) -> Rounds[JudgedVector]:
    """Judge a vector. Raises BadVector at once, before any round."""
    try:
        rounds = _outcome(vector, Memo())
    except NoValue as error:
        raise BadVector(str(error)) from None
    except RecursionError:
        raise BadVector("nested too deeply") from None

    def judged() -> Rounds[JudgedVector]:
        got: Got = standard((yield from rounds))
        expected: Got = standard(vector.expected)
        return JudgedVector(vector.name, vector.scheme, expected, got, _fits(expected, got))

    return judged()


def _outcome(vector: Vector, memo: Memo) -> Rounds[Got]:
    match vector.scheme:
        case "OPERATOR":
            check(vector.expression)
            return _map(lambda value: {"value": value}, evaluated(vector.expression, memo))
        case "PLURALITY" | "MAJORITY":
            select = plurality if vector.scheme == "PLURALITY" else majority
            return _map(
                lambda found: _relation(found, vector) or _group(select(found.agreement)),
                equivalent(vector, memo),
            )
        case "MAX-TEST":
            return _map(
                lambda found: _relation(found, vector) or _most_tests(found),
                passing(vector, memo),
            )
        case "CODET":
            return _map(
                lambda found: _relation(found, vector) or _consensus(found, vector),
                passing(vector, memo),
            )
        case "RANSAC":
            return _known(_given_agreement(vector))
        case "CASCADE-ORDER":
            selections = {name: _selection(each) for name, each in vector.outcomes.items()}
            selected = first_selected(selections)
            return _known(_group(() if selected is None else selected[1]))
        case "METRICS":
            if vector.counts is None:
                raise BadVector("metrics without counts")
            return _known(dict(abstention_metrics(AbstentionCounts(*vector.counts))))
        case scheme if is_about_programs(scheme):
            return _map(
                lambda found: _relation(found, vector) or _consensus(found, vector),
                agreeing(vector, memo),
            )
        case scheme:
            raise BadVector(f"no scheme {scheme!r}")


def _relation(found: Found, vector: Vector) -> Got | None:
    """The agreement itself, or whether all pairs agree (usually there is only one pair), whichever
    the vector expects; None if it expects what consensus selects."""
    if "property" in vector.expected:
        every = len(found.right)
        return {"property": every > 0 and {len(row) for row in found.agreement} == {every}}
    if "agreements" in vector.expected:
        return {"agreements": [[i, j] for i, row in enumerate(found.agreement) for j in row]}
    return None


def _most_tests(found: Found) -> Got:
    best = max_test(found.agreement)
    return _group(()) if best is None else {"selected": [best], "score": len(found.agreement[best])}


def _given_agreement(vector: Vector) -> Got:
    programs, witnesses = vector.program_classes, vector.witness_classes
    count = 1 + max((j for row in vector.agreement for j in row), default=-1)
    if programs is not None and len(programs) != len(vector.agreement):
        raise BadVector("program_classes needs a class for each row of the agreement")
    if witnesses is not None and len(witnesses) < count:
        raise BadVector("witness_classes needs a class for each witness")
    if any(j < 0 for row in vector.agreement for j in row):
        raise BadVector("a witness with a negative index")
    if count > WITNESSES_MAX:
        raise BadVector(f"a witness with an index beyond {WITNESSES_MAX:,}")
    found = Found(
        vector.agreement,
        programs or tuple(range(len(vector.agreement))),
        witnesses or tuple(range(count)),
    )
    return _consensus(found, vector)


def _consensus(found: Found, vector: Vector) -> Got:
    consensus = ransac(
        found.agreement,
        witness_classes=found.right,
        program_classes=found.left,
        least_programs=vector.options.least_programs,
        least_witnesses=vector.options.least_witnesses,
    )
    if consensus is None:
        return _group(())
    block = consensus.block
    return {
        "selected": list(block.programs),
        "witnesses": list(block.witnesses),
        "score": block.score,
        "rivals": [list(each.programs) for each in consensus.rivals],
    }


def _selection(outcome: Json) -> tuple[int, ...] | None:
    """The indices that a scheme selected, given as an index, several, or an object like `expected`
    of a vector. Everything else, such as null or the word for a crash, is an abstention."""
    if isinstance(outcome, dict):
        outcome = cast("dict[str, Json]", outcome).get("selected")
    several = cast("list[Json]", outcome) if isinstance(outcome, list) else [outcome]
    if not several or not all(type(each) is int for each in several):
        return None
    return tuple(several)


def _group(members: tuple[int, ...]) -> Got:
    return {"selected": list(members), "score": len(members)} if members else {"abstain": True}


def _known(got: Got) -> Rounds[Got]:
    """A known result as rounds, without any round."""
    yield from ()
    return got


def _map(change: Callable[[_T], Got], rounds: Rounds[_T]) -> Rounds[Got]:
    result = yield from rounds
    return change(result)


def _fits(expected: Got, got: Got) -> bool:
    """Whether the outcome has all that is expected; further parts of it do not matter."""
    return all(
        (key in got or key in _ABSENT) and _FITS.get(key, _close)(value, got.get(key))
        for key, value in expected.items()
    )


def _selects(expected: Json, got: Json) -> bool:
    """Whether the selection fits: all members of the winning group are expected, and any of them
    may be returned."""
    if not expected or not got:
        return not expected and not got
    return set(cast("list[int]", got)) <= set(cast("list[int]", expected))


def _abstains(expected: Json, got: Json) -> bool:
    return bool(expected) == bool(got)


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


# A missing selection is an abstention, whether the vector says so or not.
_ABSENT = {"selected", "abstain"}
_FITS: dict[str, Callable[[Json, Json], bool]] = {
    "selected": _selects,
    "abstain": _abstains,
    "agreements": _agrees,
    "value": _is_same,
}
