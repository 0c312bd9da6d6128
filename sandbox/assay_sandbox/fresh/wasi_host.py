"""A process that holds one WebAssembly instance of CPython: compiles it, or runs it once.

It is started by path and isolated. Standard input and output are the worker's. A guest has no other
descriptors, no environment but the one it is given, and only folders that it cannot write to.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

OVERDUE_EXIT, TRAPPED_EXIT = 71, 72
PR_SET_PDEATHSIG = 1
READ_BYTES = 1 << 18
# How long after its interruption a guest may stay; a guest in a call of the host ends with that.
INTERRUPT_SECONDS = 1.0


def main() -> None:
    mode, text = sys.argv[1:]
    job: dict[str, Any] = json.loads(text)
    if mode == "compile":
        _die_with_parent()
        _compile(job["module"], Path(job["compiled"]))
    else:
        _run(job)


def _wasmtime() -> Any:
    # Imported by name, because it is an optional package that only this process needs.
    return importlib.import_module("wasmtime")


def _engine() -> Any:
    wasmtime = _wasmtime()
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.wasm_exceptions = True
    return wasmtime.Engine(config)


def _die_with_parent() -> None:
    """On Linux, die with the parent: compiling takes minutes, in vain once the caller has ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _compile(module: str, compiled: Path) -> None:
    content = _wasmtime().Module.from_file(_engine(), module).serialize()
    # Renamed only when it is complete, because several processes may compile at once.
    part = compiled.with_name(f"{compiled.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(compiled)


def _run(job: dict[str, Any]) -> None:
    wasmtime = _wasmtime()
    if job["serves"]:
        _forward_input()
    engine = _engine()
    module = wasmtime.Module.deserialize_file(engine, job["compiled"])
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    # Imports that only another host would provide.
    linker.define_unknown_imports_as_traps(module)
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=job["memory_bytes"])
    store.set_epoch_deadline(1)
    wasi = wasmtime.WasiConfig()
    wasi.argv = job["argv"]
    wasi.env = list(job["environment"].items())
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    for folder, name in job["folders"]:
        wasi.preopen_dir(folder, name, False)
    store.set_wasi(wasi)
    _end_after(job["seconds"], engine)
    status = TRAPPED_EXIT
    try:
        status = _call(linker.instantiate(store, module).exports(store), store)
    except wasmtime.ExitTrap as ended:
        status = ended.code
    except wasmtime.Trap as trap:
        if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
            status = OVERDUE_EXIT
    finally:
        os._exit(status)


def _call(exports: Any, store: Any) -> int:
    """Run a command, which has `_start`, or a reactor, which is initialised first."""
    if "_start" in exports:
        exports["_start"](store)
        return 0
    exports["_initialize"](store)
    return int(exports["run"](store))


def _forward_input() -> None:
    """Give the guest a pipe, and exit at the end of our own input: the caller has ended."""
    outer = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)

    def forward() -> None:
        while data := os.read(outer, READ_BYTES):
            view = memoryview(data)
            while view:
                view = view[os.write(writing, view) :]
        os._exit(1)

    threading.Thread(target=forward, daemon=True).start()


def _end_after(seconds: float, engine: Any) -> None:
    def end() -> None:
        time.sleep(seconds)
        engine.increment_epoch()
        time.sleep(INTERRUPT_SECONDS)
        os._exit(OVERDUE_EXIT)

    threading.Thread(target=end, daemon=True).start()


if __name__ == "__main__":
    main()
