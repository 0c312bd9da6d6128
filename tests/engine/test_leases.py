"""Leases on work that processes share: who waits, and who takes over."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from assay_engine.store import Leases, open_store
from assay_engine.store import store as leases

START = 1000.0


class Clock:
    """Reads what it was last set to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LOOK_SECONDS", 0.01)


async def test_one_waits_until_the_other_lets_go(tmp_path: Path) -> None:
    order: list[str] = []
    with open_store(tmp_path / "a.db") as one, open_store(tmp_path / "a.db") as other:
        here, there = Leases(one, Clock()), Leases(other, Clock())

        async def second() -> None:
            async with there.held("work", lambda: order.append("waits")):
                order.append("second")

        async with here.held("work", lambda: order.append("never")):
            task = asyncio.create_task(second())
            while "waits" not in order:
                await asyncio.sleep(0.01)
            async with there.held("other work", lambda: order.append("never")):
                order.append("first")
        await task
    assert [each for each in order if each != "waits"] == ["first", "second"]


@pytest.mark.parametrize(
    ("until", "later"),
    [(START + leases.LEASE_SECONDS, leases.LEASE_SECONDS), (START + 10**6, 0)],
    ids=["a killed holder", "a holder from before the machine was restarted"],
)
async def test_a_lease_that_is_not_renewed_is_taken_over(
    tmp_path: Path, until: float, later: float
) -> None:
    clock = Clock()
    with open_store(tmp_path / "a.db") as store:
        store.transaction(
            lambda books: books.execute("INSERT INTO leases VALUES ('work', 'gone', ?)", (until,))
        )

        def waits() -> None:
            clock.now += later

        async with Leases(store, clock).held("work", waits):
            assert clock.now == START + later


async def test_a_lease_is_renewed_while_its_holder_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.01)
    clock, waited = Clock(), list[float]()
    with open_store(tmp_path / "a.db") as one, open_store(tmp_path / "a.db") as other:

        def waits() -> None:
            waited.append(clock.now)
            clock.now += leases.LEASE_SECONDS / 10

        async def second() -> None:
            async with Leases(other, clock).held("work", waits):
                pass

        async with Leases(one, clock).held("work", waits):
            task = asyncio.create_task(second())
            while clock.now < START + 3 * leases.LEASE_SECONDS:
                assert not task.done()
                await asyncio.sleep(0.01)
        await task
    assert len(waited) >= 30


HOLDING = """
import sys
from pathlib import Path
from assay_engine.store import Leases, open_store
with open_store(Path(sys.argv[1])) as store:
    Leases(store, lambda: float(sys.argv[2]))._take("work")
    sys.stdout.write("holds")
    sys.stdout.flush()
    sys.stdin.read()
"""


async def test_nobody_waits_for_a_holder_that_was_killed(tmp_path: Path) -> None:
    clock, waited = Clock(), list[float]()

    def waits() -> None:
        waited.append(clock.now)
        if holder.poll() is None:
            holder.kill()
            holder.wait()

    with (
        open_store(tmp_path / "a.db") as store,
        subprocess.Popen(
            [sys.executable, "-c", HOLDING, tmp_path / "a.db", str(START)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.read(5) == b"holds"
        async with Leases(store, clock).held("work", waits):
            assert waited == [START]


async def test_a_holder_elsewhere_is_waited_for_though_no_process_here_has_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, waited = Clock(), list[float]()

    def waits() -> None:
        waited.append(clock.now)
        clock.now += leases.LEASE_SECONDS / 2

    with open_store(tmp_path / "a.db") as one, open_store(tmp_path / "a.db") as other:
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(leases, "_where_numbers_count", lambda: "elsewhere")
            elsewhere.setattr(leases.os, "getpid", lambda: 2**22 + 1)
            there = Leases(one, clock)
        assert there._take("work")
        async with Leases(other, clock).held("work", waits):
            assert waited == [START, START + leases.LEASE_SECONDS / 2]
