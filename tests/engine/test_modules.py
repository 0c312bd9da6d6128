"""Modules of the workspace are found as Python would, and never outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.dependencies.modules import absolute_name, workspace_modules
from assay_sandbox import Place
from support.specifying import specified


def workspace(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def place(root: Path, file: str) -> Place | None:
    """Where the only function of a file runs."""
    path = root / file
    return specified(path.read_text(), workspace=workspace_modules(path, root)).place


# File, imports, another module of the project; the name that the file runs under, and its roots.
# Without a name it needs nothing beside it, and runs alone.
LAYOUTS = {
    "beside the file": ("app/a.py", "import b", "app/b.py", "app.a", "app ."),
    "in the root": ("app/a.py", "import b.c", "b/c.py", "app.a", "app ."),
    "under src": (
        "tests/a.py",
        "from b import f as g",
        "src/b/__init__.py",
        "tests.a",
        "tests src .",
    ),
    "in a package": ("src/p/a.py", "import json", "src/p/__init__.py", "p.a", "src ."),
    "a package itself": ("p/__init__.py", "import json", "p/b.py", "p", "."),
    "without __init__": (
        "src/a/b/c.py",
        "from ..lib import g",
        "src/a/lib.py",
        "a.b.c",
        "src/a/b src .",
    ),
    "a module by its package": ("a.py", "from b import c", "b/c.py", "a", "."),
    "named like the standard library's": ("json.py", "import b", "b.py", "__mp_main__", "."),
    "no module's name": ("my-script.py", "import b", "b.py", "__mp_main__", "."),
    "a notebook": ("day.ipynb", "import b", "b.py", "__mp_main__", "."),
    "not the standard library": ("a.py", "import types", "types.py", "", ""),
    "not above the root": ("a.py", "from ..b import g", "b.py", "", ""),
    "looks for files": ("a.py", "x = __file__", "b.py", "a", "."),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_a_file_runs_where_its_project_imports_it(case: str, tmp_path: Path) -> None:
    file, imports, module, name, roots = LAYOUTS[case]
    workspace(tmp_path, {file: f"def f():\n    {imports}\n    return 1\n", module: ""})
    found = place(tmp_path, file)
    assert (found.module if found else "") == name
    assert [*(found.roots if found else ())] == [str(tmp_path / each) for each in roots.split()]


def test_links_out_of_the_root_are_not_followed(tmp_path: Path) -> None:
    workspace(tmp_path, {"outside/b.py": "", "root/c.py": ""})
    (tmp_path / "root/b.py").symlink_to(tmp_path / "outside/b.py")
    (tmp_path / "root/d.py").symlink_to(tmp_path / "root/c.py")
    modules = workspace_modules(tmp_path / "root/a.py", tmp_path / "root")
    assert modules.find("b") is None
    assert modules.find("d") == (tmp_path / "root/d.py", "")


def test_files_that_are_no_modules_are_not_there(tmp_path: Path) -> None:
    files = {"large.py": "#" * 3_000_000, "coded.py": "# coding: nonsense\n", "dir.py/x": ""}
    workspace(tmp_path, files)
    (tmp_path / "bytes.py").write_bytes(b"\xff")
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\n# \xe9")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    modules = workspace_modules(tmp_path / "a.py", tmp_path)
    for name in ("large", "coded", "dir", "bytes", "loop", "missing", "..x", "a-b"):
        assert modules.find(name) is None
    assert modules.find("latin") == (tmp_path / "latin.py", "# coding: latin-1\n# é")


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


def test_without_a_package_relative_imports_are_of_the_modules_beside(tmp_path: Path) -> None:
    text = "from .b import X\nfrom . import c\ndef f(): return X, c\n"
    workspace(tmp_path, {"a.py": text, "b.py": "X = 1", "c.py": ""})
    specification = specified(text, workspace=workspace_modules(tmp_path / "a.py", tmp_path))
    assert specification.workspace_roots == {"b", "c"}
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
