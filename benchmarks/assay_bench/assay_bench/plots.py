"""The scatter of error against incoherence: figure 2 of arXiv:2507.00057 (3 in the long version).

Its neighbour in the long version, figure 2 there, is a diagram of the workflow and has no data.
Needs the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from assay_bench.metrics import Point

FIGURE = "incoherence-error"
FORMATS = ("png", "svg")
MISSING = "no plots without Matplotlib; `pip install matplotlib` into Assay's own environment"

Panel = tuple[str, Sequence[Point]]


def draw(folder: Path, panels: Sequence[Panel]) -> bool:
    """Write the figure into the folder, panels by title side by side; False without Matplotlib.

    The same points give the same bytes under the same version of Matplotlib.
    """
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        return False
    # Without this, the names inside an SVG are random.
    with matplotlib.rc_context({"svg.hashsalt": FIGURE, "font.size": 9}):
        figure = _figure(panels)
        for kind in FORMATS:
            dated = {"Date": None} if kind == "svg" else {}
            figure.savefig(folder / f"{FIGURE}.{kind}", dpi=150, metadata=dated)
    return True


def _figure(panels: Sequence[Panel]) -> Any:
    # Use the object and not `pyplot`: it needs no display and leaves nothing global behind. A
    # `constrained` layout leaves no room for the titles of side-by-side axes of a fixed aspect.
    figure = import_module("matplotlib.figure").Figure(
        figsize=(4.0 * len(panels), 4.0), layout="compressed"
    )
    for axes, (title, points) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        axes.plot((0.0, 1.0), (0.0, 0.5), "--", color="0.4", label="error = incoherence / 2")
        axes.scatter(
            [point.incoherence for point in points],
            [point.error for point in points],
            s=14,
            alpha=0.5,
            linewidths=0,
        )
        axes.set(title=title, xlabel="incoherence", ylabel="error")
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
        axes.legend(loc="lower right", frameon=False)
    return figure
