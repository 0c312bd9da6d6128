"""What holds for all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, settings

from assay_sandbox import Limits

if TYPE_CHECKING:
    from assay_engine.compare.executor import Executor

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("assay", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("assay"), max_examples=20)
settings.load_profile("assay")

# What starts processes or threads, by the name that a file has for it, and fixtures that do.
STARTING = {"subprocess", "multiprocessing", "Sandbox", "Engine", "OpenAIServer", "open_laboratory"}
FIXTURES = {"executor", "impatient", "sandbox", "opened", "client", "editor", "start"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests whose file, or what it has of `support`, names something that starts one."""
    for item in items:
        assert isinstance(item, pytest.Function)
        if FIXTURES & set(item.fixturenames) or _starts(item.module, set()):
            item.add_marker("process")


def _starts(module: ModuleType, seen: set[str]) -> bool:
    seen.add(module.__name__)
    if STARTING & vars(module).keys():
        return True
    origins = {getattr(value, "__module__", None) or "" for value in vars(module).values()}
    own = {name for name in origins if name.startswith("support.")} - seen
    return any(_starts(sys.modules[name], seen) for name in own)


@pytest.fixture(scope="session")
def executor() -> Iterator[Executor]:
    """Where programs run in tests: real sandboxes, open for all of them."""
    from assay_engine.compare.executor import open_executor

    with open_executor(Limits(call_seconds=0.5, total_seconds=8.0)) as opened:
        yield opened


@pytest.fixture(scope="session")
def impatient(executor: Executor) -> Executor:
    """The same for what comes to no end, of which a trial makes many runs."""
    return msgspec.structs.replace(executor, limits=Limits(call_seconds=0.1, total_seconds=8.0))
