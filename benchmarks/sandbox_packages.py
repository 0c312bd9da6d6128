"""What it saves to import a large package once for all programs, beside an import in each.

Both in the same sandbox, in turn, with what is started for them already there: an import inside of
another statement is left to the program.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Iterator
from itertools import product
from operator import truediv

from assay_sandbox import Call, Program, Returned, Sandbox
from assay_sandbox.keeping import TIERS_OF_PACKAGES

PROGRAMS = 10
CALLS = [Call((number,)) for number in range(100)]
# A package, and a use of it.
USES = {
    "numpy": "int(numpy.arange(x).sum())",
    "pandas": "int(pandas.Series(range(x), dtype='int64').sum())",
    "networkx": "len(networkx.path_graph(x))",
    "scipy.stats": "float(scipy.stats.norm.cdf(x))",
}


def package_lines(rounds: int) -> Iterator[str]:
    """A line for each tier that imports ahead, and each package that is installed."""
    for tier, (name, use) in product(TIERS_OF_PACKAGES, USES.items()):
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            yield f"{name}: not installed"
            continue
        body = f"def f(x):\n    return {use}\n"
        ahead = [Program(f"import {name}\n{body}# {n}\n", "f") for n in range(PROGRAMS)]
        inside = [Program(f"if True: import {name}\n{body}# {n}\n", "f") for n in range(PROGRAMS)]
        with Sandbox(tier=tier, workers=2) as sandbox:
            # So that what the first of them has started is there.
            _seconds(sandbox, ahead)
            _seconds(sandbox, inside)
            shared, own = [], []
            for _ in range(rounds):
                shared.append(_seconds(sandbox, ahead))
                own.append(_seconds(sandbox, inside))
        yield (
            f"tier {tier}: {PROGRAMS} programs that import {name}: "
            f"{statistics.median(own):.2f} s each by itself, "
            f"{statistics.median(shared):.2f} s imported once, "
            f"{statistics.median(map(truediv, own, shared)):.1f} times as long; "
            f"load {os.getloadavg()[0]:.1f}"
        )


def _seconds(sandbox: Sandbox, programs: list[Program]) -> float:
    began = time.perf_counter()
    found = sandbox.run_many(programs, CALLS)
    taken = time.perf_counter() - began
    assert all(isinstance(seen, Returned) for observations in found for seen in observations)
    return taken
