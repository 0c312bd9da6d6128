"""The first hour in VS Code, on a machine without `assay`: from the .vsix to a mended function."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import drive_vscode
import pytest
from recorded_endpoint import MODEL, recorded_endpoint
from story import FUNCTION, MODULE, OUT, TRANSCRIPT, Told, assert_only_the_function_changed

from support.openai_server import Request

pytestmark = [pytest.mark.editors, pytest.mark.timeout(900)]

KEY = "sk-first-hour-c0ffee5eed"
ELSEWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Told, tuple[Request, ...]]]:
    folder = tmp_path_factory.mktemp("vscode") / "project"
    # A workspace that would like to choose the model.
    settings = folder / ".vscode" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"assay.baseUrl": ELSEWHERE, "assay.model": "theirs"}))
    with recorded_endpoint(TRANSCRIPT, KEY) as endpoint:
        more = {"baseUrl": endpoint.base_url, "key": KEY, "wrongKey": "sk-wrong", "model": MODEL}
        told = drive_vscode.tell("first_hour", folder, more=more)
        yield told, endpoint.requests


def test_everything_is_done_by_buttons_and_menus(
    hour: tuple[Told, tuple[Request, ...]],
) -> None:
    told, requests = hour
    assert told.seen["menu"][0] == "Set Up a Model…"
    assert "key" in told.seen["refusal"]
    assert MODEL in told.seen["accepted"]
    assert "1 suspect" in told.seen["status"]
    # What the summary says was paid is all that was ever sent of it.
    sent = [each for each in requests if each.body and f"def {FUNCTION}" in _prompt(each)]
    assert told.seen["summary"].startswith(f"1 checked: 1 suspect; {len(sent)} requests, ")
    replace, difference, *others = told.seen["actions"]
    assert replace.startswith("Replace with the candidate")
    assert difference == "Show the difference"
    assert any("docstring" in title for title in others)


def test_the_function_is_replaced_from_the_diff_editor_and_stays_quiet(
    hour: tuple[Told, tuple[Request, ...]],
) -> None:
    told, _ = hour
    assert FUNCTION in told.seen["tab"]
    assert told.seen["lens"].startswith("trusted · ")
    assert not [row for row in told.seen["problems"] if FUNCTION in row]
    assert_only_the_function_changed(told.file)


def test_the_project_has_nothing_of_it_and_no_process_lives_on(
    hour: tuple[Told, tuple[Request, ...]],
) -> None:
    told, _ = hour
    assert {entry.name for entry in told.file.parent.iterdir()} == {MODULE, ".vscode"}
    assert told.left_behind == ()


def test_the_workspace_does_not_choose_the_model(
    hour: tuple[Told, tuple[Request, ...]],
) -> None:
    _, requests = hour
    assert {each.body["model"] for each in requests if each.body} == {MODEL}


def test_the_key_goes_to_the_endpoint_and_is_written_nowhere(
    hour: tuple[Told, tuple[Request, ...]],
) -> None:
    told, requests = hour
    assert any(each.headers["authorization"] == f"Bearer {KEY}" for each in requests)
    home = told.file.parent.parent
    found = [*_holding(KEY, home), *_holding(KEY, OUT / "vscode" / "first_hour")]
    assert found == []


def _prompt(request: Request) -> str:
    return request.body["messages"][-1]["content"]


def _holding(key: str, folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and key.encode() in path.read_bytes():
            yield path
