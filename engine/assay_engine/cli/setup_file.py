"""Writes the table `[endpoint]` into the user's settings, and leaves the rest as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from assay_engine.errors import ConfigurationError
from assay_engine.settings import EndpointSettings

# Headers may hold what is nobody else's business.
_PRIVATE = 0o600


def write_endpoint(path: str, chosen: EndpointSettings) -> str:
    """Write it in one step, and return the path of the file. Raises `ConfigurationError`."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    file = Path(path)
    try:
        text = file.read_text("utf-8") if file.exists() else ""
        document = tomlkit.parse(text)
        table = tomlkit.table()
        for name, value in msgspec.to_builtins(chosen).items():
            if value or name in ("base_url", "model"):
                table.add(name, value)
        before: dict[str, Any] = document.unwrap().get("endpoint", {})
        same = all(before.get(name) == getattr(chosen, name) for name in ("base_url", "model"))
        for name in ("also", *(["prices"] if same else [])):
            if before.get(name):
                table.add(name, before[name])
        document["endpoint"] = table
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
        partial.touch(mode=_PRIVATE)
        partial.write_text(tomlkit.dumps(document), "utf-8")
        partial.replace(file)
    except (OSError, ValueError, TOMLKitError) as failure:
        raise ConfigurationError(f"{path} cannot be written ({failure}); correct it.") from None
    return path
