"""Decides which samples an agreement trusts, and whether more witnesses could change that.

That is the largest block of samples and witnesses that all agree with each other. Paper, section
5.3 (as in CodeT): choose programs P and witnesses Q, such that every program in P agrees with every
witness in Q, to maximise ``|P| · |Q|``. Samples are counted, so two samples with the same text
count as two. Overlapping sets of witnesses are allies, not rivals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations

from msgspec import Struct

from assay_engine.methods.triangulation.formulas.evaluate import Agreement

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
    # All intersections of the programs' sets of witnesses. The best block has one of these.
    distinct = dict.fromkeys(rows)
    closed = set(distinct)
    for row in distinct:
        closed |= {row & each for each in closed}
        if len(closed) > CLOSED_SETS_MAX:
            break
    blocks = [
        Block(programs, tuple(sorted(witnesses)))
        for witnesses in closed - {frozenset()}
        if len(witnesses) >= least_witnesses
        and len(programs := tuple(n for n, row in enumerate(rows) if witnesses <= row))
        >= least_programs
    ]
    if not blocks:
        return None
    alike = Counter(program_classes or ())

    def rank(block: Block) -> tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]:
        witnesses, programs = block.witnesses, block.programs
        kinds = witnesses if witness_classes is None else {witness_classes[q] for q in witnesses}
        largest = 1 if program_classes is None else max(alike[program_classes[p]] for p in programs)
        return -block.score, -len(kinds), -len(programs), -largest, programs, witnesses

    best, *others = sorted(blocks, key=rank)
    rivals = (each for each in others if each.score == best.score)
    return Consensus(
        best, tuple(each for each in rivals if set(each.programs).isdisjoint(best.programs))
    )


def behaviour_classes(equivalent: Sequence[Collection[int]]) -> tuple[tuple[int, ...], ...]:
    """The classes of samples, largest first and then earliest, from the relation of `SYNTACTIC`.

    A sample that crashes on an input agrees with nobody, itself included, and is in no class. Each
    sample is compared with the first member of a class, so that tolerance cannot chain a class
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

    This is for exact problems only, where two right solutions cannot differ. The third clause does
    not catch an over-permissive witness if the right outputs are missing. Such a witness is caught
    here because it agrees with two samples that contradict each other. `contradict` tells whether
    two samples return different values on some shared input.
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


# One witness may agree by chance. The paper requires one, the close reading suggests two.
WITNESSES_MIN = 2


class Trusted(Struct, frozen=True):
    """`programs` are the indices of the forward programs that all of `witnesses` confirm. `chosen`
    is one of these, from the class with the most samples. If groups of equal weight contradict each
    other, there is none of these, and `conflict` is true."""

    programs: tuple[int, ...] = ()
    witnesses: tuple[int, ...] = ()
    chosen: int | None = None
    conflict: bool = False


def trusted_by(
    agreement: Agreement,
    weights: Sequence[int],
    classes: Sequence[int],
    witness_classes: Sequence[int],
    contradict: Callable[[int, int], bool],
    *,
    is_exact: bool,
) -> Trusted:
    """The trusted group. `weights` count the samples of each forward program; weight 0 has no vote.

    In exact problems, a witness that agrees with programs that contradict each other is ignored.
    """
    voters = [index for index, weight in enumerate(weights) for _ in range(weight)]
    rows = discriminating(agreement, contradict) if is_exact else agreement
    found = ransac(
        [rows[index] for index in voters],
        witness_classes=witness_classes,
        program_classes=[classes[index] for index in voters],
    )
    # Only the largest block counts. Otherwise a smaller block with more witnesses would be trusted
    # against a larger one that may yet be right.
    if found is None or len(found.block.witnesses) < WITNESSES_MIN:
        return Trusted()
    programs = tuple(dict.fromkeys(voters[each] for each in found.block.programs))
    rivals = {voters[each] for rival in found.rivals for each in rival.programs}
    if any(contradict(one, other) for one in programs for other in rivals):
        return Trusted(conflict=True)
    in_class = {
        index: sum(weights[j] for j in programs if classes[j] == classes[index])
        for index in programs
    }
    chosen = max(programs, key=lambda index: (in_class[index], -index))
    return Trusted(programs, found.block.witnesses, chosen)


def is_settled(
    trusted: Trusted,
    agreement: Agreement,
    weights: Sequence[int],
    classes: Sequence[int],
    remaining: int,
    *,
    is_exact: bool,
) -> bool:
    """Whether no outcome of the remaining witness samples could select other programs.

    Credits every rival with all of its samples, all its witnesses, and all that may still come.
    """
    if trusted.chosen is None:
        return False
    score = sum(weights[index] for index in trusted.programs) * len(trusted.witnesses)
    others = [index for index in range(len(weights)) if index not in trusted.programs]
    # In an exact problem, samples of different classes cannot share a witness for long, so each
    # class is a rival by itself.
    groups = (
        [[i for i in others if classes[i] == each] for each in {classes[i] for i in others}]
        if is_exact
        else [others]
    )
    return all(
        sum(weights[i] for i in group) * (len({q for i in group for q in agreement[i]}) + remaining)
        < score
        for group in groups
    )
