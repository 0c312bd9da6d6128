"""The cache in front of a model: what it answers for, and what it does when its store fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ModelUnavailable, RequestsForbidden
from assay_engine.models import Forbidden, OpenAIModel
from assay_engine.models.transcript import reply_key
from assay_engine.store import open_store
from assay_engine.types import Prompt, Usage
from support.openai_server import OpenAIServer, ok, status
from support.sessions import session_of

PROMPT = Prompt("candidate", 1, "sys", "def f(): ...", 1.0, 100)


def model_at(server: OpenAIServer, name: str = "test-model") -> OpenAIModel:
    return OpenAIModel(Endpoint(server.base_url, name), Sampling(retries=0))


async def test_a_reply_is_asked_for_once_and_costs_what_it_cost_then(tmp_path: Path) -> None:
    with OpenAIServer([ok("fine")]) as server:
        for cached in (False, True):
            with open_store(tmp_path / "cache.sqlite3") as store:
                reply = await session_of(model_at(server), store=store).reply(PROMPT, 3)
            assert (reply.text, reply.sample, reply.cached) == ("fine", 3, cached)
            assert reply.usage == Usage(1, 11, 7)
        assert len(server.requests) == 1


async def test_the_same_model_at_another_address_is_the_same_model(tmp_path: Path) -> None:
    with open_store(tmp_path / "cache.sqlite3") as store:
        with OpenAIServer([ok("fine")]) as server:
            await session_of(model_at(server), store=store).reply(PROMPT, 0)
        with OpenAIServer([status(500)]) as other:
            assert (await session_of(model_at(other), store=store).reply(PROMPT, 0)).text == "fine"


@pytest.mark.parametrize(
    ("prompt", "model", "sample"),
    [
        (replace(PROMPT, name="judge"), "m", 0),
        (replace(PROMPT, version=2), "m", 0),
        (replace(PROMPT, system=""), "m", 0),
        (replace(PROMPT, user="def g(): ..."), "m", 0),
        (replace(PROMPT, temperature=0.0), "m", 0),
        (replace(PROMPT, max_tokens=101), "m", 0),
        (PROMPT, "other", 0),
        (PROMPT, "m", 1),
    ],
)
def test_whatever_can_change_a_reply_changes_its_key(
    prompt: Prompt, model: str, sample: int
) -> None:
    assert reply_key(prompt, model, sample) != reply_key(PROMPT, "m", 0)


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with (
        open_store(tmp_path / "cache.sqlite3") as store,
        OpenAIServer([status(500), ok("fine")]) as server,
    ):
        model = session_of(model_at(server), store=store)
        with pytest.raises(ModelUnavailable):
            await model.reply(PROMPT, 0)
        assert (await model.reply(PROMPT, 0)).text == "fine"


@pytest.mark.parametrize("value", [None, 3, {"text": 3}, {"text": "x", "usage": ["1", 2, 3]}])
async def test_a_stored_value_of_another_shape_is_asked_for_again(
    tmp_path: Path, value: object
) -> None:
    with open_store(tmp_path / "cache.sqlite3") as store, OpenAIServer([ok("fine")]) as server:
        store.put("reply", reply_key(PROMPT, "test-model", 0), value)
        assert (await session_of(model_at(server), store=store).reply(PROMPT, 0)).text == "fine"


async def test_a_store_that_fails_is_left_alone(tmp_path: Path) -> None:
    with OpenAIServer([ok("fine")]) as server:
        store = open_store(tmp_path / "cache.sqlite3")
        model = session_of(model_at(server), store=store)
        store.close()
        for sample in range(3):
            assert (await model.reply(PROMPT, sample)).text == "fine"
        assert len(server.requests) == 3


async def test_a_forbidden_request_names_its_cause_and_the_way_out() -> None:
    with pytest.raises(RequestsForbidden) as caught:
        await Forbidden("test-model").reply(PROMPT, 2)
    message = str(caught.value)
    assert message.startswith("No stored reply for this function: its signature, docstring or ")
    assert "without --offline" in message
