"""What the architecture promises, held against the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "benchmarks/assay_bench/assay_bench",
    "lsp_server/assay_lsp",
    "engine/assay_engine",
    "sandbox/assay_sandbox",
)


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    outcome = subprocess.run(
        [str(linter)], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert outcome.returncode == 0, outcome.stdout


def test_nothing_optional_is_loaded_before_it_is_asked_for() -> None:
    """The command line, the engine and what shows a report are loaded here, and no method's code:
    each has its constants, on which the key of a stored report depends, apart."""
    loading = (
        "import sys, assay_engine.engine, assay_engine.cli.check, assay_engine.cli.mcp.answers\n"
        "import assay_engine.pages.evidence_page\n"
        "print([name for name in sys.modules if name.startswith('assay_engine.methods')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", loading], capture_output=True, text=True, timeout=60, check=True
    )
    assert found.stdout == "[]\n"


def test_the_worker_imports_the_standard_library_alone() -> None:
    worker = ROOT / "sandbox/assay_sandbox/worker"
    foreign = {
        (path.name, name)
        for path in worker.rglob("*.py")
        for name in _imports(path)
        if name not in sys.stdlib_module_names
    }
    assert foreign == set()


def test_outer_folders_hold_no_python() -> None:
    loose = [path for package in PACKAGES for path in (ROOT / package).parent.glob("*.py")]
    assert loose == []


def test_nothing_is_unpickled_or_evaluated_on_our_side() -> None:
    forbidden = {"pickle", "shelve", "dill", "cloudpickle"}
    found: set[tuple[str, str]] = set()
    for path in _host_files():
        found |= {(path.name, name) for name in _imports(path) if name in forbidden}
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("eval", "exec")
            ):
                found.add((path.name, node.func.id))
            # Writing inputs for the child with `marshal` is fine; reading what it wrote is not.
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("load", "loads")
                and isinstance(node.value, ast.Name)
                and node.value.id == "marshal"
            ):
                found.add((path.name, f"marshal.{node.attr}"))
    assert found == set()


def test_nothing_but_one_file_converts_positions() -> None:
    converting = {
        path.name
        for path in (ROOT / "lsp_server/assay_lsp").rglob("*.py")
        if any(unit in path.read_text("utf-8").lower() for unit in ("utf-16", "utf-32"))
    }
    assert converting == {"convert.py"}


def test_one_file_prints() -> None:
    """What is printed is worded there. Others write data, or nothing but our own words."""
    printing = re.compile(
        r"\bprint\(|\bclick\.(?:echo|secho|confirm)\b|\bstd(?:out|err)(?:\.buffer)?\.write"
        r"|\bos\.write\([12],|StreamHandler\(|Console\("
    )
    found = {
        str(path.relative_to(ROOT))
        for path in _host_files()
        if printing.search(path.read_text("utf-8"))
    }
    assert found == {
        "benchmarks/assay_bench/assay_bench/vectors/__main__.py",
        "engine/assay_engine/__main__.py",
        "engine/assay_engine/cli/output.py",
        "engine/assay_engine/models/command_supervisor.py",
        "lsp_server/assay_lsp/logs.py",
        "sandbox/assay_sandbox/self_check.py",
    }


def _host_files() -> list[Path]:
    """Our own modules, but for those that run inside the sandbox."""
    return [
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "worker" not in path.relative_to(ROOT).parts
    ]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names
