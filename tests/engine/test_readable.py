"""What programs may read of the project that they live in, and what stays closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay_engine import digest
from assay_engine.source import readable
from assay_engine.source.modules import workspace_modules
from assay_engine.source.text import read_source
from assay_sandbox import Place

TEXT = "import helper\n"


def listed(root: Path, file: str = "own.py", *, empty: tuple[str, ...] = ()) -> Place:
    for name in (file, f"{Path(file).parent}/helper.py", *empty):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(TEXT if name == file else "")
    place = workspace_modules(root / file, root).place(read_source(TEXT))
    assert place is not None
    return readable.with_files(place, root)


def names(place: Place, root: Path) -> set[str]:
    return {str(Path(each).relative_to(root)) for each in place.files} - {"own.py", "helper.py"}


# Beside a module, none of which Git leaves out.
SECRET = (
    ".env", ".git-credentials", "id_ed25519", "id_ecdsa", "api-key.txt", "apikey", "token",
    "token-prod.txt", "terraform.tfstate", "prod.tfvars", "kubeconfig", "service-account.json",
    "x.ppk", "x.p8", "x.ovpn", "_netrc", "x.kdb", "x.keytab", "data.db3", "x.sqlite-wal", "a.PEM",
    "prod.env.local", "id_rsa.bak", "pgpass.conf", "cookies.txt", "wallet.dat", "env", "ENV.local",
    "signing-key.txt", "gcp_key.json", "firebase-adminsdk-1.json",
)  # fmt: skip
PLAIN = (
    "tokenizer.json",
    "keys.csv",
    "keyboard.json",
    "cookiecutter.json",
    "environment.txt",
    "public.txt",
    "secrets.py",
)


def test_what_is_named_like_a_secret_is_closed(tmp_path: Path) -> None:
    place = listed(tmp_path, empty=("pyproject.toml", *SECRET, *PLAIN))
    assert names(place, tmp_path) == {"pyproject.toml", *PLAIN}


def test_only_what_lies_beside_code_or_below_it_is_open(tmp_path: Path) -> None:
    beside = ("a.json", "p/__init__.py", "p/data/a.json", "tools/run.py", "tools/in/a.json")
    closed = ("infra/prod.yaml", "notes/a.txt", "deep/notes/a.txt")
    place = listed(tmp_path, empty=("pyproject.toml", "deep/code/own.py", *beside, *closed))
    assert names(place, tmp_path) == {"pyproject.toml", "deep/code/own.py", *beside}


def test_what_git_leaves_out_of_the_whole_repository_is_closed(tmp_path: Path) -> None:
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("excluded.json\n")
    (tmp_path / ".gitignore").write_text("*.local.json\nsecrets.py\nleft_out/\ngenerated.py\n")
    root = tmp_path / "packages" / "one"
    closed = ("excluded.json", "a.local.json", "secrets.py", "left_out/a.json")
    place = listed(root, empty=("pyproject.toml", "generated.py", "a.json", *closed))
    assert names(place, root) == {"pyproject.toml", "generated.py", "a.json"}


@pytest.mark.parametrize("mark", [".git/HEAD", "pyproject.toml"])
def test_a_home_is_no_project_whatever_marks_it(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable, "users_home", lambda: tmp_path)
    place = listed(tmp_path, empty=(mark, "taxes.csv", "papers/a.txt", "papers/a.py", "p/a.json"))
    assert names(place, tmp_path) == set()
    (tmp_path / "p" / "__init__.py").touch()
    assert names(listed(tmp_path), tmp_path) == {"p/__init__.py", "p/a.json"}


def test_no_link_leads_out_of_the_project(tmp_path: Path) -> None:
    root, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    root.mkdir()
    (private / "diary.py").touch()
    (root / "src").symlink_to(private)
    (root / "folder").symlink_to(private)
    (root / "diary.py").symlink_to(private / "diary.py")
    place = listed(root, empty=("pyproject.toml",))
    assert names(place, root) == {"pyproject.toml"}
    assert place.roots == (str(root),)


def test_a_change_shows_though_time_and_size_are_kept(tmp_path: Path) -> None:
    before = listed(tmp_path, empty=("pyproject.toml",)).state
    file = tmp_path / "helper.py"
    file.write_text("X = 1")
    seen, digested, then = listed_again(tmp_path), digest.of_path(str(file)), file.stat()
    assert seen != before
    file.write_text("X = 2")
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert listed_again(tmp_path) != seen
    assert digest.of_path(str(file)) != digested


def listed_again(root: Path) -> str:
    place = workspace_modules(root / "own.py", root).place(read_source(TEXT))
    assert place is not None
    return readable.with_files(place, root).state


def test_what_is_no_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, Path("no\0name")):
        assert digest.of_path(str(path)) == ""
