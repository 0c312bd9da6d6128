"""One sandbox for most tests, and environments with a package for some."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assay_sandbox import Sandbox, SandboxUnavailable, keeping
from support.packages import RUNNING, TELLING, Opening, is_ahead, why_not


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
    return _opening(str(request.param))


@pytest.fixture(scope="module", params=keeping.TIERS_OF_PACKAGES)
def ahead(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sandbox]:
    """One sandbox of each such tier, for programs alone: its `numpy` is imported ahead."""
    opening = _opening(str(request.param))
    with opening(_environment(tmp_path_factory.mktemp("ahead"), TELLING, RUNNING)) as sandbox:
        assert is_ahead(sandbox)
        yield sandbox


def _opening(tier: str) -> Opening:
    reason = why_not(tier)
    if reason:
        pytest.skip(reason)
    return Opening(tier)


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a virtual environment whose `numpy` has this text."""

    def make(source: str, python: Path = RUNNING) -> Path:
        return _environment(tmp_path / "environment", source, python)

    return make


def _environment(folder: Path, source: str, python: Path) -> Path:
    name = python.name if python != RUNNING else f"python3.{sys.version_info.minor}"
    packages = folder / "lib" / name / "site-packages"
    packages.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {python.parent}\n", encoding="utf-8")
    (packages / "numpy.py").write_text(source, encoding="utf-8")
    return folder
