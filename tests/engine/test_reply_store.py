"""The store in one process: what it keeps, what it lets go, and what it does about bad files."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assay_engine.check.report_cache import files_with_findings
from assay_engine.errors import StoreError
from assay_engine.store import memory_store, open_store
from assay_engine.store.database import MIGRATIONS


def test_what_is_put_is_there_for_the_next_process_and_kinds_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite3"
    with open_store(path) as store:
        store.put("reply", "key", {"text": "half a pair \ud83d"})
        store.put("report", "key", [1, 2.5, None, "é"])
    with open_store(path) as store:
        assert store.get("reply", "key") == {"text": "half a pair \ud83d"}
        assert store.get("report", "key") == [1, 2.5, None, "é"]
        assert store.get("reply", "other") is None
        assert store.notice is None


def test_a_value_put_again_replaces_the_old_one_and_its_size(tmp_path: Path) -> None:
    with open_store(tmp_path / "cache.sqlite3") as store:
        store.put("reply", "key", "x" * 5000)
        store.put("reply", "key", "y")
        small = store.size()
        store.put("reply", "key", "z")
        assert (store.get("reply", "key"), store.size()) == ("z", small)
        assert small < 1000


def test_files_in_which_something_was_found_are_those_below_a_folder(tmp_path: Path) -> None:
    root, link = tmp_path / "project", tmp_path / "link"
    root.mkdir()
    link.symlink_to(root)
    with memory_store() as store:
        for name in ("project/a.py", "project/b/c.py", "project2/d.py", "project/../e.py"):
            store.put("found", f"{tmp_path}/{name}", None)
        store.put("report", f"{root}/f.py", None)
        # By the name that it is opened by, those of the last check first.
        assert files_with_findings(store, link, 9) == (f"{link}/b/c.py", f"{link}/a.py")
        assert files_with_findings(store, link, 1) == ()
        assert files_with_findings(store, tmp_path / "\udcff", 9) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_the_file_or_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite3"
    old_mask = os.umask(0)
    try:
        with open_store(path) as store:
            store.put("reply", "key", 1)
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
            assert set(modes.values()) == {0o600}, modes
            assert "cache.sqlite3-wal" in modes
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    open_store(path).close()
    path.chmod(0o644)
    open_store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_least_recently_used_leave_first_when_room_runs_out() -> None:
    with memory_store(max_bytes=100_000) as store:
        for number in range(300):
            store.put("reply", f"{number}", "x" * 1000)
            assert store.get("reply", "0") is not None, "what is read again and again stays"
            assert store.size() <= 100_000
        assert store.get("reply", "299") is not None
        assert store.get("reply", "1") is None


def test_reads_keep_a_value_across_processes(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path, max_bytes=100_000) as store:
        for number in range(60):
            store.put("reply", f"{number}", "x" * 1000)
    with open_store(path, max_bytes=100_000) as store:
        assert store.get("reply", "0") is not None
    with open_store(path, max_bytes=100_000) as store:
        for number in range(60, 90):
            store.put("reply", f"{number}", "x" * 1000)
        assert store.get("reply", "0") is not None
        assert store.get("reply", "1") is None


def test_a_value_larger_than_the_store_is_not_kept_and_drives_nothing_out() -> None:
    with memory_store(max_bytes=10_000) as store:
        store.put("reply", "small", 1)
        store.put("reply", "large", "x" * 20_000)
        assert store.get("reply", "small") == 1
        assert store.get("reply", "large") is None


@pytest.mark.parametrize(
    "content", [b"this is no database" * 1000, b"SQLite format 3\0" + b"x" * 9000]
)
def test_a_file_that_is_no_database_is_set_aside_with_a_notice(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "cache.sqlite3"
    path.write_bytes(content)
    with open_store(path) as store:
        assert str(path) in (store.notice or "")
        assert "cache.sqlite3.damaged" in (store.notice or "")
        store.put("reply", "key", 1)
    assert (tmp_path / "cache.sqlite3.damaged").read_bytes() == content
    with open_store(path) as store:
        assert store.notice is None
        assert store.get("reply", "key") == 1


@pytest.mark.parametrize("page", range(1, 12, 2))
def test_damage_inside_the_file_costs_its_replies_and_nothing_else(
    tmp_path: Path, page: int
) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        for number in range(200):
            store.put("reply", f"{number}", {"number": number, "text": "x" * 500})
    with path.open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xff" * 4096)
    with open_store(path) as store:
        for number in range(200):
            value = store.get("reply", f"{number}")
            assert value is None or value == {"number": number, "text": "x" * 500}
            store.put("reply", f"{number}", "anew")
            assert store.get("reply", f"{number}") == "anew"
    with open_store(path) as store:
        assert store.get("reply", "199") == "anew"


def test_a_file_damaged_while_open_is_replaced_and_the_write_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        for number in range(200):
            store.put("reply", f"{number}", "x" * 500)
    with open_store(path) as store:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096 * 30)
        # Another writer makes the pages that this connection has read out of date.
        with sqlite3.connect(path) as other:
            other.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        store.put("reply", "key", "kept")
        assert store.get("reply", "key") == "kept"
        assert "was damaged" in (store.notice or "")


def test_a_file_that_was_replaced_by_one_process_is_taken_over_by_the_others(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        for number in range(200):
            store.put("reply", f"{number}", "x" * 500)
    with open_store(path) as first, open_store(path) as second:
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 4096 * 30)
        with sqlite3.connect(path) as other:
            other.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        first.put("reply", "first", 1)
        second.put("reply", "second", 2)
        assert "was damaged" in (first.notice or "")
        assert second.notice is None, "nothing was lost by the second"
        for store in (first, second):
            assert (store.get("reply", "first"), store.get("reply", "second")) == (1, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps open files in their place")
def test_a_write_after_another_process_moved_the_file_goes_to_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        store.put("reply", "before", 1)
        for suffix in ("-wal", "-shm"):
            (tmp_path / f"cache.sqlite3{suffix}").unlink()
        path.replace(tmp_path / "aside")
        assert store.get("reply", "before") is None
        store.put("reply", "after", 2)
        with open_store(path) as another:
            assert another.get("reply", "after") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps open files in their place")
def test_a_cache_directory_deleted_under_a_running_process_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "cache.sqlite3"
    with open_store(path) as store:
        store.put("reply", "before", 1)
        shutil.rmtree(path.parent)
        store.put("reply", "after", 2)
    with open_store(path) as store:
        assert (store.get("reply", "before"), store.get("reply", "after")) == (None, 2)


def test_another_programs_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE precious (value)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is another program's database"):
        open_store(path)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_file_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite3"
    with open_store(path) as store:
        store.put("reply", "key", 1)
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="newer version of Assay"):
        open_store(path)


def test_a_place_that_cannot_hold_a_file_is_a_store_error_that_says_what_happens(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "cache.sqlite3", tmp_path):
        with pytest.raises(StoreError) as caught:
            open_store(path)
        assert str(path) in str(caught.value)
        assert "continues without a cache" in str(caught.value)
        # More room would be of no use.
        assert "room" not in str(caught.value)
        assert "name another file in ASSAY_STORE" in str(caught.value)
        assert "Errno" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "make room there, or name another"),
        (PermissionError(errno.EACCES, "Permission denied"), "make it writable, or name"),
        (IsADirectoryError(errno.EISDIR, "Is a directory"), "); name another file in ASSAY_STORE"),
    ],
)
def test_what_would_help_depends_on_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, advice: str
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError) as caught:
        open_store(tmp_path / "cache.sqlite3")
    assert f"cannot be used ({error.strerror}); " in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for this user"
)
def test_a_read_only_directory_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(StoreError, match="continues without a cache"):
        open_store(tmp_path / "locked" / "cache.sqlite3")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store(tmp_path / "cache.sqlite3")
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.get("reply", "key")
    store.close()


ON_A_FULL_DISK = """
import asyncio, datetime, resource, sys
from pathlib import Path
from assay_engine.models import Allowance, Ledger, PanelMember, Ration, Session
from assay_engine.errors import BudgetSpent
from assay_engine.sampling.sampling import draw
from assay_engine.config.settings import Budget
from assay_engine.store import open_store
from assay_engine.types import Prompt, Reply, Usage

class Talkative:
    name = "talkative"
    async def reply(self, prompt, sample):
        return Reply("x" * 50_000, sample, Usage(1, 10, 1000), cached=False)

store = open_store(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
ledger = Ledger(store, Budget(), today=lambda: datetime.date(2026, 1, 2))
allowance = Allowance.of_check(Budget(requests_per_check=20))
member = PanelMember(Talkative())
model = Session([member], store=store, ration=Ration(allowance, 8), ledger=ledger)
prompt = Prompt("candidate", 1, "", "", 1.0, 1000)
drawn = asyncio.run(draw(model, prompt, range(30), deadline_seconds=60, concurrency=1))
assert len(drawn.replies) == 20, drawn.problems
assert [problem.kind for problem in drawn.problems] == ["budget-spent"], drawn.problems
assert "continues without a cache" in str(store.notice), store.notice
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit that stands for a full disk is Unix")
def test_on_a_full_disk_the_check_goes_on_without_a_cache_and_within_its_budget(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cache.sqlite3"
    program = [sys.executable, "-c", ON_A_FULL_DISK, str(path)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with open_store(path) as store:
        assert store.notice is None
        store.put("reply", "key", 1)
