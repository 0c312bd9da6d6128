"""Notices files that change behind the editor's back, as when an agent writes code.

The server watches the folders of documents that are open or were checked, up to a bound, and
nothing below them. Beyond the bound, folders without open documents are dropped first. For files
that are not open, it also watches the folders further up, as long as there is room, because moving
one of these reports nothing of the files in it. It also uses what the client reports about files.
The editor itself reports changes that it made by saving. For other changes:

* an open document counts as saved when the editor has reloaded it, that is when its text equals the
  file's;
* for a file that is not open, but of which something is shown, findings that no longer fit are
  taken back, and stored ones that fit again are shown. It is not checked: that could send it. Other
  files are ignored.

When a Python file changes, findings in others that rest on it, and no longer hold, are taken back.

Watches single folders, without those below them, by way of watchdog.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path, PurePath
from stat import S_ISDIR
from typing import Any, Protocol

from msgspec.structs import replace

from assay_lsp.check_service import CheckService
from assay_lsp.checks import Checks
from assay_lsp.convert import PositionedText, folder_of
from assay_lsp.documents import Documents, TextDocument, key, read_text
from assay_lsp.folders import Folders
from assay_lsp.lifetime import spawn
from assay_lsp.report_index import ReportIndex

log = logging.getLogger(__name__)

# The delay after the first of several files: switching a branch changes hundreds.
GATHER_SECONDS = 0.5
# Editors and agents write in several steps; the last step counts.
DEBOUNCE_SECONDS = 0.3
FOLDERS_MAX = 32


class OpenFiles(Protocol):
    """The part of a session that is needed here: what is open and shown, and operations on it."""

    folders: Folders
    documents: Documents
    report_index: ReportIndex
    check_service: CheckService
    checks: Checks

    def forget(self, uri: str) -> None: ...

    async def recall(self, document: TextDocument) -> None: ...


class Watching:
    """Starts with the first document to watch. Touched on the server's loop only."""

    def __init__(self, session: OpenFiles) -> None:
        self._session = session
        self._observer: Any = None
        self._starting = asyncio.Lock()
        # With the identity of each: a change of branch can replace it by one of the same name.
        self._folders: dict[Path, tuple[int, int]] = {}
        self._timers: dict[Path, asyncio.TimerHandle] = {}
        # Texts on disk that the editor is expected to load, by document.
        self._expected: dict[str, str] = {}
        self._review_due: asyncio.TimerHandle | None = None

    def file_changed(self) -> None:
        """Review findings soon: a Python file has been saved, or has changed on disk. Nothing is
        checked, because a check could send text that the user has not saved."""

        def review() -> None:
            self._review_due = None
            for document, reports in self._session.report_index:
                may_run = self._session.folders.settings_of(document.path).may_run
                # If a check is under way, its result will count.
                unfinished = self._session.checks.unfinished
                if may_run and not any(request.about(document) for request in unfinished):
                    spawn(self._session.check_service.review(document, reports))

        if self._review_due is None:
            loop = asyncio.get_running_loop()
            self._review_due = loop.call_later(GATHER_SECONDS, review)

    def opened(self, document: TextDocument) -> None:
        """Watch the folder of a document, and again if it has been replaced."""
        may_run = self._session.folders.settings_of(document.path).may_run
        if not (document.is_file and document.is_python and may_run):
            return
        folder = Path(document.path).parent
        self._watch(folder, document)
        if document.version is None:
            for above in self._above(folder):
                if len(self._folders) < FOLDERS_MAX:
                    self._watch(above, document)

    def told(self, uris: Iterable[str]) -> None:
        """React to files or folders that the client has moved or deleted, or has seen change."""
        self.file_changed()
        for path in filter(None, map(folder_of, uris)):
            self._touched(Path(path))

    def _above(self, folder: Path) -> Iterable[Path]:
        """The folders above one, within the workspace; outside of any, only its parent."""
        root = self._session.folders.root_of(str(folder))
        if root is None:
            return folder.parents[:1]
        return takewhile(lambda above: above.is_relative_to(root), folder.parents)

    def _watch(self, folder: Path, document: TextDocument) -> None:
        found = identity_of(folder)
        if found is None or self._folders.get(folder) == found:
            return
        former = None if folder in self._folders else self._give_up_one()
        self._folders.pop(folder, None)
        # Kept even if watching it turns out to be impossible, so as not to try again and again.
        self._folders[folder] = found
        spawn(self._observe(folder, document, former))

    def _give_up_one(self) -> Path | None:
        """If there are `FOLDERS_MAX` folders, forget one in favour of a new one: the one watched
        for longest of those without open documents, or else of all."""
        if len(self._folders) < FOLDERS_MAX:
            return None
        in_use = {Path(each.path).parent for each in self._session.documents if each.is_file}
        idle = (folder for folder in self._folders if folder not in in_use)
        former = next(idle, next(iter(self._folders)))
        del self._folders[former]
        return former

    def changed(self, document: TextDocument) -> None:
        """Check a document whose text the editor has changed, if it has loaded the text on disk."""
        if self._expected.get(key(document.uri)) == _comparable(document.text.content):
            del self._expected[key(document.uri)]

            def loaded() -> None:
                is_newest = self._session.documents.get(document.uri) is document
                if is_newest and not self._session.checks.was_saved(document):
                    self._session.checks.save(document)

            # Unless the editor is about to say that it has saved this very text itself.
            asyncio.get_running_loop().call_later(DEBOUNCE_SECONDS, loaded)

    def forget(self, uri: str) -> None:
        """Expect no reload of a document that is opened or closed: its next text is independent."""
        self._expected.pop(key(uri), None)

    def stop(self) -> None:
        if self._observer is not None:
            self._observer.stop()

    async def _observe(self, folder: Path, first: TextDocument, former: Path | None) -> None:
        loop = asyncio.get_running_loop()

        def changed(path: str) -> None:
            loop.call_soon_threadsafe(self._touched, Path(path))

        def gone() -> None:
            loop.call_soon_threadsafe(self._folders.pop, folder, None)

        try:
            # This asks the kernel, which takes a while on a network file system.
            async with self._starting:
                if former is not None:
                    await asyncio.to_thread(unwatch, self._observer, former)
                self._observer = await asyncio.to_thread(
                    watch, self._observer, folder, changed, gone
                )
        except FileNotFoundError:
            # The folder is gone again.
            self._folders.pop(folder, None)
        except Exception as error:
            # Most often this is the limit of inotify. Saving in the editor works without it.
            log.warning("changes on disk in %s go unnoticed: %s", folder, error)
        else:
            # A file that was read from disk may have changed before its folder was watched.
            if self._session.documents.get(first.uri) is None:
                self._touched(Path(first.path))

    def _touched(self, path: Path) -> None:
        """React to an event of a file, or of a folder and thereby its contents."""
        concerned = bool(self._shown_at(path))
        if concerned or path.suffix == ".py":
            self.file_changed()
        if not concerned:
            return
        if timer := self._timers.pop(path, None):
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[path] = loop.call_later(DEBOUNCE_SECONDS, self._settled, path)

    def _settled(self, path: Path) -> None:
        self._timers.pop(path, None)
        for document in self._shown_at(path):
            if self._session.folders.settings_of(document.path).may_run:
                spawn(self._look_at(document.uri, Path(document.path)))

    def _shown_at(self, path: Path) -> list[TextDocument]:
        """The documents at a path or below it of which something may be shown."""
        every = self._session.report_index.documents
        return [each for each in every if PurePath(each.path).is_relative_to(path)]

    async def _look_at(self, uri: str, path: Path) -> None:
        text = await asyncio.to_thread(read_text, path)
        document = self._session.documents.get(uri)
        shown = self._session.report_index.document(uri)
        if document is not None:
            self._look_at_open(document, text)
        elif shown is None:
            return
        elif text is None:
            self._session.forget(uri)
        else:
            # It may now be in another folder of the same name.
            self.opened(shown)
            if shown.text.content != text:
                document = replace(shown, text=PositionedText.of(text))
                self._session.report_index.open(document)
                await self._session.recall(document)

    def _look_at_open(self, document: TextDocument, text: str | None) -> None:
        if text is None:
            return
        if _comparable(text) == _comparable(document.text.content):
            self._expected.pop(key(document.uri), None)
            # The editor may have saved it, and said so, or loaded it before this task ran.
            if not self._session.checks.was_saved(document):
                self._session.checks.save(document)
        else:
            self._expected[key(document.uri)] = _comparable(text)


