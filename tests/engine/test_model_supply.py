"""Which model a check may use: found on this machine, agreed to, remembered, taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from assay_engine.check.model_supply import ModelSupply
from assay_engine.config.configuration import EngineOptions, ResolvedSettings
from assay_engine.config.settings import Settings
from assay_engine.errors import ConfigurationError
from assay_engine.models import LocalServer
from assay_engine.store import Store, open_store
from assay_engine.types import ProblemKind

URL = "http://127.0.0.1:11434/v1"
OLLAMA = LocalServer("Ollama", URL, ("small", "large"))

DEFAULTS = ResolvedSettings(Settings())


class Machine:
    """Servers that run, how often they were looked for, and the time."""

    def __init__(self, *servers: LocalServer) -> None:
        self.servers = servers
        self.looked = 0
        self.now = 0.0
        self.answers = asyncio.Event()
        self.answers.set()

    async def look(self) -> tuple[LocalServer, ...]:
        self.looked += 1
        await self.answers.wait()
        return self.servers


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as store:
        yield store


def supply(
    store: Store, machine: Machine, *, offline: bool = False, again: float = 10.0, model: str = ""
) -> ModelSupply:
    environment = {"ASSAY_MODEL": model} if model else {}
    options = EngineOptions(offline=offline, look_again_seconds=again, environment=environment)
    return ModelSupply(
        options, ResolvedSettings(Settings()), store, store, lambda: machine.now, machine.look
    )


async def test_who_says_no_is_not_told_to_start_what_runs(store: Store) -> None:
    found = supply(store, Machine(OLLAMA))
    await found.find()
    found.answer(URL, False)
    assert await found.find() == ()
    assert found.problem is not None
    assert found.problem.kind is ProblemKind.NO_CONSENT
    assert found.problem.message.startswith(f"Nothing is sent to {OLLAMA.product} at {URL}")


async def test_nothing_is_used_before_a_yes_and_nothing_after_it_is_taken_back(
    store: Store,
) -> None:
    found = supply(store, Machine(OLLAMA))
    assert await found.find() == ()
    assert found.problem is not None
    assert found.problem.kind is ProblemKind.NO_CONSENT
    found.answer(URL, True)
    (model,) = await found.find()
    assert model.name == found.name == "small"
    assert found.problem is None
    # By another process, as far as this one can tell.
    supply(store, Machine()).withdraw(URL)
    assert await found.find() == ()
    assert found.name == ""


async def test_without_servers_they_are_looked_for_once(store: Store) -> None:
    machine = Machine()
    found = supply(store, machine)
    for _ in range(5):
        assert await found.find() == ()
        assert await found.pending() == ()
    assert machine.looked == 1
    machine.now, machine.servers = 11.0, (OLLAMA,)
    assert await found.pending() == (OLLAMA,)
    assert machine.looked == 2


async def test_a_model_that_is_not_offered_is_not_replaced_by_another(store: Store) -> None:
    found = supply(store, Machine(OLLAMA), model="huge")
    found.answer(URL, True)
    assert await found.find() == ()
    assert found.problem is not None
    assert f"Ollama at {URL} does not offer huge" in found.problem.message
    assert "small, large" in found.problem.message
    named = supply(store, Machine(OLLAMA), model="large")
    (model,) = await named.find()
    assert model.name == "large"


async def test_offline_the_model_used_last_is_known(store: Store) -> None:
    online = supply(store, Machine(replace(OLLAMA, models=("large",))))
    online.answer(URL, True)
    await online.find()
    machine = Machine()
    offline = supply(store, machine, offline=True)
    assert offline.name == "large"
    (model,) = await offline.find()
    assert model.name == "large"
    assert machine.looked == 0
    online.withdraw(URL)
    nothing = supply(store, machine, offline=True)
    assert await nothing.find() == ()
    assert nothing.problem is not None
    assert nothing.problem.kind is ProblemKind.OFFLINE
    assert "Nothing stored can be used with --offline" in nothing.problem.message


async def test_a_server_that_does_not_run_is_still_known_by_its_model(store: Store) -> None:
    machine = Machine(OLLAMA)
    first = supply(store, machine)
    first.answer(URL, True)
    await first.find()
    machine.servers = ()
    later = supply(store, machine)
    (model,) = await later.find()
    assert [(model.name, at.base_url) for at in later.endpoints] == [("small", URL)]
    # And when another is found, that is used.
    other = replace(OLLAMA, base_url="http://127.0.0.1:8000/v1", models=("other",))
    machine.servers, machine.now = (other,), 11.0
    later.answer(other.base_url, True)
    (again,) = await later.find()
    assert again.name == "other"


async def test_a_look_that_is_cut_short_is_taken_again(store: Store) -> None:
    machine = Machine(OLLAMA)
    found = supply(store, machine)
    found.answer(URL, True)
    machine.answers.clear()
    check = asyncio.create_task(found.find())
    while not machine.looked:
        await asyncio.sleep(0)
    check.cancel()
    await asyncio.gather(check, return_exceptions=True)
    machine.answers.set()
    assert await found.find()


async def test_an_address_that_cannot_be_used_is_said_to_every_check(store: Store) -> None:
    environment = {"ASSAY_BASE_URL": "127.0.0.1:11434/v1", "ASSAY_MODEL": "small"}
    options = EngineOptions(environment=environment)
    found = ModelSupply(
        options, ResolvedSettings(Settings()), store, store, lambda: 0.0, Machine().look
    )
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="is not an HTTP address"):
            await found.find()
