"""The workspace's folders: each has settings and an engine of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from assay_engine.types import EditorOffer
from assay_lsp.engine_access import EngineAccess
from assay_lsp.settings import ServerSettings

if TYPE_CHECKING:
    from assay_engine.engine import Engine

# With the client's own models.
OpenEngine = Callable[[ServerSettings, str | None, tuple[EditorOffer, ...]], "Engine"]
# The settings of a folder, or of files in none, with complaints about what is unusable.
Resolve = Callable[[str | None], tuple[ServerSettings, tuple[str, ...]]]

CLOSE_SECONDS = 1.0


class _Opened(Struct, frozen=True):
    """An engine, with the settings that it is opened with."""

    engine: EngineAccess
    settings: ServerSettings


class Folders:
    """Touched on the server's loop only. What is in no folder goes by the first one."""

    def __init__(
        self,
        paths: Sequence[str],
        resolve: Resolve,
        open_engine: OpenEngine,
        models: tuple[EditorOffer, ...] = (),
    ) -> None:
        self.paths = list(paths)
        self._resolve = resolve
        self._open_engine = open_engine
        self._models = models
        self._settings: dict[str | None, ServerSettings] = {}
        self._engines: dict[str | None, _Opened] = {}

    @property
    def root(self) -> str | None:
        """The first folder."""
        return self.paths[0] if self.paths else None

    @property
    def settings(self) -> ServerSettings:
        """The settings of the first folder."""
        return self._settings[self.root]

    def root_of(self, path: str) -> str | None:
        """The innermost folder that holds a path."""
        around = [folder for folder in self.paths if PurePath(path).is_relative_to(folder)]
        return max(around, key=len, default=None)

    def settings_of(self, path: str) -> ServerSettings:
        return self._settings[self.root_of(path) or self.root]

    def engine_of(self, path: str) -> EngineAccess:
        return self.engine_at(self.root_of(path) or self.root)

    def engine_at(self, root: str | None) -> EngineAccess:
        if root not in self._engines:
            self._engines[root] = _Opened(EngineAccess(self._opener(root)), self._settings[root])
        return self._engines[root].engine

    def change(self, removed: Collection[str], added: Iterable[str]) -> None:
        """Take in other folders; the settings have to be resolved anew."""
        kept = [folder for folder in self.paths if folder not in removed]
        self.paths = [*kept, *(path for path in added if path not in kept)]

    def resolve(self) -> tuple[str, ...]:
        """Resolve the settings anew. Returns complaints about what is unusable."""
        complaints: list[str] = []
        self._settings = {}
        for root in self.paths or [None]:
            self._settings[root], unusable = self._resolve(root)
            complaints += unusable
        return tuple(complaints)

    @property
    def resettled(self) -> tuple[str | None, ...]:
        """The folders whose engines were opened with other settings, or that are gone."""
        return tuple(
            root
            for root, opened in self._engines.items()
            if self._settings.get(root) != opened.settings
        )

    async def outdated(self) -> tuple[str | None, ...]:
        """The folders whose own settings, or environment, have changed since their engine was
        opened."""
        found: list[str | None] = []
        for root, opened in tuple(self._engines.items()):
            if not await opened.engine.is_current():
                found.append(root)
        return tuple(found)

    async def reopen(self, roots: Iterable[str | None]) -> None:
        """Use other engines for these folders from now on, and none for those that are gone."""
        for root in roots:
            engine = self._engines[root].engine
            if root in self._settings:
                self._engines[root] = _Opened(engine, self._settings[root])
                await engine.reopen(self._opener(root))
            else:
                del self._engines[root]
                await asyncio.to_thread(engine.stop, CLOSE_SECONDS)

    def stop(self, seconds: float) -> None:
        """Close all engines; blocks, but not for longer than `seconds`."""
        for opened in self._engines.values():
            opened.engine.stop(seconds / len(self._engines))

    def _opener(self, root: str | None) -> Callable[[], Engine]:
        settings = self._settings[root]
        return lambda: self._open_engine(settings, root, self._models)
