"""What is made of sets does not depend on the hash seed that Assay itself runs under."""

from __future__ import annotations

import subprocess
import sys

import pytest

OF_TYPES = """
from assay_engine.inputs.typed import typed_calls
from assay_engine.source.specification import specify
from assay_engine.source.units import find_units
from assay_sandbox import Call

text = 'def letters(words):\\n    "How many letters they have."\\n'
specification = specify(text, find_units(text)[0][0])
for call in typed_calls(specification, [Call(({"ab", "cd", "ef"},))], count=20, seed=0)[0]:
    print(sorted(call.args[0]))
"""
OF_SMALLER_ONES = """
from assay_engine.search.shrinking import smaller_values
from assay_sandbox import encode

for value in smaller_values({frozenset("ab"), frozenset("bc"), frozenset("ac")}):
    print(encode(value))
"""
OF_DIGESTS = """
from assay_engine.source.normalising import module_digest, normalised_digest

text = (
    "import os, re as r\\nfrom json import dumps, loads\\n"
    "A, B, C = 1, 2, 3\\n"
    "def helper(x, y):\\n    return {x, y, A, B, C, dumps}\\n"
    "def f(one, two):\\n    three = helper(one, two)\\n    return three, loads, os, r, unknown\\n"
)
for source in (text, text + "f = 1", text.replace("return", "yield"), "def f("):
    print(normalised_digest(source, "f"), module_digest(source))
"""


@pytest.mark.parametrize(
    "script", [OF_TYPES, OF_SMALLER_ONES, OF_DIGESTS], ids=["typed", "smaller", "digests"]
)
def test_the_hash_seed_decides_nothing(script: str) -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "012345"
    }

    assert len(said) == 1
    assert len(said.pop().splitlines()) > 3
