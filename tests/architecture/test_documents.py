"""The documents: their links lead somewhere."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FOLDERS = ("docs", "benchmarks", "integrations", "tests", "vscode-client")
# What a path in the architecture is relative to.
HOMES = ("", "tests", "benchmarks", "engine/assay_engine", "lsp_server", "sandbox")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(
            page
            for folder in FOLDERS
            for page in (ROOT / folder).rglob("*.md")
            if "node_modules" not in page.parts
        ),
    ]
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_to_a_heading_of_it(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text("utf-8")))
    dead = [link for link in links if "://" not in link and not _is_there(page, link)]
    assert dead == []


def test_what_the_architecture_names_is_there() -> None:
    text = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", text))
    assert len(named) > 60
    assert [
        name for name in sorted(named) if not any((ROOT / at / name).exists() for at in HOMES)
    ] == []


def test_a_save_goes_the_way_that_the_architecture_names() -> None:
    text = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")
    section = text.partition("\n## The way of a save\n")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| \d \| (.+?) \| `(.+?)` \|", section)
    assert (rows[0][0], rows[-1][0]) == ("`did_save`", "`check_unit`")
    assert len(rows) <= 8
    assert len({path for _, path in rows[1:-1]}) <= 6
    way = [(name, path) for names, path in rows for name in re.findall(r"`(?:\w+\.)?(\w+)`", names)]
    assert [
        (name, called)
        for (name, path), (called, _) in pairwise(way)
        if called not in _called_by(name, path)
    ] == []


def _called_by(name: str, path: str) -> set[str]:
    """The names of all functions and methods that a function of a file calls."""
    file = next(ROOT / at / path for at in HOMES if (ROOT / at / path).exists())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, functions) and node.name == name
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
    }


def _is_there(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or anchor in _anchors(target))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The names that GitHub gives the headings of a page, and those that it gives itself."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    named = re.findall(r'<a\s+id="([^"]+)"', text)
    return frozenset(named) | {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
    }
