"""Records the commit that a wheel or an sdist is built from; `assay --version` names it.

A build from an sdist takes over what that recorded. An editable installation records nothing, since
its commit changes: `assay --version` asks Git there.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

RECORD = "assay_engine/COMMIT"


class CommitHook(BuildHookInterface):  # pyright: ignore[reportMissingTypeArgument]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or not (root / ".git").exists():
            return
        git = ["git", "-C", str(root), "describe", "--always", "--abbrev=12", "--exclude=*"]
        try:
            run = subprocess.run([*git, "--dirty= with changes"], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as failure:
            self.app.display_warning(f"the commit is not recorded: {failure}")
            return
        self._folder = tempfile.TemporaryDirectory()
        record = Path(self._folder.name, "COMMIT")
        record.write_bytes(run.stdout)
        inside = RECORD if self.target_name == "wheel" else f"engine/{RECORD}"
        build_data["force_include"][str(record)] = inside
