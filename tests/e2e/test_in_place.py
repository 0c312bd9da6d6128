"""Functions run where they live: layouts of projects, and what a check says of each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Not by -m, which would put the project's own folder before the standard library.
ASSAY = str(Path(sys.executable).with_name("assay"))
FUNCTION = '''

def f(x: int = 1):
    """Say what this module finds.

    >>> f()
    {shown}
    """
    return {found}
'''


def module(head: str, found: str, shown: str) -> str:
    return head + FUNCTION.format(found=found, shown=shown)


# Each file with a function whose own example holds only if the module found what it looks for.
FOUND = {
    "src/shop/__init__.py": module("from .bill import f as total\nTAX = 7\n", "__name__", "'shop'"),
    "src/shop/bill.py": module(
        "from . import limits\nfrom .limits import LIMIT\nimport shop\n",
        "[x, LIMIT, limits.TWICE, shop.TAX]",
        "[1, 5, 10, 7]",
    ),
    # In a circle with the one before.
    "src/shop/limits.py": module("import shop.bill\nLIMIT = 5\nTWICE = 10\n", "LIMIT", "5"),
    "src/shop/types.py": module(
        "import types\n", "[__name__, types.__name__]", "['shop.types', 'types']"
    ),
    "src/shop/registry.py": module(
        "KNOWN = {}\nclass Keeping(type):\n    def __init__(cls, *given):\n"
        "        super().__init__(*given)\n        KNOWN[given[0]] = cls\n"
        "class Base(metaclass=Keeping):\n    pass\nimport shop.kinds\n",
        "sorted(KNOWN)",
        "['Base', 'Circle']",
    ),
    "src/shop/kinds.py": module(
        "from shop.registry import Base\nclass Circle(Base):\n    pass\n",
        "Circle.__name__",
        "'Circle'",
    ),
    "src/shop/rates.py": module(
        "import json\nfrom importlib import resources\nfrom pathlib import Path\n"
        "RATES = json.loads(Path(__file__).with_name('rates.json').read_text())\n",
        "[RATES, resources.files('shop').joinpath('rates.json').read_text()]",
        "[[3], '[3]']",
    ),
    "src/shop/plugins/loading.py": module(
        "import importlib, pkgutil\nimport shop.plugins as here\n"
        "NAMES = [each.name for each in pkgutil.iter_modules(here.__path__)]\n"
        "LAST = importlib.import_module(f'shop.plugins.{NAMES[-1]}')\n",
        "[NAMES, LAST.NAME]",
        "[['loading', 'one', 'two'], 2]",
    ),
    # A namespace package, which Git leaves out; and a script with a neighbour of its own.
    "spaces/inner/deep.py": module("from ..beside import HERE\n", "HERE", "'beside'"),
    "scripts/run.py": module(
        "import helper\nif __name__ == '__main__':\n    raise SystemExit(helper.main())\n",
        "helper.HELP",
        "'help'",
    ),
    # What works at the top of this script fails in the sandbox; the function does without.
    "scripts/report.py": module(
        "import sys, helper\nDATA = open(sys.argv[1]).read()\nprint(DATA)\n",
        "helper.HELP",
        "'help'",
    ),
    "tests/shared.py": module("from conftest import GIVEN\n", "GIVEN", "4"),
    "numbers.py": module("from constants import SIX\n", "SIX", "6"),
}
BESIDE = {
    "pyproject.toml": "",
    ".gitignore": "generated.py\n",
    "src/shop/rates.json": "[3]",
    "src/shop/plugins/__init__.py": "",
    "src/shop/plugins/one.py": "NAME = 1\n",
    "src/shop/plugins/two.py": "from shop.generated import VERSION\nNAME = VERSION\n",
    "src/shop/generated.py": "VERSION = 2\n",
    "spaces/beside.py": "HERE = 'beside'\n",
    "scripts/helper.py": "HELP = 'help'\n",
    "tests/conftest.py": "GIVEN = 4\n",
    "constants.py": "SIX = 6\n",
}
# Files whose function cannot be tried, and words of the reason.
REFUSED = {
    # As a model of Django does, whose settings an environment variable names.
    "src/shop/models.py": (
        (
            "import os\ndef base():\n    if 'SHOP_SETTINGS' not in os.environ:\n"
            "        raise RuntimeError('INSTALLED_APPS is asked for, but not configured. '\n"
            "            'You must define the variable SHOP_SETTINGS or call setup().')\n"
            "class Item(base()): pass\nX = Item\n"
        ),
        "You must define the variable SHOP_SETTINGS or call setup().), which has no network",
    ),
    "src/shop/settings.py": (
        "def chosen():\n    raise RuntimeError('nothing is configured')\nX = chosen()\n",
        "does not load in the sandbox (RuntimeError: nothing is configured)",
    ),
    "src/shop/lacking.py": (
        "from shop.needs import X\n",
        "No module named 'absent_package', in shop/needs.py, line 1",
    ),
    "src/shop/calling.py": (
        "import urllib.request\nX = urllib.request.urlopen('http://a.test')\n",
        "does not load in the sandbox (urllib.error.URLError",
    ),
}


def checked(root: Path, *more: str) -> dict[str, dict[str, Any]]:
    """The report on each file's function."""
    done = subprocess.run(
        [
            ASSAY,
            "check",
            *(more or ["."]),
            "--offline",
            "--format",
            "json",
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(root.parent / "home"), "PATH": "/usr/bin:/bin"},
    )
    try:
        reports = json.loads(done.stdout)["reports"]
    except ValueError:
        raise AssertionError(done.stderr) from None
    return {str(Path(each["path"])): each for each in reports if each["qualname"] == "f"}


def written(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    root = tmp_path_factory.mktemp("layouts") / "project"
    written(root, FOUND | BESIDE)
    written(root, {name: module(head, "X", "1") for name, (head, _) in REFUSED.items()})
    written(root, {"src/shop/needs.py": "import absent_package\nX = 1\n"})
    return checked(root)


@pytest.mark.parametrize("file", FOUND)
def test_a_function_finds_what_it_finds_in_life(
    file: str, reports: dict[str, dict[str, Any]]
) -> None:
    report = reports[file]
    assert [each["kind"] for each in report["problems"]] == ["offline"], report["problems"]
    assert report["findings"] == []


@pytest.mark.parametrize("file", REFUSED)
def test_what_does_not_load_says_why_and_accuses_nobody(
    file: str, reports: dict[str, dict[str, Any]]
) -> None:
    (problem,) = reports[file]["problems"]
    assert reports[file]["verdict"]["status"] == "unsupported"
    assert REFUSED[file][1] in problem["message"]
    assert "have its module import fewer" not in problem["message"]


def test_a_check_says_how_far_it_reaches(tmp_path: Path) -> None:
    written(
        tmp_path, {"a.py": module("", "x", "1"), "b.py": module("import absent\n", "absent.x", "1")}
    )
    for words in (["check", ".", "--offline"], ["doctor"]):
        done = subprocess.run(
            [ASSAY, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"},
        )
        assert "1 of 2 documented functions can be checked here; 1 import" in done.stdout, done
