"""The store under several processes, and under processes that are killed in the middle."""

from __future__ import annotations

import sqlite3
import subprocess
from pathlib import Path

import pytest

from assay_engine.errors import StoreError
from assay_engine.store import database, open_store
from support.forking import forked

WRITER = """
import datetime, sys, time
from pathlib import Path
from assay_engine.config.settings import Budget
from assay_engine.models import Ledger
from assay_engine.store import open_store

name, path = sys.argv[1:]
store = open_store(Path(path))
ledger = Ledger(store, Budget(), today=lambda: datetime.date(2026, 1, 2))
for number in range(100_000):
    store.put("reply", f"{name}-{number}", {"number": number, "text": "x" * (number % 7 * 1000)})
    ledger.reserve(10)
    print(number, flush=True)
    # Who writes without a pause can keep the other from it for so long that it counts in memory.
    time.sleep(0.001)
"""

ROUNDS = 12


def start_writer(program: Path, name: str, path: Path) -> subprocess.Popen[str]:
    command = forked(str(program), name, str(path))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_who_has_waited_for_another_process_in_vain_does_not_wait_again_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        store.put("reply", "before", 1)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
        with pytest.raises(StoreError, match="locked"):
            store.put("reply", "meanwhile", 1)
        # Whoever waited now would wait for longer than a test may take.
        monkeypatch.setattr(database, "BUSY_SECONDS", 3600.0)
        for _ in range(3):
            with pytest.raises(StoreError, match="locked"):
                store.put("reply", "meanwhile", 1)
        assert store.get("reply", "before") == 1
        other.rollback()
        other.close()
        store.put("reply", "after", 1)
        assert store.get("reply", "after") == 1


def test_killing_writers_in_the_middle_loses_nothing_they_had_finished(tmp_path: Path) -> None:
    path, program = tmp_path / "cache.sqlite3", tmp_path / "writer.py"
    program.write_text(WRITER, encoding="utf-8")
    finished: dict[str, int] = {}
    for round_number in range(ROUNDS):
        names = [f"{round_number}-{letter}" for letter in "ab"]
        writers = {name: start_writer(program, name, path) for name in names}
        for name, writer in writers.items():
            assert writer.stdout is not None
            for line in writer.stdout:
                finished[name] = int(line)
                # A different point every time, early ones among them.
                if finished[name] >= round_number * 3:
                    break
        for name, writer in writers.items():
            writer.kill()
            rest, _ = writer.communicate()
            whole_lines = rest.split("\n")[:-1]
            finished[name] = int(whole_lines[-1]) if whole_lines else finished[name]
        with open_store(path) as store:
            assert store.notice is None, store.notice
            for name in names:
                for number in range(finished[name] + 1):
                    value = {"number": number, "text": "x" * (number % 7 * 1000)}
                    assert store.get("reply", f"{name}-{number}") == value
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (counted,) = connection.execute("SELECT sum(tokens) FROM ledger").fetchone()
        assert counted >= 10 * sum(number + 1 for number in finished.values())
        query = "SELECT sum(size) = (SELECT bytes FROM totals) FROM entries"
        assert connection.execute(query).fetchone() == (1,)


OPENER = """
import sys
from pathlib import Path
from assay_engine.store import open_store

print("ready", flush=True)
sys.stdin.readline()
with open_store(Path(sys.argv[2])) as store:
    store.put("reply", sys.argv[1], sys.argv[1])
    print(store.notice or "", flush=True)
"""


@pytest.mark.parametrize("content", [None, b"no database at all" * 1000])
def test_processes_that_open_the_file_at_once_agree_on_one(
    tmp_path: Path, content: bytes | None
) -> None:
    program = tmp_path / "opener.py"
    program.write_text(OPENER, encoding="utf-8")
    for attempt in range(4):
        path = tmp_path / f"{attempt}.sqlite3"
        if content is not None:
            path.write_bytes(content)
        openers = [
            subprocess.Popen(
                forked(str(program), f"{n}", str(path)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for n in range(6)
        ]
        for opener in openers:
            assert opener.stdout is not None
            opener.stdout.readline()
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write("\n")
            opener.stdin.flush()
        for opener in openers:
            _, complaints = opener.communicate()
            assert opener.returncode == 0, complaints
        with open_store(path) as store:
            kept = [store.get("reply", f"{n}") for n in range(6)]
            if content is None:
                assert kept == [f"{n}" for n in range(6)]
            else:
                # Whoever wrote to a file that was being replaced loses a reply, never the store.
                assert any(kept)
