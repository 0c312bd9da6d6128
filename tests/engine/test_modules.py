"""Modules of the workspace are found as Python would, and never outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.source.imports import MODULES_MAX, SHAKEN_MODULES_MAX
from assay_engine.source.modules import absolute_name, workspace_modules
from support.given_modules import GivenModules
from support.specifying import specified


def workspace(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def check(root: Path, file: str, names: str) -> None:
    """The modules that come along with the only function of a file."""
    path = root / file
    specification = specified(path.read_text(), workspace=workspace_modules(path, root))
    assert " ".join(name for name, _ in specification.modules) == names


def test_a_package_is_found_from_its_outermost_folder(tmp_path: Path) -> None:
    files = {
        "lib/shop/__init__.py": "",
        "lib/shop/money/__init__.py": "from .rates import RATE\n",
        "lib/shop/money/rates.py": "from ..limits import LIMIT\nRATE = LIMIT\n",
        "lib/shop/limits.py": "import shop.unused_but_imported\nLIMIT = 1\n",
        "lib/shop/unused_but_imported.py": "",
        "lib/shop/not_imported.py": "",
        "lib/shop/bill.py": "from .money import RATE\ndef f(): return RATE\n",
    }
    workspace(tmp_path, files)
    names = "shop shop.limits shop.money shop.money.rates shop.unused_but_imported"
    check(tmp_path, "lib/shop/bill.py", names)


def test_a_package_of_which_no_module_comes_along_is_still_one(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/limits.py": "LIMIT = 1\n",
        "shop/money/__init__.py": "from ..limits import LIMIT\n",
        "shop/bill.py": "from .money import LIMIT\ndef f(): return LIMIT\n",
    }
    workspace(tmp_path, files)
    check(tmp_path, "shop/bill.py", "shop shop.limits shop.money shop.money.__init__")


LAYOUTS = {
    "beside the file": ("app/a.py", "import b", "app/b.py", "b"),
    "in the root": ("app/a.py", "import b.c", "b/c.py", "b.c"),
    "under src": ("tests/test_a.py", "from b import f as g", "src/b/__init__.py", "b b.__init__"),
    "without __init__": ("src/a/b/c.py", "from ..lib import g", "src/a/lib.py", "a.lib"),
    "beside it, without __init__": ("app/a.py", "from .b import g", "app/b.py", "app.b"),
    "a module by its package": ("a.py", "from b import c", "b/c.py", "b.c"),
    "not the standard library": ("a.py", "import types", "types.py", ""),
    "not above the root": ("a.py", "from ..b import g", "b.py", ""),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_a_module_is_found(case: str, tmp_path: Path) -> None:
    file, imports, module, names = LAYOUTS[case]
    function = f"def f():\n    {imports}\n    return 1\n"
    workspace(tmp_path, {file: function, module: "def g(): return 1\n"})
    check(tmp_path, file, names)


def test_links_out_of_the_root_are_not_followed(tmp_path: Path) -> None:
    workspace(tmp_path, {"outside/b.py": "", "root/c.py": ""})
    (tmp_path / "root/b.py").symlink_to(tmp_path / "outside/b.py")
    (tmp_path / "root/d.py").symlink_to(tmp_path / "root/c.py")
    modules = workspace_modules(tmp_path / "root/a.py", tmp_path / "root")
    assert modules.source("b", 0) is None
    assert modules.source("d", 0) == ""


def test_files_that_are_no_modules_are_not_there(tmp_path: Path) -> None:
    files = {"large.py": "#" * 3_000_000, "coded.py": "# coding: nonsense\n", "dir.py/x": ""}
    workspace(tmp_path, files)
    (tmp_path / "bytes.py").write_bytes(b"\xff")
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\n# \xe9")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    modules = workspace_modules(tmp_path / "a.py", tmp_path)
    for name in ("large", "coded", "dir", "bytes", "loop", "missing", "..x", "a-b"):
        assert modules.source(name, 0) is None
    assert modules.source("latin", 0) == "# coding: latin-1\n# é"


def test_what_comes_along_is_bounded() -> None:
    text = "import a\ndef f(): return a\n"
    endless = {"a" + "x" * n: f"import a{'x' * (n + 1)}" for n in range(2 * SHAKEN_MODULES_MAX)}
    assert len(specified(text, workspace=GivenModules(endless)).modules) == MODULES_MAX
    huge = GivenModules({"a": f"x = '{'#' * (2 << 20)}'"})
    assert specified(text, workspace=huge).modules == ()


def test_relative_imports_are_made_absolute_in_what_is_run_and_shown(tmp_path: Path) -> None:
    text = """\
