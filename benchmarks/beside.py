"""Seconds of something done with this commit, beside those of another one: both take turns."""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Mapping

# Seconds, done with the interpreter of that name.
Measure = Callable[[str], float]


def print_table(description: str, rows: Mapping[str, Measure]) -> None:
    """A row for each name: medians, and the median of the rounds' own ratios.

    The command line names the other commit by the interpreter of an environment that has it
    installed. Everything is done once before it is measured, so that byte code is there.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--beside", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    pythons = [sys.executable, *([options.beside] if options.beside else [])]
    print(f"| | {' | '.join(['this', 'beside', 'beside / this'][: 2 * len(pythons) - 1])} |")
    print("|---|" + "---:|" * (2 * len(pythons) - 1))
    for name, seconds in rows.items():
        for python in pythons:
            seconds(python)
        rounds = [[seconds(python) for python in pythons] for _ in range(options.rounds)]
        cells = [f"{statistics.median(each):.2f}" for each in zip(*rounds, strict=True)]
        if len(pythons) > 1:
            cells.append(f"{statistics.median(other / own for own, other in rounds):.2f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
