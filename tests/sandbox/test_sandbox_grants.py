"""What an environment's own links let programs read: nothing that is not in it anyway."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from assay_sandbox import (
    Call,
    InterpreterUnusable,
    Program,
    Returned,
    Sandbox,
    SandboxUnavailable,
    decode,
    starting,
    zygotes,
)
from assay_sandbox.worker.confine import landlock

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the tiers are those of Linux"
)
TIERS = ("N", "L", "B", "S")
KEY = "a stand-in for a private key"
BASE = Path(sys.executable).resolve()
DEBIANS = Path("/usr/bin/python3").resolve()
STANDARD = f"lib/python{sysconfig.get_python_version()}"
READING = Program(
    """
def f(names):
    read = []
    for name in names:
        try:
            with open(name) as file:
                read.append(file.read())
        except OSError:
            pass
    return read
""",
    "f",
)


def made(folder: Path, base: Path = BASE) -> Path:
    """A usual environment, made by hand."""
    (folder / STANDARD / "site-packages").mkdir(parents=True)
    (folder / STANDARD / "site-packages" / "own.txt").write_text("own")
    (folder / "lib64").symlink_to("lib")
    (folder / "bin").mkdir()
    (folder / "bin" / base.name).symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    return folder


def instead(link: Path, target: Path | str) -> None:
    """Put a link in the place of a file or folder of an environment."""
    if link.is_dir() and not link.is_symlink():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)


def by_two(environment: Path, private: Path) -> None:
    instead(environment / STANDARD / "site-packages", "../../other")
    instead(environment / "other", os.path.relpath(private, environment))


def by_the_folder_above(environment: Path, private: Path) -> None:
    (private / "site-packages").mkdir()
    (private / "site-packages" / "key").write_text(KEY)
    instead(environment / STANDARD, private)


# What a link may stand for, and the names below the environment by which a program would read.
LINKS: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "packages": (
        lambda environment, private: instead(environment / STANDARD / "site-packages", private),
        f"{STANDARD}/site-packages/key",
    ),
    "packages, by a link to a link": (by_two, f"{STANDARD}/site-packages/key"),
    "a folder above packages": (by_the_folder_above, f"{STANDARD}/site-packages/key"),
    "something in packages": (
        lambda environment, private: instead(
            environment / STANDARD / "site-packages" / "inner", private
        ),
        f"{STANDARD}/site-packages/inner/key",
    ),
    "the settings": (
        lambda environment, private: instead(environment / "pyvenv.cfg", private / "key"),
        "pyvenv.cfg",
    ),
    "the interpreter": (
        lambda environment, private: instead(environment / "bin" / BASE.name, private / "key"),
        f"bin/{BASE.name}",
    ),
}


def opened(tier: str, environment: Path, base: Path = BASE) -> Sandbox:
    return started(Sandbox(base, tier=tier, virtual_environment=environment))


def started(box: Sandbox) -> Sandbox:
    try:
        box.start()
    except SandboxUnavailable as error:
        box.close()
        pytest.skip(error.reason)
    return box


def read(box: Sandbox, *names: Path) -> object:
    (seen,) = box.run(READING, [Call(([str(name) for name in names],))])
    assert isinstance(seen, Returned), seen
    return decode(seen.value)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    (folder / "key").write_text(KEY)
    return folder


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("tier", TIERS)
def test_a_link_out_of_an_environment_opens_nothing(
    tmp_path: Path, private: Path, tier: str, link: str
) -> None:
    environment = made(tmp_path / "environment")
    put, name = LINKS[link]
    put(environment, private)
    with opened(tier, environment) as box:
        assert (
            read(box, private / "key", private / "site-packages" / "key", environment / name) == []
        )


@pytest.mark.parametrize("tier", TIERS)
def test_nor_does_one_if_the_environments_own_interpreter_is_started(
    tmp_path: Path, private: Path, tier: str
) -> None:
    environment = made(tmp_path / "environment")
    name = f"{STANDARD}/site-packages"
    instead(environment / name, private)
    box = Sandbox(environment / "bin" / BASE.name, tier=tier)
    with started(box):
        assert read(box, private / "key", environment / name / "key") == []


@pytest.mark.skipif(not DEBIANS.exists(), reason="there is no interpreter of the system")
@pytest.mark.parametrize("tier", TIERS)
def test_nor_does_one_where_only_debians_interpreter_looks(
    tmp_path: Path, private: Path, tier: str
) -> None:
    asked = [DEBIANS, "-I", "-S", "-c", "import site; print(site.getsitepackages(['/p']))"]
    if "dist-packages" not in subprocess.check_output(asked, text=True, timeout=30):
        pytest.skip("this interpreter looks for packages where all others do")
    environment = made(tmp_path / "environment", DEBIANS)
    names = ("lib/python3", STANDARD, f"local/{STANDARD}")
    for name in names:
        instead(environment / name / "dist-packages", private)
    with opened(tier, environment, DEBIANS) as box:
        tried = [environment / name / "dist-packages" / "key" for name in names]
        assert read(box, private / "key", *tried) == []


@pytest.mark.parametrize("tier", ["N", "L", "B"])
def test_what_is_in_an_environment_is_read_by_all_its_names(tmp_path: Path, tier: str) -> None:
    environment = made(tmp_path / "environment")
    name = environment / STANDARD / "site-packages" / "own.txt"
    with opened(tier, environment) as box:
        assert read(box, name) == ["own"]


@pytest.mark.parametrize("tier", TIERS)
def test_an_environment_that_has_become_a_link_is_not_used(tmp_path: Path, tier: str) -> None:
    environment = made(tmp_path / "environment")
    with opened(tier, environment):
        pass
    environment.rename(tmp_path / "elsewhere")
    environment.symlink_to("elsewhere")
    with (
        Sandbox(BASE, tier=tier, virtual_environment=environment) as box,
        pytest.raises(
            InterpreterUnusable, match=r"to another folder by now|where its libraries are"
        ),
    ):
        box.start()


@pytest.mark.parametrize("tier", ["N", "L", "B"])
def test_the_canary_tries_what_a_link_among_the_packages_leads_to(
    tmp_path: Path, private: Path, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = made(tmp_path / "environment")
    instead(environment / STANDARD / "site-packages", private)
    with opened(tier, environment) as box:
        assert all(canary.held for canary in box.tier.canaries)
    # A worker that grants whatever has the name of a library.
    worker = shutil.copytree(zygotes.WORKER.parent, tmp_path / "worker")
    text = (worker / "confine/paths.py").read_text()
    assert text.count(".startswith(inside)\n    ]") == 1
    (worker / "confine/paths.py").write_text(text.replace(".startswith(inside)\n    ]", "\n    ]"))
    for module in (zygotes, starting):
        monkeypatch.setattr(module, "WORKER", worker / "main.py")
    with (
        Sandbox(BASE, tier=tier, virtual_environment=environment) as box,
        pytest.raises(SandboxUnavailable, match="read succeeded"),
    ):
        box.start()


SWAPPED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from assay_sandbox.worker.confine import kernel, landlock

kernel.forbid_new_privileges()
landlock.confine_files(sys.argv[2:], ())
for name in sys.argv[2:]:
    try:
        print(sorted(os.listdir(name)))
    except OSError as error:
        print(type(error).__name__)
"""


def test_a_folder_that_becomes_a_link_before_it_is_granted_opens_nothing(
    tmp_path: Path, private: Path
) -> None:
    try:
        landlock.version()
    except landlock.Unsupported as error:
        pytest.skip(str(error))
    (tmp_path / "above").mkdir()
    instead(tmp_path / "packages", private)
    instead(tmp_path / "beside", tmp_path)
    # What was found to be real paths, before somebody put links in the place of folders.
    paths = [tmp_path / "above", tmp_path / "packages", tmp_path / "beside" / "private"]
    command = [sys.executable, "-c", SWAPPED, Path(zygotes.__file__).parents[1], *paths]
    said = subprocess.check_output(command, text=True, timeout=60)
    assert said.split("\n")[:3] == ["[]", "PermissionError", "PermissionError"]
