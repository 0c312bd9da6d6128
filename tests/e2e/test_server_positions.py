"""Right ranges in every position encoding, in texts of every kind: real engine, real HTTP."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from support.forking import forked
from support.lsp_editor import Editor, applied, pointed_at, start_editor, stop_editor
from support.openai_server import Behaviour, OpenAIServer, Request, ok

CHECK_SECONDS = 90.0
INPUTS = "\n".join(f"{{name}}({n})" for n in (0, 1, 2, 3, 7, -4))

DOUBLE = '''\
def double(n: int) -> int:
    """Return twice the number.

    >>> double(2)
    4
    """
    return n + n + (n > 5)
'''
EMOJI = "WAVE = '👋🏽👋🏽'; LABEL = '𝔘𝔫𝔦𝔠𝔬𝔡𝔢'\n\n\n"
TEXTS = {
    "plain": DOUBLE,
    "below astral characters": EMOJI + DOUBLE,
    "astral characters before the failing example": DOUBLE.replace(
        '"""Return twice the number.\n\n    >>> double(2)\n    4\n    """',
        '"""Return twice. 👋🏽👋🏽 Example: double(2) -> 5"""',
    ),
    "tabs": DOUBLE.replace("    ", "\t"),
    "CRLF": (EMOJI + DOUBLE).replace("\n", "\r\n"),
    "CR alone": (EMOJI + DOUBLE).replace("\n", "\r"),
    "a BOM": "\ufeff" + DOUBLE,
    "a form feed": "import re\n\f\n" + EMOJI + DOUBLE,
    "a line separator in a string": "S = 'a\u2028b\x85c'\n\n\n" + DOUBLE,
    "a syntax error above": "def broken(:\n    return '👋🏽\n\n\n" + DOUBLE,
    "a syntax error in the middle": DOUBLE + "\n\nx = = 1\n\n\n" + "def other():\n    return 1\n",
    "a method behind tabs": "class 𝔄:\n"
    + re.sub(r"(?m)^(?=.)", "\t", DOUBLE)
    .replace("(n: int)", "(self, n: int)")
    .replace("double(2)", "𝔄().double(2)"),
}


def right(request: Request) -> Behaviour:
    """Inputs to those who ask for inputs, and the right function to everybody else."""
    prompt = request.body["messages"][-1]["content"]
    name = re.findall(r"def (\w+)\(", prompt)[-1]
    if "Choose inputs" in prompt:
        receiver = "𝔄()." if "self" in prompt else ""
        return ok(f"```python\n{INPUTS.format(name=receiver + name)}\n```")
    parameters = "self, n" if "(self" in prompt else "n"
    return ok(f"```python\ndef {name}({parameters}):\n    return 2 * n\n```")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[OpenAIServer]:
    with OpenAIServer(right) as server:
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With one store for all: a text is tried once, and told in each encoding."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(params=["utf-8", "utf-16", "utf-32"])
async def editor(
    endpoint: OpenAIServer, home: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Editor]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    editor = await start_editor(
        forked("-m", "assay_engine", "server"),
        folder,
        tmp_path / "journal",
        types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=[request.param]),
            text_document=types.TextDocumentClientCapabilities(
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                    related_information=True
                )
            ),
        ),
        environment={
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "ASSAY_BASE_URL": endpoint.base_url,
            "ASSAY_MODEL": "test-model",
            "ASSAY_API_KEY": "none",
        },
    )
    editor.patience = CHECK_SECONDS
    assert editor.encoding == request.param
    yield editor
    await stop_editor(editor)


async def test_every_text_gets_its_ranges_right(editor: Editor) -> None:
    for number, (kind, text) in enumerate(TEXTS.items()):
        editor.path = Path(f"module_{number}.py")
        await editor.open(text)
        await editor.save()
        await editor.until(editor.diagnostics, f"findings in {kind}")
        for each in editor.diagnostics():
            marked = pointed_at(text, each.range, editor.encoding)
            if each.code == "ASY203":
                # It speaks of the example, whose end lies behind the astral characters.
                assert marked.endswith('👋🏽👋🏽 Example: double(2) -> 5"""'), (kind, each)
            else:
                assert marked == "double", (kind, each)
            for related in each.related_information or ():
                said = pointed_at(text, related.location.range, editor.encoding)
                # Its end lies behind the astral characters.
                assert "👋🏽👋🏽 Example: double(2) -> 5" in said, (kind, related)
                assert said.strip().startswith('"""Return twice.'), (kind, related)
            assert (each.code == "ASY103") == bool(each.related_information), (kind, each)


async def test_the_fix_leaves_everything_around_the_function_alone(editor: Editor) -> None:
    for number, kind in enumerate(("CRLF", "a form feed", "a line separator in a string")):
        text = TEXTS[kind]
        editor.path = Path(f"fixed_{number}.py")
        await editor.open(text)
        await editor.save()
        await editor.until(editor.diagnostics, f"findings in {kind}")
        at = editor.diagnostics()[0].range.start
        fix = next(
            action
            for action in await editor.actions(at.line, at.character)
            if action.title.startswith("Replace")
        )
        fixed = applied(text, editor.text_edits(fix.edit), editor.encoding)
        before = text[: text.index("def double")]
        assert fixed.startswith(before), kind
        ending = "\r\n" if kind == "CRLF" else "\n"
        assert f"return 2 * n{ending}" in fixed
        assert "n > 5" not in fixed


async def test_an_empty_file_and_one_without_functions_are_quiet(editor: Editor) -> None:
    for number, text in enumerate(("", "\n", "x = 1\n", "\ufeff", "\f")):
        editor.path = Path(f"empty_{number}.py")
        await editor.open(text)
        await editor.save()
        await editor.idle()
        assert editor.diagnostics() == []
    assert editor.messages() == []
