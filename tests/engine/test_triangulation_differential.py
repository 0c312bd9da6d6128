"""The schemes that `test_triangulation_evaluate` leaves out, beside the naive evaluator."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from assay_bench.vectors.round_trip import with_round_trip
from assay_engine.methods.triangulation.formulas.compositions import stream
from assay_engine.methods.triangulation.formulas.decompositions import suffix_split
from assay_engine.methods.triangulation.formulas.evaluate import Agreement, Subject, agreements
from assay_engine.methods.triangulation.formulas.outcomes import Memo
from assay_engine.methods.triangulation.formulas.properties import Points, Scheme
from assay_engine.methods.triangulation.formulas.schemes import (
    FWD_ENUM,
    FWD_INV,
    FWD_SINV,
    OFF_BY_ONE,
    POSTCONDITION,
)
from assay_sandbox import Program
from support import naive_triangulation as naive
from support.tabled_programs import Doing, Failure, TabledRunner, driven

SEEDS = 150
VALUES, CONTEXTS = (2, 3, 4), (2, 3)
POINTS = list(product(VALUES, CONTEXTS))

Entry = Any  # "U", "D", a value, or (is it full, its values)
Entries = dict[tuple[Any, ...], Entry]


def doing(entry: Entry) -> Doing:
    match entry:
        case "U":
            return Failure.INVALID
        case "D":
            return Failure.CRASH
        case (full, listed):
            return list(listed) if full else (False, list(listed))
        case _:
            return entry


def value(chance: random.Random) -> Entry:
    return chance.choice([*VALUES * 4, "U", "D"])


def answer(chance: random.Random) -> Entry:
    listed = tuple(chance.sample(VALUES, chance.randrange(4)))
    return chance.choice([(True, listed)] * 4 + [(False, listed)] * 2 + ["U", "D"])


def truth(chance: random.Random) -> Entry:
    return chance.choice([True] * 12 + [False, None, "U", "D"])


def mutated(
    chance: random.Random, entries: Entries, drawn: Callable[[random.Random], Entry]
) -> Entries:
    """Here and there another function."""
    return {
        point: drawn(chance) if chance.random() < 0.12 else entry
        for point, entry in entries.items()
    }


def found(
    scheme: Scheme, left: list[Entries], right: list[Entries], points: Points, **build: Any
) -> Agreement:
    tables = {
        f"{side}{number}": lambda *arguments, entries=entries: doing(entries[arguments])
        for side, programs in (("p", left), ("q", right))
        for number, entries in enumerate(programs)
    }
    subjects = [
        [Subject((Program(f"{side}{number}", "f"),), **given) for number in range(len(programs))]
        for side, programs, given in (("p", left, build), ("q", right, {}))
    ]
    return driven(agreements(scheme, *subjects, points, Memo()), TabledRunner(tables))


def expected(
    holds: Callable[[naive.Naive, naive.Naive], bool], left: list[Entries], right: list[Entries]
) -> Agreement:
    def program(entries: Entries) -> naive.Naive:
        return lambda *arguments: entries[arguments]

    return tuple(
        tuple(j for j, q in enumerate(right) if holds(program(p), program(q))) for p in left
    )


def inverse(entries: Entries, *, set_valued: bool) -> Entries:
    inverted: Entries = {}
    for o, c in POINTS:
        fibre = tuple(a for a in VALUES if entries[a, c] == o)
        inverted[o, c] = (True, fibre) if set_valued else fibre[0] if fibre else "U"
    return inverted


def right_of(scheme: Scheme, chance: random.Random, p: Entries) -> Entries:
    """A witness that agrees with the program, but for mistakes."""
    match scheme.name:
        case "POSTCONDITION":
            points = product(VALUES, CONTEXTS, VALUES)
            return mutated(chance, {(a, c, o): p[a, c] == o for a, c, o in points}, truth)
        case "OFF-BY-ONE":
            shifted = {x: y + 1 if isinstance(y, int) else y for x, y in p.items()}
            return mutated(chance, shifted, value)
        case "FWD-ENUM":
            listing = {x: (True, (y, 4)) if isinstance(y, int) else y for x, y in p.items()}
            return mutated(chance, listing, answer)
        case "FWD-INV":
            return mutated(chance, inverse(p, set_valued=False), value)
        case _:
            return mutated(chance, inverse(p, set_valued=True), answer)


SCHEMES: list[tuple[Scheme, Callable[..., bool]]] = [
    (POSTCONDITION, naive.postcondition),
    (OFF_BY_ONE, naive.off_by_one),
    (FWD_ENUM, naive.fwd_enum),
    (
        with_round_trip(FWD_INV),
        lambda p, q, i, o: naive.fwd_inv(p, q, i, o) and naive.leads_back(p, q, o),
    ),
    (
        with_round_trip(FWD_SINV),
        lambda p, q, i, o: naive.fwd_sinv(p, q, i, o) and naive.listed_lead_back(p, q, o),
    ),
]


@pytest.mark.parametrize(("scheme", "holds"), SCHEMES, ids=[str(n) for n in range(len(SCHEMES))])
def test_the_rounds_find_what_the_naive_evaluator_finds(
    scheme: Scheme, holds: Callable[..., bool]
) -> None:
    agreeing, pairs = 0, 0
    for seed in range(SEEDS):
        chance = random.Random(seed)
        base: Entries = {point: chance.choice(VALUES) for point in POINTS}
        if "INV" in scheme.name:
            base = {(a, c): VALUES[(a + c + seed) % 3] for a, c in POINTS}
        left = [mutated(chance, base, value) for _ in range(4)]
        right = [right_of(scheme, chance, p) for p in left]
        inputs = tuple(chance.sample(POINTS, chance.randrange(7)))
        outputs = tuple(chance.sample(POINTS, chance.randrange(5)))
        agreement = expected(lambda p, q: holds(p, q, inputs, outputs), left, right)  # noqa: B023
        assert found(scheme, left, right, Points(inputs, outputs)) == agreement, seed
        agreeing += sum(map(len, agreement))
        pairs += 16
    # Neither verdict is rare, or this would show little.
    assert pairs / 50 < agreeing < pairs * 3 / 4


def test_a_stream_of_fibres_is_the_scheme_on_elements_and_a_map() -> None:
    agreeing = 0
    for seed in range(SEEDS):
        chance = random.Random(seed)
        point = {x: VALUES[(x + seed) % 3] if chance.random() < 0.9 else "U" for x in VALUES}
        sequences = [tuple(chance.choices(VALUES, k=chance.randrange(4))) for _ in range(6)]
        single = [(x,) for x in VALUES]
        whole = {(s,): mapped(point, s) for s in {*sequences, *single}}
        broken = chance.choice(sequences)
        whole[(broken,)] = whole[(broken,)] if chance.random() < 0.7 else chance.choice("UD")
        fibres = {o: (True, tuple(x for x in VALUES if point[x] == o)) for o in VALUES}
        if chance.random() < 0.3:
            fibres[chance.choice(VALUES)] = answer(chance)

        def p(sequence: list[int], whole: Entries = whole) -> Doing:
            entry = whole[(tuple(sequence),)]
            return list(entry) if isinstance(entry, tuple) else doing(entry)

        def p0(x: int, _: object, whole: Entries = whole) -> Entry:
            entry = whole[((x,),)]
            return entry[0] if isinstance(entry, tuple) else entry

        inputs = tuple((list(s),) for s in sequences)
        outputs = tuple((o,) for o in chance.sample(VALUES, 2))
        runner = TabledRunner({"p": p, "q": lambda o, fibres=fibres: doing(fibres[o])})
        subjects = [[Subject((Program(name, "f"),))] for name in "pq"]
        rounds = agreements(stream(FWD_SINV), *subjects, Points(inputs, outputs), Memo())

        elements = [(x, None) for x in dict.fromkeys(x for s in sequences for x in s)]
        given = [(o, None) for (o,) in outputs]
        holds = naive.fwd_sinv(p0, lambda o, _, fibres=fibres: fibres[o], elements, given)
        is_map = naive.every(
            naive.equal(naive.tolerate(whole[(s,)]), strongest([p0(x, None) for x in s]))
            for s in sequences
        )
        agrees = holds and is_map in (True, "V")
        assert driven(rounds, runner) == (((0,),) if agrees else ((),)), seed
        agreeing += agrees
    assert SEEDS / 20 < agreeing < SEEDS * 9 / 10


def mapped(point: dict[int, Entry], sequence: tuple[int, ...]) -> Entry:
    return strongest([point[x] for x in sequence])


def strongest(terms: list[Entry]) -> Entry:
    special = [letter for letter in "DU" if letter in terms]
    return special[0] if special else tuple(terms)


def test_a_program_of_a_split_parameter_is_the_program_of_its_parts() -> None:
    """The adapter, beside tables that are written for the parts."""
    split = suffix_split(0, 1, str)
    parts = [("", ""), ("", "a"), ("", "b"), ("a", "b"), ("b", "a")]
    every_part = list(product(("", "a", "b"), ("", "a", "b", "ab")))
    agreeing = 0
    for seed in range(SEEDS):
        chance = random.Random(seed)
        whole = {(prefix + suffix,): value(chance) for prefix, suffix in every_part}
        # Only a suffix of one letter can come from a split, or none of nothing.
        by_part = {
            (prefix, suffix): whole[(prefix + suffix,)]
            if len(suffix) == 1 or prefix == suffix == ""
            else "U"
            for prefix, suffix in every_part
        }
        exact = {
            (o, prefix): (True, tuple(s for s in ("", "a", "b", "ab") if by_part[prefix, s] == o))
            for o in VALUES
            for prefix in ("", "a", "b")
        }
        witness = mutated(chance, exact, lambda _: (True, ("", "ab")))
        inputs = tuple((suffix, prefix) for prefix, suffix in chance.sample(parts, 3))
        agreement = expected(
            lambda p, q: naive.fwd_sinv(lambda s, x: p(x, s), q, inputs, []),  # noqa: B023
            [by_part],
            [witness],
        )
        points = Points(tuple((prefix, suffix) for suffix, prefix in inputs), inverted=1)
        assert found(FWD_SINV, [whole], [witness], points, build=split.adapt) == agreement, seed
        agreeing += agreement == ((0,),)
    assert SEEDS / 50 < agreeing < SEEDS * 9 / 10
