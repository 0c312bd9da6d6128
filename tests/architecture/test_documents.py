"""The documents: their links lead somewhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FOLDERS = ("docs", "benchmarks", "tests", "vscode-client")
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
