"""What takes long and is the same for all processes of a test run is made by one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder that `make` has filled, here or in another process of this run."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        _wait_for(lock.fileno())
        if not made.exists():
            unfinished = folder / f"{name}.unfinished"
            unfinished.mkdir(exist_ok=True)
            make(unfinished)
            unfinished.rename(made)
    return made


def _wait_for(descriptor: int) -> None:
    if os.name == "posix":
        from fcntl import LOCK_EX, flock

        flock(descriptor, LOCK_EX)
