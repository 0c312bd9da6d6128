"""What to do, said to who can do it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay_engine.advice import Advice, for_editors
from assay_engine.check.model_supply import no_model_problem

ROOT = Path(__file__).resolve().parents[2]
# A command of the terminal, and an option that is not of one that is named with it.
COMMAND = re.compile(r"`assay [^`]*`")
OPTION = re.compile(r"(?<![\w-])--[a-z]")
# What only a terminal shows; the sandbox's own programs have options, too.
# What Git says of its own objects is for people at a terminal, too.
OF_TERMINALS = ("cli", "git.py", "self_check.py")


@pytest.mark.parametrize("advice", Advice, ids=lambda advice: advice.name)
def test_an_editor_is_not_told_of_options(advice: Advice) -> None:
    said = for_editors(f"Nothing came of it: {advice}. Or else.")
    assert said == f"Nothing came of it: {advice.in_editors}. Or else."
    assert not OPTION.search(COMMAND.sub("", said))
    assert for_editors(said) == said


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "Or set ASSAY_BASE_URL and ASSAY_MODEL, then restart the editor."),
        ({"ASSAY_MODEL": "m"}, "Set it and restart the editor: the address of an OpenAI-"),
        ({"OPENAI_API_KEY": "k"}, "Set both and restart the editor: the address of an OpenAI-"),
    ],
)
def test_an_editor_that_has_to_be_restarted_is_named(
    environment: dict[str, str], told: str
) -> None:
    message = no_model_problem((), environment).message
    assert "restart" not in message
    assert told in for_editors(message)


def test_options_and_commands_are_named_in_advice_alone() -> None:
    found = [
        (path.name, text)
        for package in ("engine/assay_engine", "sandbox/assay_sandbox", "lsp_server/assay_lsp")
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name != "advice.py" and not set(OF_TERMINALS) & set(path.parts)
        for text in _sentences(ast.parse(path.read_text("utf-8")))
        if OPTION.search(text) or COMMAND.search(text)
    ]
    assert found == []


def _sentences(tree: ast.Module) -> Iterator[str]:
    """What a program may say: words, and no docstring."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        # An argument of a program's, such as ``--ro-bind-try``, is one word.
        if isinstance(text, str) and " " in text and id(node) not in docstrings:
            yield text
