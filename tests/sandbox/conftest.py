"""One sandbox for most tests, and environments with a package for some."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay_sandbox import Sandbox, SandboxUnavailable, keeping
from support.packages import RUNNING, Opening, why_not


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as shared:
        yield shared


@pytest.fixture(scope="session")
def in_tier() -> Iterator[Callable[[str], Sandbox]]:
    """One sandbox of each tier; whoever wants one that is not to be had here is skipped."""
    boxes: dict[str, Sandbox] = {}
    reasons: dict[str, str] = {}
    with ExitStack() as opened:

        def in_tier(tier: str) -> Sandbox:
            if tier not in boxes | reasons:
                box = opened.enter_context(Sandbox(tier=tier))
                try:
                    box.start()
                except SandboxUnavailable as error:
                    reasons[tier] = error.reason
                else:
                    boxes[tier] = box
            if tier in reasons:
                pytest.skip(reasons[tier])
            return boxes[tier]

        yield in_tier


@pytest.fixture(params=keeping.TIERS_OF_PACKAGES)
def opened(request: pytest.FixtureRequest) -> Opening:
    tier = str(request.param)
    reason = why_not(tier)
    if reason:
        pytest.skip(reason)
    return Opening(tier)


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a virtual environment whose `numpy` has this text."""

    def make(source: str, python: Path = RUNNING) -> Path:
        name = python.name if python != RUNNING else f"python3.{sys.version_info.minor}"
        folder = tmp_path / "environment"
        packages = folder / "lib" / name / "site-packages"
        packages.mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text(f"home = {python.parent}\n", encoding="utf-8")
        (packages / "numpy.py").write_text(source, encoding="utf-8")
        return folder

    return make
