"""Classes of samples that do the same.

Classes come from the relation ``p ≡ q`` of `triangulation.schemes.syntactic`: a sample that crashes
on an input agrees with nobody, itself included, and is in no class.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


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
