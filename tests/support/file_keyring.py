"""A key ring that is a file, for machines that have none: PYTHON_KEYRING_BACKEND names it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        return self._kept().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._path().write_text(json.dumps(self._kept() | {f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError

    def _path(self) -> Path:
        return Path(os.environ["FILE_KEYRING"])

    def _kept(self) -> dict[str, str]:
        return json.loads(self._path().read_text()) if self._path().exists() else {}
