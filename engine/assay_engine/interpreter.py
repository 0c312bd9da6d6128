"""The user's interpreter: which one it is, and what can be imported under it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from assay_engine.errors import ConfigurationError

_SECONDS_MAX = 20.0
# Finding the spec of a top-level module executes nothing of it.
_PROBE = """
import importlib.util, json, sys
found = []
for name in json.loads(sys.argv[1]):
    try:
        if name in sys.builtin_module_names or importlib.util.find_spec(name) is not None:
            found.append(name)
    except (ImportError, ValueError):
        pass
print(json.dumps(found))
"""


def choose_interpreter(named: str | None, environment: Mapping[str, str], root: str | None) -> Path:
    """The interpreter that is named, or the active or the project's environment's, or our own.

    Raises `ConfigurationError` if one is named that does not exist.
    """
    if named:
        chosen = Path(named).expanduser()
        if not chosen.is_file():
            raise ConfigurationError(
                f"The interpreter {named} does not exist. Name another, or leave the setting out."
            )
        return chosen
    homes = [environment.get("VIRTUAL_ENV")]
    if root is not None:
        homes += [str(Path(root, name)) for name in (".venv", "venv")]
    for home in homes:
        if home:
            for relative in ("bin/python", "Scripts/python.exe"):
                candidate = Path(home, relative)
                if candidate.is_file():
                    return candidate
    return Path(sys.executable)


def importable_roots(interpreter: Path, names: Collection[str]) -> frozenset[str]:
    """Those of the top-level modules that the interpreter finds. Raises `ConfigurationError`."""
    if not names:
        return frozenset()
    try:
        outcome = subprocess.run(
            [str(interpreter), "-I", "-c", _PROBE, json.dumps(sorted(names))],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_MAX,
            check=True,
        )
        return frozenset(json.loads(outcome.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as failure:
        raise ConfigurationError(
            f"The interpreter {interpreter} does not run ({type(failure).__name__}). "
            "Name another with --interpreter or the setting `interpreter`."
        ) from failure