def _comparable(text: str) -> str:
    """The text without what editors hide and restore when they save: line endings and a BOM."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


# Events that the system reports although they change nothing.
_READING = ("opened", "closed_no_write")


def identity_of(folder: Path) -> tuple[int, int] | None:
    """Device and inode number of a folder; None if there is no folder."""
    try:
        found = folder.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if S_ISDIR(found.st_mode) else None


def watch(
    observer: Any, folder: Path, changed: Callable[[str], None], gone: Callable[[], None]
) -> Any:
    """Start watching a folder, and first the observer if there is none; returns the observer.

    From another thread, `changed` is called with Python files that have changed, and with files and
    folders that have been moved or deleted. `gone` is called if the folder itself is deleted; only
    a watch on the folder above reports that it is moved.
    """
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers import Observer

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            left = event.event_type in ("deleted", "moved")
            if event.event_type == "deleted" and event.src_path == str(folder):
                gone()
            for path in map(str, filter(None, (event.src_path, event.dest_path))):
                written = path.endswith(".py") and not event.is_directory
                if left or (written and event.event_type not in _READING):
                    changed(path)

    if observer is None:
        observer = Observer()
        observer.daemon = True
        observer.start()
    # A watch on a former folder of that name would be taken for this one's.
    unwatch(observer, folder)
    observer.schedule(Handler(), str(folder), recursive=False)
    return observer


def unwatch(observer: Any, folder: Path) -> None:
    """Stop watching a folder, if it is watched."""
    from watchdog.observers.api import ObservedWatch

    if observer is not None:
        with suppress(KeyError):
            observer.unschedule(ObservedWatch(str(folder), recursive=False))
