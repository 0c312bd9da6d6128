"""A process that holds one WebAssembly instance of CPython: compiles it, or runs it once.

Started by path and isolated. Standard input and output are the worker's; a guest has no others, no
environment but what it is given, and of the file system only folders that it cannot write to.
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
# After its time the guest is interrupted; one that sits in a call of the host goes with it.
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
    # By name: it is an optional package, and only this process needs it.
    return importlib.import_module("wasmtime")


def _engine() -> Any:
    wasmtime = _wasmtime()
    config = wasmtime.Config()
    config.epoch_interruption = True
    config.wasm_exceptions = True
    return wasmtime.Engine(config)


def _die_with_parent() -> None:
    """On Linux: compiling takes minutes, and nobody waits for it once its caller is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _compile(module: str, compiled: Path) -> None:
    content = _wasmtime().Module.from_file(_engine(), module).serialize()
    # Under its name only when it is whole: several may compile at once.
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
    # Doors into a host that is not there.
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
    """Run a command, which has a start, or a reactor, which is made ready first."""
    if "_start" in exports:
        exports["_start"](store)
        return 0
    exports["_initialize"](store)
    return int(exports["run"](store))


def _forward_input() -> None:
    """Give the guest a pipe, and notice by the end of our own input that nobody is left."""
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
