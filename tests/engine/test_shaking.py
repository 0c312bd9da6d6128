"""Of a workspace with more modules than may come along, what a function needs of them does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay_engine.source.imports import MODULES_MAX
from assay_engine.source.modules import workspace_modules
from assay_engine.types import Specification
from support.specifying import specified

# More modules than may come along whole, all of which the package has names from.
CROWD = {f"shop/part{number}.py": f"VALUE_{number} = {number}\n" for number in range(MODULES_MAX)}
GATHERING = "".join(f"from .part{number} import VALUE_{number}\n" for number in range(MODULES_MAX))
PRICES = """\
from .limits import LIMIT
from . import part1


def rate():
    return LIMIT


def other():
    return part1.VALUE_1
"""
RATE = "from .limits import LIMIT\ndef rate():\n    return LIMIT\n"
ANNOTATED = """\
from __future__ import annotations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import VALUE_1


def limit() -> VALUE_1:
    return 5
"""
BY_NAME = """\
from importlib import import_module
from . import VALUE_1


def f():
    return import_module(f"shop.kinds.{chr(111)}ne").LIMIT + 0 * VALUE_1
"""


def in_shop(root: Path, files: dict[str, str], text: str) -> Specification:
    whole = {"shop/__init__.py": GATHERING} | CROWD | files | {"shop/bill.py": text}
    for name, content in whole.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return specified(text, "f", workspace_modules(root / "shop/bill.py", root))


def gives(root: Path, specification: Specification) -> str:
    """What ``f()`` gives with the modules that come along and no others."""
    served = root / "served"
    names = [name for name, _ in specification.modules]
    for name, text in specification.modules:
        is_package = any(each.startswith(f"{name}.") for each in names)
        path = served.joinpath(*name.split("."), *(["__init__"] if is_package else []))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(text)
    command = f"{specification.program}\nprint(f())"
    ended = subprocess.run(
        [sys.executable, "-c", command], cwd=served, capture_output=True, text=True, check=True
    )
    return ended.stdout.strip()


LIMITS = "LIMIT = 5\nOTHER = 1\n"
# By what the function imports: the rest of the workspace, the function, and what comes along.
DIVIDED = """\
import decimal
from .limits import LIMIT


def f():
    return len(str(decimal.Decimal(1) / 3)) * LIMIT // 5
