"""Small projects on disk for programs that live in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay_sandbox import OWN_MODULE, Place


def placed(root: Path, files: Mapping[str, str], module: str = OWN_MODULE) -> Place:
    """Write the files of a project; the place of one of its modules, at which all can be read."""
    root = root.resolve()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    start = root.joinpath(*module.split("."))
    own = start / "__init__.py" if start.is_dir() else start.with_suffix(".py")
    every = tuple(sorted(str(root / name) for name in files))
    return Place(module, str(own), (str(root),), every)
