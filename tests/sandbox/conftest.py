"""One sandbox for most tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay_sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as shared:
        yield shared
