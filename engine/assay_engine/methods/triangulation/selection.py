"""The largest block of samples and witnesses that all agree with each other.

Paper, section 5.3 (as in CodeT): choose programs P and witnesses Q, such that every program in P
agrees with every witness in Q, to maximise ``|P| · |Q|``. Samples are counted, so two samples with
the same text count as two. Overlapping sets of witnesses are allies, not rivals.

Classes of samples that do the same.

Classes come from the relation ``p ≡ q`` of `SYNTACTIC`: a sample that crashes
on an input agrees with nobody, itself included, and is in no class.

Drops witnesses that cannot tell right from wrong: the third clause, at the level of samples.

This is for exact problems only, where two right solutions cannot differ. The third clause does not
catch an over-permissive witness if the right outputs are missing. Such a witness is caught here
because it agrees with two samples that contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations

from msgspec import Struct

# Up to this many closed sets of witnesses, the best block is exact; 30 samples of a real model have
# a few hundred. With more closed sets, the best block among those found so far is taken.
CLOSED_SETS_MAX = 20_000


class Block(Struct, frozen=True):
    """Indices of samples and of witness samples, in order."""

    programs: tuple[int, ...]
    witnesses: tuple[int, ...]

    @property
    def score(self) -> int:
        return len(self.programs) * len(self.witnesses)


class Consensus(Struct, frozen=True):
    """The block that was chosen, and others of the same score that share no program with it.

    If there are such rivals, the choice is arbitrary: say so, or abstain.
    """

    block: Block
    rivals: tuple[Block, ...] = ()


def ransac(
    agreement: Sequence[Collection[int]],
    *,
    witness_classes: Sequence[int] | None = None,
    program_classes: Sequence[int] | None = None,
    least_programs: int = 1,
    least_witnesses: int = 1,
) -> Consensus | None:
    """The largest block of an agreement (the witnesses of each program).

    None if no block has at least `least_programs` programs and `least_witnesses` witnesses. Of
    equally large blocks, the one with more classes of witnesses is chosen, then the one with more
    programs, with the larger class of programs, and with the earliest programs. Classes are given
    as a number per sample. If they are not given, every sample is a class of its own.
    """
    rows = [frozenset(witnesses) for witnesses in agreement]
    blocks = [
        block
        for block in (_block(witnesses, rows) for witnesses in _closed_sets(rows))
        if len(block.programs) >= least_programs and len(block.witnesses) >= least_witnesses
    ]
    if not blocks:
        return None

    def rank(block: Block) -> tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]:
        return (
            -block.score,
            -_distinct(block.witnesses, witness_classes),
            -len(block.programs),
            -_largest(block.programs, program_classes),
            block.programs,
            block.witnesses,
        )

    best, *others = sorted(blocks, key=rank)
    rivals = (each for each in others if each.score == best.score)
    return Consensus(
        best, tuple(each for each in rivals if set(each.programs).isdisjoint(best.programs))
    )


def _closed_sets(rows: Collection[frozenset[int]]) -> set[frozenset[int]]:
    """All intersections of the programs' sets of witnesses. The best block has one of these."""
    distinct = dict.fromkeys(rows)
    closed = set(distinct)
    for row in distinct:
        closed |= {row & each for each in closed}
        if len(closed) > CLOSED_SETS_MAX:
            break
    return closed - {frozenset()}


def _block(witnesses: frozenset[int], rows: Sequence[frozenset[int]]) -> Block:
    programs = (index for index, row in enumerate(rows) if witnesses <= row)
    return Block(tuple(programs), tuple(sorted(witnesses)))


def _distinct(members: Sequence[int], classes: Sequence[int] | None) -> int:
    return len(members if classes is None else {classes[member] for member in members})


def _largest(members: Sequence[int], classes: Sequence[int] | None) -> int:
    if classes is None:
        return 1
    return max(sum(each == classes[member] for each in classes) for member in members)


def behaviour_classes(equivalent: Sequence[Collection[int]]) -> tuple[tuple[int, ...], ...]:
    """The classes of samples, largest first and then earliest, from a relation among samples.

    Each sample is compared with the first member of a class, so that tolerance cannot chain a class
    across a distance.
    """
    classes: list[list[int]] = []
    for index, others in enumerate(equivalent):
        if index not in others:
            continue
        for members in classes:
            if members[0] in others:
                members.append(index)
                break
        else:
            classes.append([index])
    return tuple(map(tuple, sorted(classes, key=lambda members: -len(members))))


def discriminating(
    agreement: Sequence[Collection[int]], contradict: Callable[[int, int], bool]
) -> tuple[tuple[int, ...], ...]:
    """The agreement (the witnesses of each sample) without witnesses of contradicting samples.

    `contradict` tells whether two samples return different values on some shared input.
    """
    by_witness: dict[int, list[int]] = {}
    for sample, witnesses in enumerate(agreement):
        for witness in sorted(set(witnesses)):
            by_witness.setdefault(witness, []).append(sample)
    # Many witnesses confirm the same samples, so test each set of samples only once.
    permissive = {
        members: any(contradict(left, right) for left, right in combinations(members, 2))
        for members in map(tuple, by_witness.values())
    }
    return tuple(
        tuple(each for each in sorted(set(found)) if not permissive[tuple(by_witness[each])])
        for found in agreement
    )
