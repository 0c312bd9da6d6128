"""Keeps the real editors out of runs that did not ask for them: they take minutes."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "editors" in str(config.option.markexpr):
        return
    reason = pytest.mark.skip(reason="real editors are driven by make test-editors")
    for item in items:
        if item.get_closest_marker("editors"):
            item.add_marker(reason)
