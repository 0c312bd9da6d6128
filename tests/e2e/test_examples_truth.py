"""The truth about the examples is itself true: shown by running them, since they are our own."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from demo_truth import TRUTH, Expected, Fix

EXAMPLES = Path(__file__).parents[2] / "examples"

WRONG = {name: expected.fix for name, expected in TRUTH.items() if expected.fix is not None}


@pytest.fixture(scope="module")
def modules() -> dict[str, ModuleType]:
    return {path.stem: load(path) for path in sorted(EXAMPLES.glob("*.py"))}


def test_every_documented_function_has_its_truth_and_no_other() -> None:
    documented = {
        (path.stem, qualname)
        for path in EXAMPLES.glob("*.py")
        for qualname in documented_functions(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert documented == {(expected.module, name) for name, expected in TRUTH.items()}


def test_the_examples_are_as_many_and_as_mixed_as_promised() -> None:
    statuses = Counter(expected.status for expected in TRUTH.values())
    codes = Counter(expected.code for expected in TRUTH.values())
    assert 4 <= len({expected.module for expected in TRUTH.values()}) <= 5
    assert len(TRUTH) >= 16
    assert statuses["trusted"] >= 10
    assert statuses["suspect"] >= 5
    assert statuses["ambiguous"] == codes["ASY201"] == 1
    assert statuses["unsupported"] == codes["ASY301"] == 1
    assert codes["ASY103"] == codes["ASY104"] == 1
    assert {name for name, expected in TRUTH.items() if expected.status == "suspect"} == set(WRONG)


@pytest.mark.parametrize("name", TRUTH)
def test_only_the_one_said_to_fails_an_example_of_its_own(
    name: str, modules: dict[str, ModuleType]
) -> None:
    expected = TRUTH[name]
    failed = failing_examples(modules[expected.module], name)
    assert bool(failed) == (expected.code == "ASY103"), failed


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_function_differs_from_the_right_result(
    name: str, modules: dict[str, ModuleType]
) -> None:
    expected, fix = TRUTH[name], WRONG[name]
    namespace = vars(modules[expected.module])
    assert len(fix.calls) >= 2
    for call, right in fix.calls:
        got = outcome(call, namespace)
        assert got != right, f"{call} gives {got}, which is right"
        assert got.startswith("raised") == raises_here(expected), call


@pytest.mark.parametrize("name", WRONG)
def test_the_reference_gives_the_right_result_and_keeps_the_promise(
    name: str, modules: dict[str, ModuleType]
) -> None:
    module, fix = modules[TRUTH[name].module], WRONG[name]
    namespace = with_reference(module, fix)
    for call, right in fix.calls:
        assert outcome(call, namespace) == right, call
    assert inspect.signature(namespace[name]) == inspect.signature(getattr(module, name))
    assert not failing_examples(module, name, namespace)


def test_the_ambiguous_docstring_admits_both_ways_of_ranking(
    modules: dict[str, ModuleType],
) -> None:
    def with_gaps(scores: list[int]) -> list[int]:
        return [1 + sum(other > score for other in scores) for score in scores]

    def without_gaps(scores: list[int]) -> list[int]:
        return [1 + len({other for other in scores if other > score}) for score in scores]

    module = modules["records"]
    for reading in (with_gaps, without_gaps):
        assert not failing_examples(module, "rank_scores", vars(module) | {"rank_scores": reading})
    assert with_gaps([9, 9, 5]) == [1, 1, 3] == module.rank_scores([9, 9, 5])
    assert without_gaps([9, 9, 5]) == [1, 1, 2]


def load(path: Path) -> ModuleType:
    """Import a module by path, under a name that collides with nobody's."""
    name = f"assay_example_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def documented_functions(tree: ast.Module) -> list[str]:
    """The qualified names of module functions and methods that have a docstring."""
    found: list[str] = []
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        found += [
            prefix + function.name
            for function in inner
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(function)
        ]
    return found


def failing_examples(
    module: ModuleType, name: str, namespace: dict[str, Any] | None = None
) -> list[str]:
    """What doctest says of the examples that fail, run in the module or in `namespace`."""
    function: object = module
    for part in name.split("."):
        function = getattr(function, part)
    assert function.__doc__
    test = doctest.DocTestParser().get_doctest(
        function.__doc__, dict(namespace or vars(module)), name, module.__file__, 0
    )
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    return said


def with_reference(module: ModuleType, fix: Fix) -> dict[str, Any]:
    """The module's names, with the right function in the place of the wrong one."""
    namespace = dict(vars(module))
    exec(compile(fix.reference, "<reference>", "exec", dont_inherit=True), namespace)
    return namespace


def outcome(call: str, namespace: dict[str, Any]) -> str:
    """What a call gives, as text: the result's `repr`, or that it raised and what."""
    try:
        return repr(eval(call, dict(namespace)))
    except Exception as error:
        return f"raised {type(error).__name__}"


def raises_here(expected: Expected) -> bool:
    """Whether the function goes wrong by raising, rather than by what it returns."""
    return expected.code == "ASY104"
