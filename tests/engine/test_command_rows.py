"""What the commands that Assay knows print, as the real ones did, and how it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay_engine.config.configuration import EngineOptions, settings_for
from assay_engine.config.endpoints import endpoints_from
from assay_engine.config.settings import Endpoint
from assay_engine.errors import ConfigurationError
from assay_engine.models.commands import COMMANDS, Answer

TEXT = "```python\ndef f(): ...\n```"
SAID = json.dumps(TEXT)
ROWS = {row.name: row for row in COMMANDS}
PRINTED = {
    "claude answers": ("claude", f'{{"is_error": false, "result": {SAID}}}', Answer(TEXT)),
    "claude is signed out": (
        "claude",
        '{"is_error": true, "api_error_status": null, "result": "Not logged in"}',
        Answer(error="Not logged in"),
    ),
    "claude is out of quota": (
        "claude",
        '{"is_error": true, "api_error_status": 429, "result": "limit"}',
        Answer(error="limit", lasts=True),
    ),
    "codex answers": (
        "codex",
        (
            '{"type":"thread.started"}\n{"type":"item.completed","item":{"type":"error","message":"no"}}\n'
            '{"type":"item.completed","item":{"type":"agent_message","text":"I will."}}\n'
            f'{{"type":"item.completed","item":{{"type":"agent_message","text":{SAID}}}}}\n'
            '{"type":"turn.completed","usage":{"input_tokens":11}}'
        ),
        Answer(TEXT),
    ),
    "codex fails": (
        "codex",
        (
            'Reading prompt\n{"type":"error","message":"once more"}\n'
            '{"type":"turn.failed","error":{"message":"usage limit"}}'
        ),
        Answer(error="usage limit"),
    ),
    "gemini answers": ("gemini", f'{{"response": {SAID}, "stats": {{}}}}', Answer(TEXT)),
    "gemini is signed out": (
        "gemini",
        'A warning.\n{"error": {"type": "Error", "message": "Please set", "code": 41}}',
        Answer(error="Please set", lasts=True),
    ),
    "copilot answers": (
        "copilot",
        (
            '{"type":"user.message","data":{"content":"asked"}}\n'
            f'{{"type":"assistant.message","data":{{"content":{SAID}}}}}\n{{"type":"result"}}'
        ),
        Answer(TEXT),
    ),
    "llm answers": (
        "llm",
        f'[{{"response": {SAID}, "input_tokens": 11, "output_tokens": 7}}]',
        Answer(TEXT, None, False, 11, 7),
    ),
    "llm knows no tokens": (
        "llm",
        f'[{{"response": {SAID}, "input_tokens": null, "output_tokens": -1}}]',
        Answer(TEXT),
    ),
}


@pytest.mark.parametrize(("name", "printed", "answer"), PRINTED.values(), ids=PRINTED.keys())
def test_what_is_printed_is_an_answer_or_an_error(name: str, printed: str, answer: Answer) -> None:
    assert ROWS[name].read(printed) == answer


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("printed", ["", "Update me", "null", "[]", "[1]", "{}", '{"type": 1}\n{'])
def test_anything_else_is_neither(name: str, printed: str) -> None:
    with pytest.raises((ValueError, LookupError, TypeError)):
        ROWS[name].read(printed)


# Tables that cannot be meant, and a part of what is said of them.
FLAWS = {
    'command = "claude"\nbase_url = "http://h/v1"\nmodel = "m"': "one of `base_url` and `command`",
    'model = "m"': "one of `base_url` and `command`",
    'command = "claude"\nkey_variable = "KEY"': "a `command` has no key, headers or body",
    'command = "claude"\nmodel = "a"\nmodels = ["b"]': "one of `model` and `models`",
    'command = "claude"\n[[endpoint.also]]\ncommand = "claude"': "a model is named twice",
    "command = 1": "Expected `str | array`",
}


@pytest.mark.parametrize(("table", "said"), FLAWS.items())
def test_a_table_that_cannot_be_meant_is_refused(tmp_path: Path, table: str, said: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f"[endpoint]\n{table}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be used") as refused:
        settings_for(EngineOptions(user_settings=str(path)))
    assert said in str(refused.value)


def test_a_command_shows_its_environment_to_nobody(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[endpoint]\ncommand = ["ask", "a model"]\n', encoding="utf-8")
    own = settings_for(EngineOptions(user_settings=str(path))).endpoint
    (endpoint,) = endpoints_from({"ASSAY_MODEL": "", "A_SECRET": "s3cr3t"}, own)
    assert (endpoint.name, endpoint.address) == ("ask 'a model'", "ask 'a model'")
    assert "s3cr3t" not in repr(endpoint)
    assert Endpoint("", "m", command="claude").name == "claude/m"