"""
PRECISE = "import decimal\n\ndecimal.getcontext().prec = 3\n" + GATHERING
SHAKEN = {
    "what the package above sets up": (
        {"shop/__init__.py": PRECISE, "shop/prices.py": PRICES, "shop/limits.py": LIMITS},
        DIVIDED,
        {
            "shop": "import decimal\ndecimal.getcontext().prec = 3\n",
            "shop.limits": "LIMIT = 5\n",
        },
    ),
    "a name": (
        {"shop/prices.py": PRICES, "shop/limits.py": LIMITS},
        "from .prices import rate\ndef f(): return rate()\n",
        {"shop.limits": "LIMIT = 5\n", "shop.prices": RATE},
    ),
    "a name from above": (
        {"shop/prices.py": PRICES, "shop/limits.py": LIMITS},
        "from shop import VALUE_7\ndef f(): return VALUE_7 - 2\n",
        {"shop": "from .part7 import VALUE_7\n", "shop.part7": "VALUE_7 = 7\n"},
    ),
    "a module by its attributes": (
        {"shop/prices.py": PRICES, "shop/limits.py": LIMITS},
        "from . import limits\ndef f(): return limits.LIMIT\n",
        {"shop.limits": "LIMIT = 5\n"},
    ),
    "a module as it is": (
        {"shop/prices.py": PRICES, "shop/limits.py": LIMITS},
        "from . import limits\ndef f(): return vars(limits)['LIMIT']\n",
        {"shop.limits": LIMITS},
    ),
    "a name behind stars": (
        {
            "shop/all/__init__.py": "from .first import *\nfrom .second import *\n",
            "shop/all/first.py": "A = 1\nB = 2\n",
            "shop/all/second.py": "from ..limits import *\nC = 3\n",
            "shop/limits.py": LIMITS,
        },
        "from .all import LIMIT\ndef f(): return LIMIT\n",
        {
            "shop.all": "from .first import *\nfrom .second import *\n",
            "shop.all.second": "from ..limits import *\n",
            "shop.limits": "LIMIT = 5\n",
        },
    ),
    "a name bound at run time": (
        {"shop/limits.py": "globals()['LIM' + 'IT'] = 5\n"},
        "from .limits import LIMIT\ndef f(): return LIMIT\n",
        {"shop.limits": "globals()['LIM' + 'IT'] = 5\n"},
    ),
    "a name that only annotations need": (
        {"shop/limits.py": ANNOTATED},
        "from .limits import limit\ndef f(): return limit()\n",
        {"shop.limits": ANNOTATED.replace("\n\n", "\n").replace("\n\n", "\n")},
    ),
    "a module by a name made up": (
        {"shop/kinds/__init__.py": "", "shop/kinds/one.py": "LIMIT = 5\n"},
        BY_NAME,
        {
            "shop": "from .part1 import VALUE_1\n",
            "shop.part1": "VALUE_1 = 1\n",
            "shop.kinds.one": "LIMIT = 5\n",
        },
    ),
}


@pytest.mark.parametrize("kind", SHAKEN)
def test_what_is_needed_of_many_modules_comes_along(tmp_path: Path, kind: str) -> None:
    files, text, modules = SHAKEN[kind]
    specification = in_shop(tmp_path, files, text)
    found = {name: each for name, each in specification.modules if each.strip()}
    assert found == modules
    assert gives(tmp_path, specification) == "5"


@pytest.mark.parametrize(
    ("registry", "names"),
    [
        ("KNOWN = {}\ndef note(name, value): KNOWN[name] = value\n", "KNOWN"),
        ("KNOWN = []\ndef note(value):\n    KNOWN.append(value)\n    return value\n", "KNOWN"),
        ("KNOWN = 1\ndef note(value):\n    global KNOWN\n    KNOWN = value\n", "KNOWN"),
    ],
)
def test_what_other_modules_register_is_not_shaken_off(
    tmp_path: Path, registry: str, names: str
) -> None:
    text = f"from .registry import {names}\ndef f(): return {names}\n"
    specification = in_shop(tmp_path, {"shop/registry.py": registry}, text)
    assert dict(specification.modules)["shop.registry"] == registry
    assert len([name for name, _ in specification.modules if name.startswith("shop.part")]) > 40


def test_stars_that_meet_again_are_followed_once(tmp_path: Path) -> None:
    # Two ways from each to the next: as many paths as two to the thirtieth.
    layers = {
        f"shop/layer{number}{side}.py": "".join(
            f"from .layer{number + 1}{other} import *\n" for other in "ab"
        )
        for number in range(30)
        for side in "ab"
    }
    files = {**layers, "shop/layer30a.py": "LIMIT = 5\n", "shop/layer30b.py": "OTHER = 1\n"}
    text = "from .layer0a import LIMIT\ndef f(): return LIMIT\n"
    modules = dict(in_shop(tmp_path, files, text).modules)
    assert (modules["shop.layer30a"], modules["shop.layer30b"]) == ("LIMIT = 5\n", "")


def test_what_examples_import_comes_along(tmp_path: Path) -> None:
    shown = ">>> from shop.prices import rate\n    >>> rate() - f()\n    0\n"
    function = f'def f():\n    """Doc.\n\n    {shown}    """\n    return LIMIT\n'
    text = f"from .limits import LIMIT\n{function}"
    files = {"shop/prices.py": PRICES, "shop/limits.py": LIMITS}
    modules = dict(in_shop(tmp_path, files, text).modules)
    assert modules["shop.prices"] == RATE


def test_few_modules_come_along_as_they_are(tmp_path: Path) -> None:
    files = {"shop/__init__.py": "", "shop/prices.py": PRICES, "shop/limits.py": LIMITS}
    specification = in_shop(tmp_path, files, "from .prices import rate\ndef f(): return rate()\n")
    assert dict(specification.modules)["shop.prices"] == PRICES
    assert dict(specification.modules)["shop.limits"] == LIMITS
