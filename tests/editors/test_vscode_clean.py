"""VS Code tells what a file without a squiggle may mean, over each function and in the status."""

from __future__ import annotations

import drive_vscode
import pytest
from recorded_endpoint import MODEL
from story import executable

from support.openai_server import Behaviour, OpenAIServer, Request, answer, ok, stall, status

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]

FUNCTIONS = {
    "trusted": "doubled",
    "abstained": "halved",
    "cancelled": "tripled",
    "refused": "squared",
}
CLEAN = '''def doubled(value: int) -> int:
    """Return twice the value."""
    return value + value


def halved(value: int) -> int:
    """Return half of the value, rounded down."""
    return value // 2


def tripled(value: int) -> int:
    """Return three times the value."""
    return value * 3


def squared(value: int) -> int:
    """Return the value times itself."""
    return value * value


def negated(value: int) -> int:
    return -value
'''


def behave(request: Request) -> Behaviour:
    """What becomes of each function: it is written, not written, never answered, refused."""
    if request.method == "GET":
        return answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
    prompt = request.body["messages"][-1]["content"]
    if "def halved(" in prompt:
        return ok("I would rather not write that.")
    if "def tripled(" in prompt:
        return stall()
    if "def squared(" in prompt:
        return status(401, "this key has been withdrawn")
    if "Choose inputs" in prompt:
        inputs = "".join(f"doubled({value})\n" for value in range(9))
        return ok(f"```python\n{inputs}```")
    return ok("```python\ndef doubled(value):\n    return 2 * value\n```")


def test_a_clean_file_says_over_each_function_why(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("vscode") / "project"
    folder.mkdir()
    (folder / "clean.py").write_text(CLEAN, encoding="utf-8")
    with OpenAIServer(behave) as endpoint:
        told = drive_vscode.tell(
            "clean",
            folder,
            settings={"assay.path": [executable()], "assay.trigger": "manual"},
            more={
                "module": "clean.py",
                "functions": FUNCTIONS,
                "baseUrl": endpoint.base_url,
                "model": MODEL,
            },
        )
    seen = told.seen
    assert seen["withoutModel"][0] == "abstained: No model is configured · Check"
    trusted, abstained, *others = seen["lenses"]
    assert trusted == "trusted · 4 of 4"
    assert abstained.startswith("abstained: ")
    assert others == [
        "cancelled · Check",
        "not checked · Check",
        "not checked: no docstring",
    ]
    assert seen["squiggles"] == 0
    assert f"Model: {MODEL} at 127.0.0.1:" in seen["tooltip"]
    assert "Spent today: " in seen["tooltip"]
    assert "key" in seen["problem"]
    assert (folder / "clean.py").read_text(encoding="utf-8") == CLEAN
    assert told.left_behind == ()
