"""What programs may read of the project that they live in."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from assay_engine.bounds import READABLE_BYTES_MAX
from assay_engine.source.readable import with_files
from assay_sandbox import Place

READ = (
    "shop/__init__.py",
    "shop/own.py",
    "shop/rates.json",
    "shop/native.cpython-311-x86_64-linux-gnu.so",
    "shop/data/tokenizer.txt",
    "shop/secrets.py",
    "generated/_version.py",
)
CLOSED = (
    ".env",
    ".git/config",
    "shop/.hidden.py",
    "shop/.netrc/x.json",
    "shop/server.pem",
    "shop/id_rsa",
    "shop/my_credentials.json",
    "shop/store.sqlite3",
    "shop/ignored.csv",
    "shop/local_secrets.py",
    "build/notes.txt",
    "node_modules/a/a.py",
    "env/lib/python3.11/site-packages/a/a.py",
    "env/pyvenv.cfg",
    "shop/__pycache__/own.cpython-311.pyc",
)
IGNORED = "*.csv\nlocal_secrets.py\n/generated\n/build\n"


def project(root: Path) -> Place:
    for name in (*READ, *CLOSED):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / ".gitignore").write_text(IGNORED)
    (root / "shop/large.json").write_text(" " * (READABLE_BYTES_MAX + 1))
    (root / "shop/link.json").symlink_to(root / ".env")
    (root / "linked").symlink_to(root / ".git")
    os.mkfifo(root / "shop/pipe.json")
    return Place("shop.own", str(root / "shop/own.py"), (str(root),), ())


def read(place: Place, root: Path) -> set[str]:
    return {os.path.relpath(each, root) for each in with_files(place, root).files}


def test_what_may_be_read_of_a_project(tmp_path: Path) -> None:
    assert read(project(tmp_path), tmp_path) == {*READ}


def test_where_nothing_marks_a_project_only_packages_count(tmp_path: Path) -> None:
    place = project(tmp_path)
    (tmp_path / ".git").rename(tmp_path / "git")
    for name in ("script.py", "letter.txt", "other/loose.py", "other/taxes.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    packages = {name for name in READ if name.startswith("shop/")}
    assert read(place, tmp_path) == packages | {"script.py"}


def test_the_state_is_that_of_all_files_but_the_modules_own(tmp_path: Path) -> None:
    place = project(tmp_path)
    before = with_files(place, tmp_path)
    (tmp_path / "shop/own.py").write_text("X = 1")
    assert with_files(place, tmp_path) == before
    (tmp_path / "shop/rates.json").write_text("1")
    changed = with_files(place, tmp_path)
    assert replace(changed, state="") == replace(before, state="")
    assert changed.state != before.state
