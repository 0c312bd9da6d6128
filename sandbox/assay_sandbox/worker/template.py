"""The state that every child copies: modules, what all programs need, and the latest inputs."""

from __future__ import annotations

import gc

from . import ahead, child, confinement, imports
from .inputs import Inputs, read_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Template:
    """Imports standard modules one by one, while no job waits."""

    def __init__(self, tier: str, *, sessions: bool) -> None:
        self._tier = tier
        self._sessions = sessions
        # Where no file can be opened, a program has only the modules that are loaded by then.
        self._is_needed = tier == confinement.SECCOMP
        names = imports.WITHOUT_FILES if self._is_needed else imports.COMMON
        self._to_import = list(reversed(names))
        self._inputs_name = b""
        self._inputs: Optional[Inputs] = None
        self._prepare()

    def _prepare(self) -> None:
        self.prepared = child.Prepared(self._tier, sessions=self._sessions)
        # Inputs must not be frozen: see `read_inputs`.
        self._inputs = None
        gc.collect()
        gc.freeze()

    @property
    def unfinished(self) -> bool:
        """Whether there are modules left to import."""
        return bool(self._to_import)

    def import_next(self) -> None:
        """Import the next module, if there is one."""
        if self._to_import:
            ahead.import_standard((self._to_import.pop(),))
            if not self._to_import:
                if self._is_needed:
                    imports.read_ahead()
                # Made anew, because it depends on the modules that are loaded.
                self._prepare()

    def finish(self) -> None:
        """Import all modules that a program could not import for itself."""
        while self._is_needed and self._to_import:
            self.import_next()

    def inputs_made(self, name: bytes, descriptor: int) -> Inputs:
        """Inputs by the name the host gives them, made once for all children that follow.

        A child gets its own copy by being forked. Inputs of another name are dropped first.
        """
        if self._inputs is None or name != self._inputs_name:
            self._inputs = None
            self._inputs, self._inputs_name = read_inputs(child.read_all(descriptor)), name
        return self._inputs
