"""A stored report is void once anything that it rests on has changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay_engine.check.report_cache import remember, rests_on_what_is_there
from assay_engine.check_unit import CheckUnit
from assay_engine.executor.executor import Executor
from assay_engine.executor.loading import Loads
from assay_engine.source.modules import workspace_modules
from assay_engine.source.readable import placed_among, with_files
from assay_engine.store import memory_store
from assay_engine.types import Problem, SourceText
from assay_engine.voting.verdict import unsupported
from support.specifying import specified

FUNCTION = """
def f():
    'Give the rate.'
    from ..lazily import FEE
    return RATE + FEE
"""
READING = "import os\nRATE = open(os.path.dirname(__file__) + '/rate.txt').read()\n"
PROJECT = {
    "pyproject.toml": "",
    "src/other.py": "",
    "shop/__init__.py": "",
    "shop/bills/own.py": "from shop.rates.now import RATE\nfrom plain.kept import X\n" + FUNCTION,
    "shop/rates/__init__.py": "",
    "shop/rates/now.py": READING,
    "shop/rates/rate.txt": "1",
    "plain/kept.py": "X = 1\n",
    "shop/lazily.py": "from shop.deeper import FEE",
    "shop/deeper.py": "FEE = 1",
    "shop/unused.py": "",
    "caf\udce9.json": "",
}
OWN = "shop/bills/own.py"
# What changes, and whether a report on the function may be kept.
CHANGES: dict[str, tuple[dict[str, str], bool]] = {
    "nothing": ({}, True),
    "the module itself": ({OWN: f"# moved\n{PROJECT[OWN]}"}, True),
    "what was not loaded": ({"shop/unused.py": "X = 2", "shop/new.py": ""}, True),
    "a module": ({"shop/rates/now.py": f"{READING}\n# more"}, False),
    "what it imports when it is called": ({"shop/deeper.py": "FEE = 2"}, False),
    "a file beside another module": ({"shop/rates/rate.txt": "2"}, False),
    "a package in the place of a module": ({"shop/rates/now/__init__.py": "RATE = 2"}, False),
    "a package in a root that comes first": ({"src/shop/__init__.py": ""}, False),
    "a module in a root that comes first": ({"shop/bills/plain.py": "X = 2"}, False),
    "what makes a folder a package": ({"plain/__init__.py": ""}, False),
}


def written(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


async def rests(executor: Executor, root: Path) -> Mapping[str, str] | None:
    """What a report on the function rests on."""
    text, loads = (root / OWN).read_text(), Loads()
    specification = specified(text, workspace=workspace_modules(root / OWN, root))
    place = specification.place
    assert place is not None
    specification = placed_among(specification, with_files(place, root))
    found = await loads.loaded(executor, specification)
    assert isinstance(found, Problem) == (loads.rests_on(specification) is None)
    return loads.rests_on(specification)


@pytest.mark.parametrize("what", CHANGES)
async def test_what_a_report_rests_on(what: str, executor: Executor, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    written(root, PROJECT)
    subject = CheckUnit(SourceText(OWN, PROJECT[OWN]), specified(PROJECT[OWN]), "key", ())
    store = memory_store()
    report = subject.report(unsupported())
    remember(store, report, "", await rests(executor, root))
    assert store.get("report", "key") is not None

    changed, is_kept = CHANGES[what]
    times = {name: os.stat(root / name) for name in changed if (root / name).exists()}
    written(root, changed)
    for name, before in times.items():
        os.utime(root / name, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert rests_on_what_is_there(store, "key") is is_kept


async def test_of_what_does_not_load_no_report_is_kept(executor: Executor, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    written(root, {**PROJECT, "shop/rates/now.py": "raise RuntimeError('not yet')"})
    assert await rests(executor, root) is None
    store = memory_store()
    subject = CheckUnit(SourceText(OWN, PROJECT[OWN]), specified(PROJECT[OWN]), "key", ())
    remember(store, subject.report(unsupported()), "", None)
    assert store.get("report", "key") is None
