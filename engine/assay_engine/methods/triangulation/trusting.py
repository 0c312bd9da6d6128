"""Decides which samples an agreement trusts, and whether more witnesses could change that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from assay_engine.methods.triangulation.formulas.evaluate import Agreement
from assay_engine.methods.triangulation.selection import Block, discriminating, ransac

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
    programs = _programs(found.block, voters)
    if any(
        contradict(one, other)
        for rival in found.rivals
        for one in programs
        for other in _programs(rival, voters)
    ):
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


def _programs(block: Block, voters: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(voters[each] for each in block.programs))
