"""What programs may read of the project that they live in, and what stays closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay_engine import digest
from assay_engine.dependencies import readable
from assay_engine.dependencies.modules import workspace_modules
from assay_engine.syntax.text import read_source
from assay_sandbox import Place
from support.repositories import repository

TEXT = "import helper\n"


def listed(
    root: Path,
    file: str = "own.py",
    *,
    empty: tuple[str, ...] = (),
    tracked: Path | None = None,
    text: str = TEXT,
) -> Place:
    """The place of a file that is written among empty ones, all of which Git tracks from the folder
    `tracked` on, unless it leaves them out."""
    for name in (file, f"{Path(file).parent}/helper.py", *empty):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text if name == file else "")
    if tracked is not None:
        repository(tracked).git("add", "--all")
    place = workspace_modules(root / file, root).place(read_source(text))
    assert place is not None
    return readable.with_files(place, root, text)


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
    text = "import helper, secrets\n"
    empty = ("pyproject.toml", *SECRET, *PLAIN)
    place = listed(tmp_path, empty=empty, tracked=tmp_path, text=text)
    assert names(place, tmp_path) == {"pyproject.toml", *PLAIN}


def test_only_what_lies_beside_code_or_below_it_is_open(tmp_path: Path) -> None:
    beside = ("a.json", "p/__init__.py", "p/data/a.json", "tools/run.py", "tools/in/a.json")
    closed = ("infra/prod.yaml", "notes/a.txt", "deep/notes/a.txt")
    text = "import p, tools.run, infra, notes, deep.notes, deep.code.own, helper; open('in')"
    empty = ("pyproject.toml", "deep/code/own.py", *beside, *closed)
    place = listed(tmp_path, empty=empty, tracked=tmp_path, text=text)
    assert names(place, tmp_path) == {"pyproject.toml", "deep/code/own.py", *beside}


def test_of_files_that_are_no_code_those_that_git_tracks_are_open(tmp_path: Path) -> None:
    listed(
        tmp_path, empty=("pyproject.toml", "a.json", "p/__init__.py", "p/a.json"), text="import p"
    )
    repository(tmp_path).git("add", "a.json")
    untracked = ("config.yml", "session.json", "dump.sql", "p/nb.ipynb", "p/new.py")
    private = tmp_path.with_name("private.txt")
    private.write_text("private")
    (tmp_path / "linked.txt").hardlink_to(private)
    place = listed(tmp_path, empty=untracked, text="import p")
    assert names(place, tmp_path) == {"a.json", "p/__init__.py", "p/new.py"}
    repository(tmp_path).git("add", "session.json")
    place = listed(tmp_path, text="import p")
    assert names(place, tmp_path) == {"a.json", "session.json", "p/__init__.py", "p/new.py"}


def test_where_git_tracks_nothing_those_in_packages_are(tmp_path: Path) -> None:
    empty = ("pyproject.toml", "a.json", "p/__init__.py", "p/data/a.json", "tools/run.py")
    beside = ("tools/run.json",)
    place = listed(tmp_path, empty=(*empty, *beside), text="import p.data, tools.run")
    assert names(place, tmp_path) == {"p/__init__.py", "p/data/a.json", "tools/run.py"}


# Each with what is named by it of `named/`, `both/`, `deep/`, `left_out.py` and the rest.
NAMING = (
    ("import helper", set[str]()),
    ("import helper, named", {"named"}),
    ("from helper import (\n    # all\n    x,\n    named,\n)", {"named"}),
    ("def f():\n    from ..named.inner import x", {"named"}),
    ("APPS = ['named.apps.Config', \"other\"]", {"named", "other"}),
    ("import_module(f'named.{x}')", {"named"}),
    ("# of the named and the other\nX = 'the named'", set[str]()),
    ("import other", {"other", "named"}),
    ("import alone", {"alone"}),
    ("from own.inside import left_out", {"left_out"}),
    ("import spaces", set[str]()),
    ("from spaces import deep", {"deep"}),
)


@pytest.mark.parametrize(("text", "found"), NAMING)
def test_of_other_packages_those_that_are_named_are_open(
    text: str, found: set[str], tmp_path: Path
) -> None:
    files = {
        "named": "named/__init__.py",
        "other": "other/inner/__init__.py",
        "alone": "alone.py",
        "left_out": "own/left_out.py",
        "deep": "spaces/deep.py",
    }
    inside = ("own/__init__.py", "own/inside/__init__.py", "own/inside/more.py")
    listed(tmp_path, "own/inside/it.py", empty=("pyproject.toml", *inside, *files.values()))
    (tmp_path / "other" / "__init__.py").write_text("import named")
    (tmp_path / ".gitignore").write_text("left_out.py\n")
    place = listed(tmp_path, "own/inside/it.py", tracked=tmp_path, text=text)
    opened = names(place, tmp_path) - {"pyproject.toml", "own/inside/it.py", *inside}
    opened -= {"own/inside/helper.py", "other/__init__.py"}
    assert opened == {files[each] for each in found}


def test_a_chain_of_names_is_followed_in_a_moment(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    for n in range(3000):
        (tmp_path / f"m{n}.py").write_text(f"import m{n + 1}")
    assert len(listed(tmp_path, text="import m0").files) == 3001
    assert (
        len(listed(tmp_path, text="import helper\n# import (" + " import (" * 200_000).files) == 2
    )


def test_what_git_leaves_out_of_the_whole_repository_is_closed(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / ".git" / "info" / "exclude").write_text("excluded.json\n")
    (tmp_path / ".gitignore").write_text(
        "*.local.json\nsecrets.py\nleft_out/\ngenerated.py\nscratch.py\n"
    )
    root = tmp_path / "packages" / "one"
    closed = ("excluded.json", "a.local.json", "secrets.py", "left_out/a.json", "scratch.py")
    empty = ("pyproject.toml", "generated.py", "a.json", *closed)
    place = listed(root, empty=empty, tracked=tmp_path, text="import helper, generated, secrets")
    assert names(place, root) == {"pyproject.toml", "generated.py", "a.json"}


@pytest.mark.parametrize("mark", [".git/HEAD", "pyproject.toml"])
def test_a_home_is_no_project_whatever_marks_it(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable, "users_home", lambda: tmp_path)
    text = "import helper, papers.a, p"
    empty = (mark, "taxes.csv", "papers/a.txt", "papers/a.py", "p/a.json")
    assert names(listed(tmp_path, empty=empty, text=text), tmp_path) == set()
    (tmp_path / "p" / "__init__.py").touch()
    assert names(listed(tmp_path, text=text), tmp_path) == {"p/__init__.py", "p/a.json"}


def test_no_link_leads_out_of_the_project(tmp_path: Path) -> None:
    root, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    root.mkdir()
    (private / "diary.py").touch()
    (root / "src").symlink_to(private)
    (root / "folder").symlink_to(private)
    (root / "diary.py").symlink_to(private / "diary.py")
    text = "import helper, diary, src, folder"
    place = listed(root, empty=("pyproject.toml",), tracked=root, text=text)
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
    return readable.with_files(place, root, TEXT).state


def test_what_is_no_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, Path("no\0name")):
        assert digest.of_path(str(path)) == ""
