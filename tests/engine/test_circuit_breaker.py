"""An endpoint that refuses every request alike is asked once, until somebody asks anew."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ModelError, ModelUnavailable
from assay_engine.models import CircuitBreaker, OpenAIModel
from assay_engine.types import Prompt
from support.openai_server import (
    Behaviour,
    OpenAIServer,
    Request,
    answer,
    completion,
    ok,
    status,
)

PROMPT = Prompt("candidate", 1, "Write Python.", "def f(): ...", 0.7, 100)


def model_at(base_url: str) -> CircuitBreaker:
    sampling = Sampling(request_seconds=30.0, retries=0)
    return CircuitBreaker(OpenAIModel(Endpoint(base_url, "test-model", ""), sampling))


async def refusal_of(model: CircuitBreaker) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        await model.reply(PROMPT, 0)
    return caught.value


@pytest.mark.parametrize("refused", [status(401), status(403), status(404)])
async def test_a_refusal_that_lasts_is_met_once(refused: Behaviour) -> None:
    with OpenAIServer([refused]) as server:
        model = model_at(server.base_url)
        first, second = await refusal_of(model), await refusal_of(model)
        assert len(server.requests) == 1
        model.try_again()
        await refusal_of(model)
        assert len(server.requests) == 2
    assert str(first) == str(second)
    assert (first.sent, second.sent) == (True, False)


async def test_who_listens_by_then_is_asked_again() -> None:
    with OpenAIServer([ok("done")]) as server:
        port, model = server.port, model_at(server.base_url)
    assert "cannot be reached" in str(await refusal_of(model))
    with OpenAIServer([ok("done")], port=port) as server:
        await refusal_of(model)
        assert not server.requests
        model.try_again()
        assert (await model.reply(PROMPT, 0)).text == "done"


async def test_a_refusal_beside_answers_holds_up_nobody() -> None:
    def script(request: Request) -> Behaviour:
        return status(404) if request.number == 1 else ok("done")

    with OpenAIServer(script) as server:
        model = model_at(server.base_url)
        await model.reply(PROMPT, 0)
        await refusal_of(model)
        assert (await model.reply(PROMPT, 0)).text == "done"


@pytest.mark.parametrize("passing", [status(429), status(500)])
async def test_what_passes_is_not_remembered(passing: Behaviour) -> None:
    with OpenAIServer([passing]) as server:
        model = model_at(server.base_url)
        await refusal_of(model)
        await refusal_of(model)
        assert len(server.requests) == 2


def ended_by(reason: str) -> Behaviour:
    choice = {
        "index": 0,
        "finish_reason": reason,
        "message": {"role": "assistant", "content": ""},
    }
    return answer(completion("", choices=[choice]))


def prompts(count: int) -> list[Prompt]:
    return [replace(PROMPT, user=f"def f{number}(): ...") for number in range(count)]


async def failures(model: CircuitBreaker, asked: list[Prompt], samples: int) -> list[ModelError]:
    found: list[ModelError] = []
    for prompt in asked:
        for sample in range(samples):
            with pytest.raises(ModelError) as caught:
                await model.reply(prompt, sample)
            found.append(caught.value)
    return found


@pytest.mark.parametrize("failing", [status(500), ended_by("length")])
async def test_who_answers_nothing_is_not_asked_about_every_function(failing: Behaviour) -> None:
    with OpenAIServer([failing]) as server:
        model = model_at(server.base_url)
        found = await failures(model, prompts(6), 5)
        assert len(server.requests) == 11
        assert len({str(each) for each in found}) == 1
        model.try_again()
        await failures(model, prompts(1), 1)
        assert len(server.requests) == 12


async def test_what_is_refused_for_one_function_alone_holds_up_no_other() -> None:
    with OpenAIServer([ended_by("content_filter")]) as server:
        await failures(model_at(server.base_url), prompts(2), 20)
        assert len(server.requests) == 40


async def test_failures_beside_an_answer_hold_up_nobody() -> None:
    def script(request: Request) -> Behaviour:
        return ok("done") if request.number == 0 else status(500)

    with OpenAIServer(script) as server:
        model = model_at(server.base_url)
        await model.reply(PROMPT, 0)
        await failures(model, prompts(4), 5)
        assert len(server.requests) == 21
