"""Functions that are defined more than once, or in a branch, on trial."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from assay_engine.compare.executor import Executor
from assay_engine.types import Code, Report, Status
from support.trials import put_on_trial, scripted

RIGHT = "def doubled(number):\n    return number * 2\n"
INPUTS = [f"doubled({number})" for number in (0, 1, 2, 4, 9, -3)]
HEADER = 'def doubled(number: int) -> int:\n    """Twice the number."""\n'
GOOD = f"{HEADER}    return number + number\n"
BAD = f"{HEADER}    secret = 1\n    return 2 * number or secret\n"
IMPORTING = "try:\n    import absent\n{}except ImportError:\n{}"


def either(condition: str, first: str, second: str) -> str:
    return f"if {condition}:\n{indent(first, '    ')}else:\n{indent(second, '    ')}"


async def report_on(executor: Executor, text: str, qualname: str) -> Report:
    return await put_on_trial(executor, text, qualname, scripted([RIGHT] * 10, INPUTS))


MODULES = {
    "if": (either("1 > 2", GOOD, BAD), "doubled#2", "doubled"),
    "the first branch of an if": (either("1 < 2", BAD, GOOD), "doubled", "doubled#2"),
    "try": (
        IMPORTING.format(indent(GOOD, "    "), indent(BAD, "    ")),
        "doubled#2",
        "doubled",
    ),
    "defined again below an if": (
        f"if 1 < 2:\n{indent(GOOD, '    ')}if 2 < 3:\n{indent(BAD, '    ')}doubled = doubled\n",
        "doubled#2",
        None,
    ),
}


@pytest.mark.parametrize("case", MODULES)
async def test_the_definition_in_use_is_tried_and_the_other_said_not_to_be(
    executor: Executor, case: str
) -> None:
    text, live, other = MODULES[case]
    tried = await report_on(executor, text, live)
    assert tried.verdict.status is Status.SUSPECT
    assert [finding.code for finding in tried.findings] == [Code.DIFFERS]
    (replacement,) = tried.replacements
    changed = [line for line in replacement.diff.splitlines() if line.startswith(("-", "+"))]
    assert any(line.endswith("number or secret") for line in changed)
    assert not any("number + number" in line for line in changed)
    if other is not None:
        refused = await report_on(executor, text, other)
        assert refused.verdict.status is Status.UNSUPPORTED
        assert "Of the 2 definitions of `doubled`, number" in refused.findings[0].message


async def test_neither_definition_shows_a_model_a_body(executor: Executor) -> None:
    model = scripted([RIGHT] * 10, INPUTS)
    await put_on_trial(executor, either("1 > 2", BAD, GOOD), "doubled#2", model)
    assert model.asked
    assert not any("secret" in prompt.user for prompt, _ in model.asked)
    assert not any("number + number" in prompt.user for prompt, _ in model.asked)


async def test_a_definition_that_an_import_takes_the_place_of_is_not_tried(
    executor: Executor,
) -> None:
    text = dedent("""\
        try:
            from operator import neg as doubled
        except ImportError:
            def doubled(number: int) -> int:
                "Twice the number."
                return 2 * number
        """)
    report = await report_on(executor, text, "doubled")
    assert report.verdict.status is Status.UNSUPPORTED
    assert "no longer refers to this definition" in report.findings[0].message


async def test_a_definition_that_a_later_star_takes_the_place_of_is_not_tried(
    executor: Executor,
) -> None:
    text = dedent("""\
        def neg(number: int) -> int:
            "The number with the other sign."
            return number


        try:
            from {module} import *
        except ImportError:
            pass
        """)
    model = scripted(
        ["def neg(number):\n    return -number\n"] * 10, ["neg(1)", "neg(-2)", "neg(5)"]
    )
    replaced = await put_on_trial(executor, text.format(module="operator"), "neg", model)
    assert replaced.verdict.status is Status.UNSUPPORTED
    assert "no longer refers to this definition" in replaced.findings[0].message
    kept = await put_on_trial(executor, text.format(module="bisect"), "neg", model)
    assert kept.verdict.status is Status.SUSPECT


async def test_of_two_methods_of_one_name_the_last_is_in_use(executor: Executor) -> None:
    text = f"class Number:\n{indent(GOOD, '    ')}\n{indent(BAD, '    ')}".replace(
        "(number: int)", "(self, number: int)"
    )
    inputs = [f"Number().{call}" for call in INPUTS]
    model = scripted([RIGHT.replace("(number)", "(self, number)")] * 10, inputs)
    first = await put_on_trial(executor, text, "Number.doubled", model)
    assert first.verdict.status is Status.UNSUPPORTED
    assert not model.asked
    last = await put_on_trial(executor, text, "Number.doubled#2", model)
    assert last.verdict.status is Status.SUSPECT


async def test_what_decorators_make_of_a_definition_is_still_that_definition(
    executor: Executor,
) -> None:
    text = "from functools import cache\n" + either("1 > 2", f"@cache\n{BAD}", f"@cache\n{GOOD}")
    report = await report_on(executor, text, "doubled#2")
    assert report.verdict.status is Status.TRUSTED


# A decorator of an installed package, and whether the function is still there behind its name.
DECORATED = {
    "registers": ("import atexit\n@atexit.register\n", True),
    "replaces": ("import click\n@click.command()\n", False),
}


@pytest.mark.parametrize("case", DECORATED)
async def test_what_a_decorator_leaves_of_a_function_is_seen(executor: Executor, case: str) -> None:
    decorator, is_there = DECORATED[case]
    tried = await report_on(executor, f"{decorator}{BAD}", "doubled")
    if is_there:
        assert tried.verdict.status is Status.SUSPECT
    else:
        assert tried.verdict.status is Status.UNSUPPORTED
        assert "no longer refers to this definition" in tried.findings[0].message
