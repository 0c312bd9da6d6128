"""What is read of a text does not depend on the hash seed that Assay itself runs under."""

from __future__ import annotations

import subprocess
import sys

OF_DIGESTS = """
from assay_engine.dependencies.normalising import normalised_digest

text = (
    "import os, re as r\\nfrom json import dumps, loads\\n"
    "A, B, C = 1, 2, 3\\n"
    "def helper(x, y):\\n    return {x, y, A, B, C, dumps}\\n"
    "def f(one, two):\\n    three = helper(one, two)\\n    return three, loads, os, r, unknown\\n"
)
for source in (text, text + "f = 1", text.replace("return", "yield"), "def f("):
    print(normalised_digest(source, "f"))
"""


def test_the_hash_seed_decides_nothing() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", OF_DIGESTS],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "012345"
    }

    assert len(said) == 1
    assert len(said.pop().splitlines()) > 3
