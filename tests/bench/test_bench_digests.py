"""Whole modules that no run can tell apart."""

from __future__ import annotations

import re

import pytest

from assay_bench.digests import module_digest

RUN_AS_IT_STANDS = {
    "a default": ("def f(x, n=1):\n    return n\n", "def f(x, n=2):\n    return n\n"),
    "a decorator": ("def f(x):\n    return x\n", "@print\ndef f(x):\n    return x\n"),
    "what the name is bound to in the end": (
        "def f(x):\n    return x\n",
        "def f(x):\n    return x\nf = len\n",
    ),
    "a statement nobody uses": ("def f(x):\n    return x\n", "assert 0\ndef f(x):\n    return x\n"),
    "an import nobody uses": (
        "def f(x):\n    return x\n",
        "import gone\ndef f(x):\n    return x\n",
    ),
    "what the name of a package stands for": (
        "def f(x):\n    import os.path as p\n    return p.basename(x)\n",
        "def f(x):\n    import os.path\n    return os.basename(x)\n",
    ),
    "an annotation": ("def f(x):\n    return x\n", "def f(x: Gone):\n    return x\n"),
}


@pytest.mark.parametrize(("one", "other"), RUN_AS_IT_STANDS.values(), ids=list(RUN_AS_IT_STANDS))
def test_of_a_module_everything_counts_that_importing_it_runs(one: str, other: str) -> None:
    assert module_digest(one) != module_digest(other)


def test_of_a_module_nothing_counts_that_no_run_can_tell() -> None:
    one = "def f(x):\n    total = x\n    return total\n"
    other = '# f\ndef f(x):\n    """Say x."""\n    result = x  # it\n    return result\n'
    assert module_digest(one) == module_digest(other)


@pytest.mark.parametrize(
    "source", ["", "def f(", "x = 1", "\x00", "\ud800", f"def f(): {'-' * 900}x"]
)
def test_every_text_has_a_digest(source: str) -> None:
    assert re.fullmatch("[0-9a-f]{64}", module_digest(source))
