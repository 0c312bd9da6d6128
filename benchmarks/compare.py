"""Which wrong functions of HumanEvalFix `assay compare` tells from the right ones.

    python -m benchmarks.compare DATA [--crosshair PYTHON]

Of each pair the wrong function is compared with the right one, and the right one with a rewriting
of itself that does the same: locals have other names, branches are turned round, and what is
returned is named first. DATA is a folder in the layout of the data pack. No model is asked. With an
environment's interpreter that has CrossHair, `crosshair diffbehavior` is asked the same, at its
defaults, in bubblewrap without network. Prints a line for each comparison that goes wrong, and how
many were told, truly and falsely.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import subprocess
import tempfile
import time
from pathlib import Path

from typing_extensions import override

from assay_engine.check.context import CheckContext
from assay_engine.check.versions import compared_with
from assay_engine.check.worklist import filed
from assay_engine.config.settings import Settings
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import SourceText, Specification, Tier
from benchmarks.data import rows_of
from benchmarks.executor import usual_executor

CROSSHAIR_SECONDS = 60.0
# What CrossHair prints of a difference begins so.
_DIFFERENCE = "Given:"


class _Rewriting(ast.NodeTransformer):
    """Changes a function's text, and nothing that it does."""

    def __init__(self, function: ast.FunctionDef) -> None:
        nodes = list(ast.walk(function))
        stored = {
            each.id
            for each in nodes
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        # What is a parameter somewhere, or not the function's own, keeps its name.
        kept = {each.arg for each in nodes if isinstance(each, ast.arg)}
        for each in nodes:
            if isinstance(each, ast.Global | ast.Nonlocal):
                kept |= set(each.names)
        self._renamed = stored - kept

    @override
    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._renamed:
            node.id = f"{node.id}_here"
        return node

    @override
    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if not node.orelse:
            return node
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)

    @override
    def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
        self.generic_visit(node)
        if node.value is None:
            return node
        name = "what_is_returned"
        given = ast.Assign([ast.Name(name, ast.Store())], node.value)
        return [given, ast.Return(ast.Name(name, ast.Load()))]


def rewritten(text: str, name: str) -> str:
    tree = ast.parse(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            _Rewriting(function).visit(function)
    return ast.unparse(ast.fix_missing_locations(tree))


def specification_of(text: str, name: str) -> Specification:
    unit = next(each for each in find_units(text)[0] if each.qualname == name)
    return specify(text, unit)


async def assay(context: CheckContext, text: str, other: str, name: str) -> tuple[bool, str]:
    """Whether a difference is told, and all that is said."""
    source = SourceText(f"{name}.py", text)
    subject = filed(source, specification_of(text, name), Tier.STANDARD, ())
    report = await compared_with(context, None, subject, specification_of(other, name), "the other")
    said = [each.message for each in (*report.findings, *report.problems)]
    return report.versions is not None and report.versions.differs, " ".join(said)


def crosshair(python: Path, text: str, other: str, name: str) -> tuple[bool, str]:
    """The same, asked of CrossHair."""
    with tempfile.TemporaryDirectory() as folder:
        for module, content in (("one", text), ("two", other)):
            (Path(folder) / f"{module}.py").write_text(content)
        confined = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        confined += ["--tmpfs", "/tmp", "--ro-bind", str(python.parents[1]), str(python.parents[1])]
        confined += ["--ro-bind", folder, folder, "--chdir", folder]
        confined += ["--unshare-all", "--die-with-parent"]
        command = [*confined, str(python), "-m", "crosshair", "diffbehavior"]
        try:
            done = subprocess.run(
                [*command, f"one.{name}", f"two.{name}"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=CROSSHAIR_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False, "no answer in time"
    said = " ".join((done.stdout or done.stderr).split())
    return _DIFFERENCE in done.stdout, said


async def run(data: Path, python: Path | None) -> None:
    told: dict[str, list[int]] = {}
    took: dict[str, float] = {}
    pairs = list(rows_of(data / "humanevalfix/pairs.jsonl.gz"))
    with usual_executor() as executor:
        context = CheckContext(None, None, executor, Settings(), lambda _: True, lambda _: None)
        for row in pairs:
            name = row["entry_point"]
            wrong = row["prompt"] + row["buggy_solution"]
            right = row["prompt"] + row["canonical_solution"]
            for truly, text in ((1, wrong), (0, rewritten(right, name))):
                kind = "wrong" if truly else "rewritten"
                begun = time.perf_counter()
                found = {"assay": await assay(context, text, right, name)}
                between = time.perf_counter()
                took["assay"] = took.get("assay", 0) + between - begun
                if python is not None:
                    found["crosshair"] = crosshair(python, text, right, name)
                    spent = time.perf_counter() - between
                    took["crosshair"] = took.get("crosshair", 0) + spent
                for who, (differs, said) in found.items():
                    told.setdefault(who, [0, 0])[truly] += differs
                    if differs != bool(truly):
                        print(f"{row['task_id']} {name}, {kind}, {who}: {said}", flush=True)
    for who, (falsely, truly) in told.items():
        each = took[who] / (2 * len(pairs))
        print(
            f"{who}: {truly} of {len(pairs)} wrong ones told, {falsely} of {len(pairs)} rewritings "
            f"said to differ, {each:.1f} s each"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--crosshair", type=Path, metavar="PYTHON")
    options = parser.parse_args()
    asyncio.run(run(options.data, options.crosshair))


if __name__ == "__main__":
    main()
