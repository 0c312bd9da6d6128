"""Finding model servers on this machine, and remembering who may be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay_engine.models import find_local_servers, give_consent, has_consent, withdraw_consent
from assay_engine.models.discovery import KNOWN_SERVERS, KnownServer, LocalServer
from assay_engine.store import open_store
from support.openai_server import Behaviour, OpenAIServer, answer, drop, html, stall, status

# The test asks a thread of its own process, which a busy machine may keep waiting.
PATIENT_SECONDS = 20.0


def listing(*names: str, owner: str = "someone") -> Behaviour:
    data = [{"id": name, "object": "model", "owned_by": owner} for name in names]
    return answer({"object": "list", "data": data})


async def found_at(behaviour: Behaviour, seconds: float = PATIENT_SECONDS) -> LocalServer | None:
    with OpenAIServer([behaviour]) as server:
        probe = [KnownServer("vLLM", server.port, "vllm")]
        found = await find_local_servers(probe, seconds=seconds)
        assert all(each.base_url == server.base_url for each in found)
        assert {request.path for request in server.requests} <= {"/v1/models"}
    return found[0] if found else None


async def test_a_server_is_found_with_its_address_and_models() -> None:
    found = await found_at(listing("small", "large"))
    assert found is not None
    assert (found.product, found.models) == ("vLLM", ("small", "large"))


async def test_a_server_on_anothers_port_is_named_by_what_it_says_it_is() -> None:
    found = await found_at(listing("small", owner="llamacpp"))
    assert found is not None
    assert found.product == "llama.cpp"


@pytest.mark.parametrize("data", [None, []])
async def test_a_server_without_models_is_a_server(data: object) -> None:
    found = await found_at(answer({"object": "list", "data": data}))
    assert found is not None
    assert found.models == ()


@pytest.mark.parametrize(
    "behaviour",
    [
        html(200),
        status(404),
        status(401),
        drop,
        answer(b""),
        answer(b"[" * 100_000),
        answer([{"id": "x"}]),
        answer({"data": [{"id": "x"}]}),
        answer({"object": "list", "data": "x"}),
        answer({"object": "list", "data": ["x"]}),
        answer({"object": "list", "data": [{"id": 3}]}),
        listing("an escape \x1b[2J"),
        listing("x" * 300_000),
    ],
)
async def test_anything_else_on_the_port_is_no_server(behaviour: Behaviour) -> None:
    assert await found_at(behaviour) is None


async def test_a_silent_port_is_waited_for_no_longer_than_told() -> None:
    assert await found_at(stall(60), seconds=0.3) is None


async def test_all_ports_are_asked_and_closed_ones_are_left_out() -> None:
    with OpenAIServer([listing("a")]) as closed:
        port = closed.port
    with OpenAIServer([listing("b")]) as one, OpenAIServer([listing("c")]) as two:
        probe = [KnownServer("X", each, "x") for each in (port, one.port, two.port)]
        found = await find_local_servers(probe, seconds=PATIENT_SECONDS)
    assert [server.models for server in found] == [("b",), ("c",)]


def test_the_usual_ports_are_known() -> None:
    assert {known.product: known.port for known in KNOWN_SERVERS} == {
        "Ollama": 11434,
        "LM Studio": 1234,
        "vLLM": 8000,
        "llama.cpp": 8080,
    }


def test_a_yes_is_remembered_for_that_endpoint_alone_until_it_is_withdrawn(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        assert not has_consent(store, "http://127.0.0.1:8000/v1")
        give_consent(store, "http://127.0.0.1:8000/v1")
        give_consent(store, "http://127.0.0.1:8000/v1")
    with open_store(path) as store:
        assert has_consent(store, "HTTP://127.0.0.1:8000/v1/")
        assert not has_consent(store, "http://127.0.0.1:8080/v1")
        assert not has_consent(store, "https://127.0.0.1:8000/v1")
        withdraw_consent(store, "http://127.0.0.1:8000/v1")
        assert not has_consent(store, "http://127.0.0.1:8000/v1")