from . import rates
from .rates import (
    RATE,  # the rate
)
from .. import limits as li
class C:
    def m(self):
        from.rates import RATE as R
        from ...too import high
        return rates, RATE, li, R
"""
    files = {"p/__init__.py": "", "p/q/__init__.py": "", "p/q/a.py": text}
    workspace(tmp_path, files)
    specification = specified(text, workspace=workspace_modules(tmp_path / "p/q/a.py", tmp_path))
    assert "from p.q import rates\nfrom p.q.rates import (\n    RATE,  # the rate\n)\n" in (
        specification.context
    )
    assert "from p import limits as li\n" in specification.context
    assert "        from p.q.rates import RATE as R\n" in specification.program
    assert "from ...too import high\n" in specification.program


def test_without_a_package_relative_imports_are_of_the_modules_beside() -> None:
    text = "from .b import X\nfrom . import c\ndef f(): return X, c\n"
    specification = specified(text, workspace=GivenModules({"b": "X = 1", "c": ""}, level=1))
    assert specification.modules == (("b", "X = 1"), ("c", ""))
    assert specification.context == "from b import X\nimport c\n"


@pytest.mark.parametrize(
    ("module", "level", "package", "absolute"),
    [
        ("a.b", 0, "p.q", "a.b"),
        ("a", 1, "p.q", "p.q.a"),
        ("a", 2, "p.q", "p.a"),
        ("a", 3, "p.q", None),
        ("a", 2, "", None),
        ("", 1, "p", "p"),
        ("", 1, "", ""),
    ],
)
def test_names_are_resolved(module: str, level: int, package: str, absolute: str | None) -> None:
    assert absolute_name(module, level, package) == absolute


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ('f"shop.formats.{name}"', "shop shop.formats shop.formats.html shop.formats.text"),
        ('"shop.formats." + name', "shop shop.formats shop.formats.html shop.formats.text"),
        ('"shop.formats.%s" % name', "shop shop.formats shop.formats.html shop.formats.text"),
        (
            'f".formats.{name}", __package__',
            "shop shop.formats shop.formats.html shop.formats.text",
        ),
        ('".formats.html", "shop"', "shop shop.formats shop.formats.html"),
        ('"shop.limits"', "shop shop.limits"),
        ("name", "shop shop.bill shop.limits"),
        ('"json"', ""),
        ('f"json.{name}"', ""),
    ],
)
def test_what_is_imported_by_a_name_made_up_later_comes_along(
    tmp_path: Path, asked: str, names: str
) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/limits.py": "LIMIT = 1\n",
        "shop/formats/__init__.py": "",
        "shop/formats/html.py": "",
        "shop/formats/text.py": "",
        "shop/bill.py": f"import importlib\ndef f(name): return importlib.import_module({asked})\n",
    }
    workspace(tmp_path, files)
    check(tmp_path, "shop/bill.py", names)


def test_a_package_that_imports_its_modules_by_name_brings_them(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/formats/__init__.py": (
            "from importlib import import_module\n"
            "def of(name): return import_module(f'.{name}', __package__)\n"
        ),
        "shop/formats/html.py": "from ..limits import LIMIT\n",
        "shop/limits.py": "",
        "shop/other.py": "",
        "shop/bill.py": "from .formats import of\ndef f(name): return of(name)\n",
    }
    workspace(tmp_path, files)
    check(tmp_path, "shop/bill.py", "shop shop.formats shop.formats.html shop.limits")


def test_no_module_outside_is_found_by_name(tmp_path: Path) -> None:
    files = {
        "outside/secret.py": "",
        "root/bill.py": "def f(x): return __import__(f'linked.{x}')\n",
    }
    workspace(tmp_path, files)
    (tmp_path / "root/linked").symlink_to(tmp_path / "outside")
    check(tmp_path / "root", "bill.py", "")
