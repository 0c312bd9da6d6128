"""The evaluator in rounds: the verdicts of a naive one, for a fraction of the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import strategies as st

from assay_engine.compare.executor import Executor
from assay_engine.methods.triangulation.formulas.compositions import Cascade, cascaded, stream
from assay_engine.methods.triangulation.formulas.evaluate import (
    Agreement,
    Subject,
    agreements,
    carried_out,
)
from assay_engine.methods.triangulation.formulas.outcomes import (
    CALLS_PER_PROGRAM_MAX,
    TIMEOUTS_PER_PROGRAM_MAX,
    Memo,
)
from assay_engine.methods.triangulation.formulas.properties import (
    Interpretation,
    Points,
    Scheme,
    transformed,
)
from assay_engine.methods.triangulation.formulas.schemes import (
    ENUM_SINV,
    FWD_ENUM,
    FWD_INV,
    FWD_SINV,
    SYNTACTIC,
)
from assay_sandbox import Observation, Program, Returned, TimedOut, encode
from support import naive_triangulation as naive
from support.properties import given
from support.tabled_programs import LIMITS, Doing, Failure, Table, TabledRunner, driven

VALUES = (0, 1, 2)
CONTEXTS = (0, 1)
POINTS = tuple(product(VALUES, CONTEXTS))

Entry = Any  # "U", "D", a value, or (is it full, its values)
Entries = dict[tuple[int, int], Entry]


@dataclass(frozen=True)
class World:
    """Programs as tables over `POINTS`: of (input, context), of (output, context)."""

    left: tuple[Entries, ...]
    right: tuple[Entries, ...]
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int], ...]


failures = st.sampled_from(["U", "D"])
values = st.one_of(*[st.sampled_from(VALUES)] * 5, failures)
full_answers = st.tuples(st.just(True), st.lists(st.sampled_from(VALUES), unique=True).map(tuple))
partial_answers = full_answers.map(lambda answer: (False, answer[1]))
answers = st.one_of(full_answers, partial_answers, failures)


def functions(entries: st.SearchStrategy[Entry]) -> st.SearchStrategy[Entries]:
    return st.tuples(*[entries] * len(POINTS)).map(lambda row: dict(zip(POINTS, row, strict=True)))


@st.composite
def mutations(draw: st.DrawFn, entries: Entries, strategy: st.SearchStrategy[Entry]) -> Entries:
    """The function, here and there another one."""
    if draw(st.booleans()):
        return entries
    return {**entries, **draw(st.dictionaries(st.sampled_from(POINTS), strategy, max_size=2))}


def inverse(entries: Entries, *, set_valued: bool) -> Entries:
    found: Entries = {}
    for o, c in POINTS:
        fibre = tuple(a for a in VALUES if _lists(entries[a, c], o))
        found[o, c] = (True, fibre) if set_valued else fibre[0] if fibre else "U"
    return found


def _lists(entry: Entry, value: int) -> bool:
    return value in entry[1] if isinstance(entry, tuple) else entry == value


@st.composite
def worlds(draw: st.DrawFn, *, left_answers: bool, right_answers: bool) -> World:
    """Programs and witnesses among which some agree: inverses of each other, with mistakes."""
    left_entries = answers if left_answers else values
    right_entries = answers if right_answers else values
    base = draw(functions(full_answers if left_answers else st.sampled_from(VALUES)))
    left = draw(st.lists(mutations(base, left_entries), min_size=1, max_size=4))
    bases = [inverse(each, set_valued=right_answers) for each in left]
    right = draw(
        st.lists(
            st.sampled_from(bases).flatmap(lambda each: mutations(each, right_entries)),
            min_size=1,
            max_size=4,
        )
    )
    inputs = draw(st.lists(st.sampled_from(POINTS), unique=True, max_size=6))
    outputs = draw(st.lists(st.sampled_from(POINTS), unique=True, max_size=4))
    return World(tuple(left), tuple(right), tuple(inputs), tuple(outputs))


def doing(entry: Entry) -> Doing:
    if entry == "U":
        return Failure.INVALID
    if entry == "D":
        return Failure.CRASH
    if isinstance(entry, tuple):
        full, listed = entry
        return list(listed) if full else (False, list(listed))
    return entry


def tabled(entries: Entries, inverted: int = 0) -> Table:
    """`inverted`: at which place the program takes what comes first in the table."""

    def table(first: int, second: int) -> Doing:
        return doing(entries[(first, second) if inverted == 0 else (second, first)])

    return table


def subjects(names: Sequence[str]) -> tuple[Subject, ...]:
    return tuple(Subject((Program(name, "f"),)) for name in names)


def evaluated(
    world: World,
    scheme: Scheme,
    *,
    inverted: int = 0,
    left_names: Sequence[str] | None = None,
    runner: TabledRunner | None = None,
) -> Agreement:
    left = left_names or [f"left {number}" for number in range(len(world.left))]
    right = [f"right {number}" for number in range(len(world.right))]
    tables = {
        **{name: tabled(each, inverted) for name, each in zip(left, world.left, strict=True)},
        **{name: tabled(each) for name, each in zip(right, world.right, strict=True)},
    }
    runner = runner or TabledRunner({})
    runner.tables = tables
    inputs = tuple((i, c) if inverted == 0 else (c, i) for i, c in world.inputs)
    points = Points(inputs, world.outputs, inverted)
    rounds = agreements(scheme, subjects(left), subjects(right), points, Memo())
    return driven(rounds, runner)


def naively(
    world: World, property_: Callable[[Any, Any, Any, Any], bool]
) -> tuple[tuple[int, ...], ...]:
    def program(entries: Entries) -> naive.Naive:
        return lambda first, second: entries[first, second]

    left, right = map(program, world.left), [program(each) for each in world.right]
    return tuple(
        tuple(j for j, q in enumerate(right) if property_(p, q, world.inputs, world.outputs))
        for p in left
    )


@given(worlds(left_answers=False, right_answers=False), st.sampled_from([0, 1]))
def test_fwd_inv_is_what_its_proposition_says(world: World, inverted: int) -> None:
    assert evaluated(world, FWD_INV, inverted=inverted) == naively(world, naive.fwd_inv)


@given(worlds(left_answers=False, right_answers=True), st.sampled_from([0, 1]))
def test_fwd_sinv_is_what_its_proposition_says(world: World, inverted: int) -> None:
    assert evaluated(world, FWD_SINV, inverted=inverted) == naively(world, naive.fwd_sinv)


@given(worlds(left_answers=True, right_answers=True))
def test_enum_sinv_is_what_its_proposition_says(world: World) -> None:
    assert evaluated(world, ENUM_SINV) == naively(world, naive.enum_sinv)


@given(worlds(left_answers=False, right_answers=False))
def test_equivalence_is_what_its_definition_says(world: World) -> None:
    world = replace(world, right=world.left)
    assert evaluated(world, SYNTACTIC) == naively(world, naive.equivalent)


@given(worlds(left_answers=True, right_answers=True), st.data())
def test_the_cascade_is_its_two_stages(world: World, data: st.DataObject) -> None:
    enumerators = world.left
    programs = data.draw(st.lists(functions(values), min_size=1, max_size=3))
    names = {
        "p": [f"p{number}" for number in range(len(programs))],
        "e": [f"e{number}" for number in range(len(enumerators))],
        "q": [f"q{number}" for number in range(len(world.right))],
    }
    tables = {
        name: tabled(each)
        for key, rows in (("p", programs), ("e", enumerators), ("q", world.right))
        for name, each in zip(names[key], rows, strict=True)
    }
    points = Points(world.inputs, world.outputs)
    rounds = cascaded(
        Cascade(ENUM_SINV, FWD_ENUM),
        *(subjects(names[key]) for key in "peq"),
        points,
        points,
        Memo(),
    )
    found = driven(rounds, TabledRunner(tables))
    confirmed = naively(world, naive.enum_sinv)
    listing = naively(replace(world, left=tuple(programs), right=enumerators), naive.fwd_enum)
    assert found == tuple(tuple(sorted({q for e in row for q in confirmed[e]})) for row in listing)


two_sided = worlds(left_answers=False, right_answers=True)


@given(two_sided, st.randoms(use_true_random=False))
def test_the_order_of_points_does_not_matter(world: World, random: Any) -> None:
    inputs, outputs = list(world.inputs), list(world.outputs)
    random.shuffle(inputs)
    random.shuffle(outputs)
    shuffled = replace(world, inputs=tuple(inputs), outputs=tuple(outputs))
    assert evaluated(shuffled, FWD_SINV) == evaluated(world, FWD_SINV)


@given(two_sided)
def test_what_programs_are_called_does_not_matter(world: World) -> None:
    """Names decide who represents a class, too."""
    names = [f"another {len(world.left) - number}" for number in range(len(world.left))]
    assert evaluated(world, FWD_SINV, left_names=names) == evaluated(world, FWD_SINV)


@given(two_sided, st.permutations(range(4)))
def test_who_comes_first_and_so_represents_a_class_does_not_matter(
    world: World, order: list[int]
) -> None:
    order = [index for index in order if index < len(world.left)]
    found = evaluated(world, FWD_SINV)
    moved = evaluated(replace(world, left=tuple(world.left[i] for i in order)), FWD_SINV)
    assert moved == tuple(found[i] for i in order)


@given(two_sided)
def test_samples_of_one_text_get_one_verdict_and_are_run_once(world: World) -> None:
    runner, doubled = TabledRunner({}), TabledRunner({})
    single = evaluated(world, FWD_SINV, runner=runner)
    names = [f"left {number}" for number in range(len(world.left))]
    twice = replace(world, left=world.left * 2)
    assert evaluated(twice, FWD_SINV, left_names=names * 2, runner=doubled) == single * 2
    assert doubled.made == runner.made


@given(two_sided)
def test_no_call_is_made_twice(world: World) -> None:
    runner = TabledRunner({})
    evaluated(world, FWD_SINV, runner=runner)
    assert len(runner.made) == len(set(runner.made))


def squares(scale: int = 1) -> Table:
    return lambda a, c: scale * a * a + c


def roots(o: int, c: int) -> list[int]:
    return [a for a in range(-20, 21) if a * a + c == o]


def test_thirty_programs_and_witnesses_take_few_messages_and_class_pairs() -> None:
    """Thirty samples of five behaviours each side: messages are per program, not per call."""
    samples = 30
    programs = {f"p{number}": squares(1 + number % 5) for number in range(samples)}
    witnesses: dict[str, Table] = {f"q{number}": roots for number in range(samples)}
    runner = TabledRunner({**programs, **witnesses})
    points = Points(
        tuple((a, c) for a in range(-5, 5) for c in (0, 1)),
        tuple((a * a, 0) for a in range(20)),
    )
    evaluations: list[Interpretation] = []

    def counted(interpretation: Interpretation) -> Interpretation:
        evaluations.append(interpretation)
        return interpretation

    rounds = agreements(
        transformed(FWD_SINV, counted),
        subjects(list(programs)),
        subjects(list(witnesses)),
        points,
        Memo(),
    )
    found = driven(rounds, runner)
    assert [bool(row) for row in found] == [number % 5 == 0 for number in range(samples)]
    assert all(len(row) in (0, samples) for row in found)
    # Five classes of pairs in three rounds, one class of witnesses in two; there are 900 pairs.
    assert len(evaluations) <= 5 * 3 + 2
    # Forward, witnesses, fibres of the one class that is still alive, third clause.
    assert runner.messages <= samples + samples + samples // 5 + samples


def test_after_a_failed_clause_nothing_more_is_asked() -> None:
    """Wrong on L1 everywhere: neither fibres nor the third clause are run."""
    runner = TabledRunner({"p": squares(), "q": lambda o, c: [o + 100]})
    points = Points(((3, 0),), ((5, 0), (6, 0)))
    rounds = agreements(FWD_SINV, subjects(["p"]), subjects(["q"]), points, Memo())
    assert driven(rounds, runner) == ((),)
    assert runner.made == [("p", (3, 0)), ("q", (9, 0))]


def test_the_third_clause_is_asked_of_each_witness_once_however_many_programs_agree() -> None:
    runner = TabledRunner({"p1": squares(), "p2": squares(), "p3": squares(), "q": roots})
    points = Points(((3, 0),), ((4, 0), (9, 0), (16, 1)))
    rounds = agreements(FWD_SINV, subjects(["p1", "p2", "p3"]), subjects(["q"]), points, Memo())
    assert driven(rounds, runner) == ((0,), (0,), (0,))
    moved = {(o, c) for o in (4, 9, 16) for c in (0, 1)}
    asked = [arguments for name, arguments in runner.made if name == "q"]
    assert sorted(asked) == sorted(moved | {(9, 0)})


def test_schemes_share_what_is_known_of_the_same_samples() -> None:
    runner = TabledRunner({"p": squares(), "q": roots})
    memo, points = Memo(), Points(((3, 0), (4, 0)))
    for scheme in (FWD_SINV, FWD_SINV, SYNTACTIC):
        rounds = agreements(scheme, subjects(["p"]), subjects(["q"]), points, memo)
        driven(rounds, runner)
    assert len(runner.made) == len(set(runner.made))


def test_an_exploding_fibre_ends() -> None:
    """Every listed value is another call, and another list: the calls of a program are bounded."""
    runner = TabledRunner({"p": lambda a: a // 10**6, "q": lambda o: list(range(10**5 * o, 10**5))})
    points = Points(tuple((n,) for n in range(300)))
    rounds = agreements(FWD_SINV, subjects(["p"]), subjects(["q"]), points, Memo())
    driven(rounds, runner)
    assert len(runner.made) <= 2 * CALLS_PER_PROGRAM_MAX


class GivingUp(TabledRunner):
    """As the sandbox: after three timeouts the rest of a batch is not run."""

    def run_many(self, programs: Any, calls: Any, *args: Any, **kwargs: Any) -> Any:
        rows = super().run_many(programs, calls, *args, **kwargs)
        return tuple(tuple(self._row(row)) for row in rows)

    def _row(self, row: tuple[Observation, ...]) -> list[Observation]:
        found: list[Observation] = []
        for observation in row:
            given_up = sum(isinstance(each, TimedOut) for each in found) >= 3
            hangs = observation == Returned(encode("hangs"))
            found.append(
                TimedOut(1.0, whole_batch=True)
                if given_up
                else TimedOut(1.0)
                if hangs
                else observation
            )
        return found


@pytest.mark.parametrize(
    ("wrong", "agrees"), [(1, True), (3, True), (TIMEOUTS_PER_PROGRAM_MAX // 3 + 1, False)]
)
def test_a_witness_that_hangs_for_some_programs_can_still_agree_with_another(
    wrong: int, agrees: bool
) -> None:
    """Each wrong program makes it hang three times; after too many it is held to hang always."""
    tables: dict[str, Table] = {
        f"wrong {number}": lambda a, number=number: a - 100 * number
        for number in range(1, wrong + 1)
    }
    right: dict[str, Table] = {
        "right": lambda a: a,
        "q": lambda o: "hangs" if o < 0 else o,
    }
    runner = GivingUp({**tables, **right})
    points = Points(tuple((n,) for n in range(30)))
    rounds = agreements(FWD_INV, subjects([*tables, "right"]), subjects(["q"]), points, Memo())
    found = driven(rounds, runner)
    assert found == (*[()] * wrong, (0,) if agrees else ())


def test_requests_are_carried_out_by_a_executor() -> None:
    runner = TabledRunner({"p": squares(), "q": roots})
    rounds = agreements(FWD_SINV, subjects(["p"]), subjects(["q"]), Points(((3, 0),)), Memo())
    executor = Executor(runner, runner, LIMITS)
    assert asyncio.run(carried_out(rounds, executor)) == ((0,),)


sequences = st.lists(
    st.lists(st.sampled_from(VALUES), max_size=3).map(tuple), unique=True, max_size=5
)


@given(
    sequences,
    st.dictionaries(st.sampled_from(VALUES), values),
    st.dictionaries(st.sampled_from(VALUES), values),
    st.dictionaries(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3).map(tuple), failures),
)
def test_a_stream_is_a_scheme_on_elements_and_a_map(
    inputs: list[tuple[int, ...]],
    mapping: dict[int, Entry],
    inverted: dict[int, Entry],
    exceptions: dict[tuple[int, ...], Entry],
) -> None:
    def point(x: int) -> Entry:
        return mapping.get(x, x)

    def whole(sequence: Sequence[int]) -> Entry:
        if tuple(sequence) in exceptions:
            return exceptions[tuple(sequence)]
        found = [point(x) for x in sequence]
        special = [letter for letter in "DU" if letter in found]
        return special[0] if special else found

    def witness(o: int) -> Entry:
        return inverted.get(o, o)

    def p0(x: int, _: object) -> Entry:
        found = whole([x])
        return found if isinstance(found, str) else found[0]

    runner = TabledRunner({"p": lambda s: doing(whole(s)), "q": lambda o: doing(witness(o))})
    points = Points(tuple((list(sequence),) for sequence in inputs))
    rounds = agreements(stream(FWD_INV), subjects(["p"]), subjects(["q"]), points, Memo())
    found = driven(rounds, runner)

    elements = [(x, None) for x in dict.fromkeys(x for sequence in inputs for x in sequence)]
    on_elements = naive.fwd_inv(p0, lambda o, _: witness(o), elements, [])
    is_map = naive.every(
        naive.equal(naive.tolerate(whole(s)), _listed([p0(x, None) for x in s])) for s in inputs
    )
    assert found == (((0,),) if on_elements and is_map in (True, "V") else ((),))


def _listed(terms: list[Entry]) -> Entry:
    special = [letter for letter in "DU" if letter in terms]
    return special[0] if special else terms
