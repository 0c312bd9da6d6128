"""What a refusal teaches, by the parameter that it names, whatever the words around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ModelError
from assay_engine.models import LearntDialect, OpenAIModel
from assay_engine.models.dialect import Dialect
from assay_engine.models.providers import ROWS, dialect_of
from assay_engine.models.thoughts import answer_among, without_thoughts
from assay_engine.store import open_store
from assay_engine.types import Prompt
from support.openai_server import Behaviour, OpenAIServer, Request, ok, status

PROMPT = Prompt("candidate", 1, "Write Python.", "def f(): ...", 0.7, 2000)
DEFAULT = Dialect()
THINKS = Dialect(effort="none")
OTHER = replace(DEFAULT, limit="max_completion_tokens")
COOL = replace(DEFAULT, names_temperature=False)

REFUSALS: list[tuple[Dialect, str, Dialect | None]] = [
    (DEFAULT, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", OTHER),
    (DEFAULT, "Use 'max_completion_tokens'; 'max_tokens' is not supported", OTHER),
    (DEFAULT, "o3-2025-04-16 does not support max_tokens", OTHER),
    (OTHER, "Extra inputs are not permitted: max_completion_tokens", DEFAULT),
    (DEFAULT, "`temperature` is deprecated for this model.", COOL),
    (DEFAULT, "invalid temperature: only 1 is allowed for this model", COOL),
    (DEFAULT, "not supported: temperature", COOL),
    (DEFAULT, json.dumps({"detail": [{"loc": ["body", "temperature"], "msg": "Extra"}]}), COOL),
    (DEFAULT, json.dumps({"error": {"message": "Bad value", "param": "temperature"}}), COOL),
    (DEFAULT, "temperature and max_tokens are refused", replace(OTHER, names_temperature=False)),
    (DEFAULT, "max_tokens: expected a value >= 4,096, but got 2000", replace(DEFAULT, least=4096)),
    (DEFAULT, "max_tokens must be from 1 to 1024", replace(DEFAULT, most=1024)),
    (
        DEFAULT,
        json.dumps({"error": {"message": "'max_tokens' is above 1024", "code": 4001}}),
        replace(DEFAULT, most=1024),
    ),
    (DEFAULT, "System role not supported", replace(DEFAULT, takes_system=False)),
    (DEFAULT, "Developer instruction is not enabled", replace(DEFAULT, takes_system=False)),
    (THINKS, "Unknown parameter: reasoning_effort", replace(THINKS, takes_effort=False)),
    (THINKS, "'reasoning_effort': 'none' is unsupported", replace(THINKS, effort="minimal")),
    (THINKS, "model does not support thinking", replace(THINKS, takes_effort=False)),
    (
        THINKS,
        "'none' is no reasoning_effort; use 'low', 'medium' or 'high'",
        replace(THINKS, effort="low"),
    ),
    (THINKS, "reasoning_effort must be one of low, medium, high", replace(THINKS, effort="low")),
    # Room for thoughts that the context does not have.
    (
        DEFAULT,
        "max_tokens is too large: 2000. The maximum context length is 1500 tokens",
        replace(DEFAULT, most=1492),
    ),
    (DEFAULT, "This model's maximum context length is 5 tokens", None),
    # Nothing that was sent is named.
    (DEFAULT, "context too long", None),
    (DEFAULT, "reasoning_effort is not supported", None),
    (DEFAULT, "the controller of this system failed", None),
    (DEFAULT, "", None),
]


@pytest.mark.parametrize(("dialect", "refusal", "learnt"), REFUSALS)
def test_a_refusal_teaches_what_it_names(
    dialect: Dialect, refusal: str, learnt: Dialect | None
) -> None:
    assert dialect.learnt_from(refusal, PROMPT, "o3-2025-04-16", last=False) == learnt


def test_before_the_last_try_an_effort_is_left_out_and_not_guessed() -> None:
    refusal = "'none' is unsupported as reasoning_effort"
    learnt = THINKS.learnt_from(refusal, PROMPT, "m", last=True)
    assert learnt == replace(THINKS, takes_effort=False)


def strict(refused: dict[str, str]) -> Any:
    def script(request: Request) -> Behaviour:
        named = next((name for name in refused if name in request.body), None)
        return ok("fine") if named is None else status(400, refused[named])

    return script


async def test_what_was_learnt_is_remembered_by_another_process(tmp_path: Path) -> None:
    refused = {"temperature": "Unknown parameter: 'temperature'"}
    with OpenAIServer(strict(refused)) as server, open_store(tmp_path / "store.db") as store:
        endpoint = Endpoint(server.base_url, "m")
        for _ in range(2):
            learnt = LearntDialect(endpoint, store)
            await OpenAIModel(endpoint, Sampling(), learnt).reply(PROMPT, 0)
        assert len(server.requests) == 3
        assert LearntDialect(endpoint, store).is_known
        assert not LearntDialect(replace(endpoint, model="other"), store).is_known
        assert LearntDialect(endpoint, store, anew=True).dialect == Dialect()


async def test_what_did_not_help_is_not_learnt(tmp_path: Path) -> None:
    with OpenAIServer([status(400, "temperature of the GPU")]) as server:
        with open_store(tmp_path / "store.db") as store:
            endpoint = Endpoint(server.base_url, "m")
            learnt = LearntDialect(endpoint, store)
            with pytest.raises(ModelError):
                await OpenAIModel(endpoint, Sampling(), learnt).reply(PROMPT, 0)
            assert learnt.dialect == Dialect()
            assert not LearntDialect(endpoint, store).is_known
        assert len(server.requests) == 2


async def test_an_effort_that_is_refused_without_a_word_is_taken_back() -> None:
    with OpenAIServer(strict({"reasoning_effort": "Bad request"})) as server:
        learnt = LearntDialect(Endpoint(server.base_url, "m"))
        learnt.try_on(THINKS)
        model = OpenAIModel(Endpoint(server.base_url, "m"), Sampling(), learnt)
        for sample in range(2):
            assert (await model.reply(PROMPT, sample)).text == "fine"
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("base_url", "model", "known"),
    [
        ("https://api.openai.com/v1", "gpt-4o", OTHER),
        ("https://openrouter.ai/api/v1", "anthropic/claude-opus-4.7", COOL),
        ("http://127.0.0.1:11434/v1", "qwen3-coder", DEFAULT),
    ],
)
def test_what_is_known_of_a_provider_spares_a_refusal(
    base_url: str, model: str, known: Dialect
) -> None:
    assert dialect_of(Endpoint(base_url, model)) == known
    assert all(row.source for row in ROWS)


ANSWER = "```python\ndef f(): ...\n```"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (ANSWER, ANSWER),
        (f"<think>\ndraft\n</think>\n{ANSWER}", ANSWER),
        (f"{ANSWER}\n<think>\ndraft", ANSWER),
        (f"draft</think>\n{ANSWER}", ANSWER),
        ("```python\n<think>\n```", "```python\n<think>\n```"),
        (f"<|channel|>analysis<|message|>d<|end|><|channel|>final<|message|>{ANSWER}", ANSWER),
        (
            f"analysis<|message|>d<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
            ANSWER,
        ),
        ("<|channel|>analysis<|message|>draft", ""),
        (f"analysisWe draft.assistantfinal{ANSWER}", ANSWER),
        ("analysisWe draft.", ""),
        ("analysis = 1", "analysis = 1"),
    ],
)
def test_what_is_only_thought_is_left_out(text: str, answer: str) -> None:
    assert without_thoughts(text).strip() == answer


@pytest.mark.parametrize(
    ("thoughts", "answer"),
    [(ANSWER, ANSWER), (f"Perhaps:\n{ANSWER}", ""), (f"Hm.</think>\n{ANSWER}", ANSWER), ("", "")],
)
def test_an_answer_filed_among_thoughts_stands_alone(thoughts: str, answer: str) -> None:
    assert answer_among(thoughts) == answer
