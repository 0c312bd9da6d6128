"""Makes every run draw the same random numbers."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def seeder(seed: int) -> Callable[[], None]:
    """A function that seeds before each call. It costs more than a cheap call does."""
    import random

    seed_standard = random.seed

    def again() -> None:
        seed_standard(seed)
        seed_numpy = _seed_of_numpy()
        if seed_numpy is not None:
            seed_numpy(seed & 0xFFFFFFFF)

    return again


def unseed_packages() -> None:
    """Leave packages as a program finds them that has just imported them: not seeded."""
    seed_numpy = _seed_of_numpy()
    if seed_numpy is not None:
        seed_numpy()


def _seed_of_numpy() -> Any:
    # Reading the attribute loads the submodule, which must not first happen in a call. Another
    # module of that name may have no such attribute.
    return getattr(getattr(sys.modules.get("numpy"), "random", None), "seed", None)


def seed_now(seed: int) -> None:
    """Seed every generator that is loaded."""
    seeder(seed)()
