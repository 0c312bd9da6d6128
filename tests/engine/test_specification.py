"""The header and the docstring of a function as values."""

from __future__ import annotations

import ast

import pytest

from assay_engine.sampling.prompting import stub
from assay_engine.specification.specification import running_unit, specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Parameter, ParameterKind
from support.specifying import specified

P = ParameterKind.POSITIONAL_ONLY
N = ParameterKind.POSITIONAL_OR_KEYWORD
A = ParameterKind.VAR_POSITIONAL
K = ParameterKind.KEYWORD_ONLY
KW = ParameterKind.VAR_KEYWORD


def check(header: str, *parameters: tuple[str, ParameterKind, str | None, str | None]) -> None:
    """A header, which is its own signature, and its parameters."""
    specification = specified(f"{header}\n    return 1\n")
    assert specification.signature == header
    assert specification.parameters == tuple(Parameter(*each) for each in parameters)


def test_every_kind_of_parameter_is_read_and_written() -> None:
    check("def f():")
    check("def f(a):", ("a", N, None, None))
    check("def f(a, /):", ("a", P, None, None))
    check(
        "def f(a: int, b=1, /, c: str = 'x', *d: int, e, g: 'T' = 0xFF, **h: int) -> list[int]:",
        ("a", P, "int", None),
        ("b", P, None, "1"),
        ("c", N, "str", "'x'"),
        ("d", A, "int", None),
        ("e", K, None, None),
        ("g", K, "'T'", "0xFF"),
        ("h", KW, "int", None),
    )
    check("def f(a, *, b):", ("a", N, None, None), ("b", K, None, None))
    check("def f(*, b=(1, 2)):", ("b", K, None, "(1, 2)"))
    check("async def f(a, /, *, b):", ("a", P, None, None), ("b", K, None, None))
    check("@cache\n@retry(times=3)\ndef f(a):", ("a", N, None, None))


def test_a_header_over_several_lines_is_made_one() -> None:
    text = """\
def f(
    a: dict[
        str, "int"  # why
    ],
    b=[
        1,
    ],
) -> (
    None
):
    return None
"""
    specification = specified(text)
    assert specification.signature == "def f(a: dict[str, 'int'], b=[1]) -> None:"
    assert specification.returns == "None"


def test_characters_of_many_bytes_do_not_shift_the_texts() -> None:
    specification = specified("def größe(é: 'ß' = '😀', *, 名: int = 1) -> '𝒯': return 1\n")
    assert specification.signature == "def größe(é: 'ß' = '😀', *, 名: int = 1) -> '𝒯':"


def test_the_docstring_is_dedented_and_its_promises_are_read() -> None:
    text = '''\
def f(x):
    """Doubles.

        Raises:
            ValueError: never

    >>> f(2)
    4
    """
    return x
'''
    specification = specified(text)
    assert specification.docstring.startswith("Doubles.\n\n    Raises:")
    assert "ValueError" in specification.documented_exceptions
    assert [example.call for example in specification.examples] == ["f(2)"]
    assert specification.returns is None


def test_the_unit_is_found_again_in_its_program() -> None:
    text = "import os\nA = 1\nclass C:\n    def f(self): return A\n    def f(self): return 2\n"
    specification = specify(text, find_units(text)[0][-1])
    found = running_unit(specification)
    assert found is not None
    program = specification.program
    assert program[found.span.start : found.span.end] == "def f(self): return 2"


def test_a_unit_of_another_text_is_not_specified() -> None:
    (unit,) = find_units("def f(): return 1\n")[0]
    with pytest.raises(LookupError):
        specify("def g(): return 1\n", unit)


@pytest.mark.parametrize(
    "docstring",
    [
        'Return "x"',
        "Return 'x'",
        "Of \"\"\"three\"\"\" and of '''three'''",
        'A back\\slash and a quote"',
        'Two lines.\n\nThe last ends in "one"',
        "",
    ],
)
def test_what_a_prompt_shows_is_python_with_this_docstring(docstring: str) -> None:
    text = f"def f():\n    {docstring!r}\n    return 1\n"
    (function,) = ast.parse(stub(specified(text))).body
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function) == docstring


@pytest.mark.parametrize(("keyword", "shown"), [("async def", True), ("def", False)])
def test_what_is_awaited_can_be_made_where_a_coroutine_takes_it(keyword: str, shown: bool) -> None:
    text = f'''
import asyncio
from collections.abc import Awaitable, Callable

{keyword} first(jobs: list[Callable[[], Awaitable[int]]]) -> int:
    """What the first of the jobs comes to."""
    return jobs[0]()
'''
    assert ("import asyncio" in specified(text).program) is shown
