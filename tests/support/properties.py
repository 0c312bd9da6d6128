"""Hypothesis' `given` without its deadline: how long an example takes depends on the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis


def given(*strategies: Any) -> Callable[[Any], Any]:
    def decorated(test: Any) -> Any:
        return hypothesis.settings(deadline=None)(hypothesis.given(*strategies)(test))

    return decorated
