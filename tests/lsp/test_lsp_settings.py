"""Settings out of whatever a client sends."""

from __future__ import annotations

import os

import pytest

from assay_lsp.settings import ServerSettings, Trigger, resolve


@pytest.mark.parametrize("given", [None, {"interpreter": None, "trigger": None}])
def test_nothing_sent_means_the_defaults(given: object) -> None:
    assert resolve(given, given, root=None) == (ServerSettings(), ())


def test_the_section_is_the_later_word() -> None:
    settings, complaints = resolve(
        {"trigger": "manual", "offline": True}, {"trigger": "save"}, root=None
    )
    assert (settings.trigger, settings.offline, complaints) == (Trigger.SAVE, True, ())


@pytest.mark.parametrize("section", [{"trusted": True}, {"trusted": None}, {}])
def test_the_workspace_cannot_give_itself_trust(section: dict[str, bool | None]) -> None:
    assert not resolve({"trusted": False}, section, root=None)[0].may_run
    unsaid = resolve({}, section, root=None)[0]
    assert unsaid.may_run
    assert unsaid.trusted is None


@pytest.mark.parametrize("options", [{}, {"trusted": True}])
def test_the_section_can_take_trust_back(options: dict[str, bool]) -> None:
    for value in (False, "no", 0):
        assert not resolve(options, {"trusted": value}, root=None)[0].may_run


@pytest.mark.parametrize("given", ["true", "false", 0, 1, {}, [], None])
def test_what_is_no_clear_word_of_trust_is_none(given: object) -> None:
    settings, (complaint,) = resolve({"trusted": given}, {"trusted": True}, root=None)
    assert not settings.may_run
    assert "nothing is run or sent" in complaint


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"trigger": "idle"}, "manual"),
        ({"trigger": ["save"]}, "manual"),
        ({"logLevel": "loud"}, "warning"),
        ({"logLevel": 3}, "warning"),
        ({"offline": "yes"}, "true or false"),
        ({"replay": 5}, "path"),
        ({"replay": "\0"}, "path"),
        ({"logFile": "a\0b"}, "path"),
        ({"interpreter": "\ud800"}, "path"),
        ({"colour": "red"}, "no setting"),
        (["trigger"], "object"),
        ("save", "object"),
    ],
)
def test_an_unusable_value_has_a_message_and_leaves_the_default(given: object, word: str) -> None:
    settings, (complaint,) = resolve(given, None, root=None)
    assert settings == ServerSettings()
    assert word in complaint


def test_paths_are_made_absolute() -> None:
    given = {
        "interpreter": ".venv/bin/python",
        "replay": "${workspaceFolder}/r.jsonl",
        "logFile": "~/l",
    }
    settings, _ = resolve(given, None, root="/w")
    assert settings.interpreter == "/w/.venv/bin/python"
    assert settings.replay == "/w/r.jsonl"
    assert settings.log_file == os.path.expanduser("~/l")
    assert resolve({"interpreter": "python3.12"}, None, root="/w")[0].interpreter == "python3.12"
