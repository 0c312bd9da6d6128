"""A stored report is void once anything that it rests on has changed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from assay_engine.check.report_cache import remember, rests_on_what_is_there
from assay_engine.check_unit import CheckUnit
from assay_engine.compare.executor import Executor
from assay_engine.compare.loading import Loads
from assay_engine.compare.verdict import unsupported
from assay_engine.config.configuration import EngineOptions
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.dependencies.readable import placed_among, with_files
from assay_engine.engine import Engine
from assay_engine.store import memory_store
from assay_engine.types import Problem, ProblemKind, SourceText
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
    specification = placed_among(specification, with_files(place, root, text))
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


async def test_a_module_that_does_not_load_is_tried_once_for_all_its_functions(
    executor: Executor, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    text = PROJECT[OWN] + FUNCTION.replace("f()", "g()")
    written(root, {**PROJECT, "shop/rates/now.py": "import absent", OWN: text})
    workspace, loads, trial = workspace_modules(root / OWN, root), Loads(), executor.for_trial()
    both = [specified(text, name, workspace=workspace) for name in ("f", "g")]
    place = both[0].place
    assert place is not None
    both = [placed_among(each, with_files(place, root, text)) for each in both]
    found = await asyncio.gather(*(loads.loaded(trial, each) for each in both))
    assert [isinstance(each, Problem) for each in found] == [True, True]
    # The module, and what each of them needs of it.
    assert trial.tally.calls == 3

    # As where what was missing has been installed.
    loads.try_again()
    again = executor.for_trial()
    await loads.loaded(again, both[0])
    assert again.tally.calls == 2


async def test_a_module_that_takes_too_long_to_load_says_so(
    executor: Executor, tmp_path: Path
) -> None:
    root = tmp_path.resolve()
    head = "def slow():\n    while True: pass\nfrom shop.rates.now import RATE\nRATE = slow()\n"
    text = head + FUNCTION
    written(root, {**PROJECT, OWN: text})
    specification = specified(text, "f", workspace=workspace_modules(root / OWN, root))
    place = specification.place
    assert place is not None
    specification = placed_among(specification, with_files(place, root, text))
    impatient = structs.replace(executor, limits=replace(executor.limits, load_seconds=0.2))
    problem = await Loads().loaded(impatient, specification)
    assert isinstance(problem, Problem)
    assert "takes too long to load (not loaded within 0.2 s)" in problem.message


async def test_a_refusal_by_reading_is_stored_of_a_function_in_its_project(tmp_path: Path) -> None:
    text = "import beside, requests\ndef f(x):\n    'Get it.'\n    return requests.get(x)\n"
    written(tmp_path, {"pyproject.toml": "", "beside.py": "", "own.py": text})
    source = SourceText(str(tmp_path / "own.py"), text, str(tmp_path))
    options = EngineOptions(root=str(tmp_path), store_path=str(tmp_path / "store.db"))
    with Engine.open(options) as engine:
        (report,) = [each async for each in engine.check(source)]
        assert [each.kind for each in report.problems] == [ProblemKind.INPUT_OUTPUT]
        assert engine.recall(source) == (report,)
        # Then it is not the network that it talks to.
        written(tmp_path, {"requests.py": "def get(x): return x"})
        assert engine.recall(source) == ()
