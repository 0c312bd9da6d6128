"""Notices files that change behind the editor's back, as when an agent writes code.

Watched are the folders of documents that are open or were checked, as many as the kernel can be
asked for, and nothing below them. Where there are more, those that no document is open in go first.
A change that the editor itself made, by saving, is told by the editor. What is left:

* an open document counts as saved when the editor has reloaded it, that is when its text equals the
  file's;
* of a file that is not open, but was checked because the user asked for it, findings that no longer
  fit are taken back, and stored ones that fit again are shown. It is not checked: that could send
  it. Files that nobody has opened or asked about are none of our business.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any

from pygls.uris import from_fs_path

from assay_lsp.convert import Text
from assay_lsp.disk import read_text
from assay_lsp.documents import Document, key

if TYPE_CHECKING:
    from assay_lsp.session import Session

log = logging.getLogger(__name__)

# Editors and agents write in several steps; the last one counts.
DEBOUNCE_SECONDS = 0.3
FOLDERS_MAX = 32


class Watching:
    """Started by the first document that is worth it. Touched on the server's loop only."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._observer: Any = None
        self._starting = asyncio.Lock()
        # By what tells one folder from the next of the same name: a branch may do without it.
        self._folders: dict[Path, tuple[int, int]] = {}
        self._timers: dict[Path, asyncio.TimerHandle] = {}
        # Texts on disk that the editor is expected to load, by document.
        self._expected: dict[str, str] = {}

    def opened(self, document: Document) -> None:
        """Watch the folder of a document, again if it is another one by now."""
        if not (document.is_file and document.is_python and self._session.settings.may_run):
            return
        folder = Path(document.path).parent
        found = _identity(folder)
        if found is None or self._folders.get(folder) == found:
            return
        former = None if folder in self._folders else self._give_up_one()
        self._folders.pop(folder, None)
        # Also if it turns out not to be possible: then it is not tried again and again.
        self._folders[folder] = found
        self._session.spawn(self._observe(folder, document, former))

    def _give_up_one(self) -> Path | None:
        """Forget a folder in favour of a further one, if there are as many as may be: that watched
        for longest of those in which nothing is open, or else of all."""
        if len(self._folders) < FOLDERS_MAX:
            return None
        in_use = {Path(each.path).parent for each in self._session.documents if each.is_file}
        idle = (folder for folder in self._folders if folder not in in_use)
        former = next(idle, next(iter(self._folders)))
        del self._folders[former]
        return former

    def changed(self, document: Document) -> None:
        """The editor's text has changed: it may have loaded what was written on disk."""
        if self._expected.get(key(document.uri)) == _comparable(document.text.content):
            del self._expected[key(document.uri)]
            self._session.check_saved(document)

    def forget(self, uri: str) -> None:
        """A document is opened or closed: what it was to load is no matter of its next text."""
        self._expected.pop(key(uri), None)

    def stop(self) -> None:
        if self._observer is not None:
            self._observer.stop()

    async def _observe(self, folder: Path, first: Document, former: Path | None) -> None:
        loop = asyncio.get_running_loop()

        def notify(path: str) -> None:
            loop.call_soon_threadsafe(self._touched, Path(path))

        def gone() -> None:
            loop.call_soon_threadsafe(self._folders.pop, folder, None)

        try:
            # Asks the kernel for every folder: on a network file system this takes a while.
            async with self._starting:
                if former is not None:
                    await asyncio.to_thread(_unwatch, self._observer, former)
                self._observer = await asyncio.to_thread(
                    _watch, self._observer, folder, notify, gone
                )
        except FileNotFoundError:
            # Gone again.
            self._folders.pop(folder, None)
        except Exception as error:
            # Most often the limit of inotify. Saving in the editor works without it.
            log.warning("changes on disk in %s go unnoticed: %s", folder, error)
        else:
            # What was read from disk may have changed before anybody watched.
            if self._session.documents.get(first.uri) is None:
                self._touched(Path(first.path))

    def _touched(self, path: Path) -> None:
        if path.suffix != ".py":
            return
        if timer := self._timers.pop(path, None):
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[path] = loop.call_later(DEBOUNCE_SECONDS, self._settled, path)

    def _settled(self, path: Path) -> None:
        self._timers.pop(path, None)
        if self._session.settings.may_run:
            self._session.spawn(self._look_at(path))
            self._session.reviewing.file_changed()

    async def _look_at(self, path: Path) -> None:
        uri = from_fs_path(str(path))
        if uri is None or self._session.board.document(uri) is None:
            return
        text = await asyncio.to_thread(read_text, path)
        document = self._session.documents.get(uri)
        shown = self._session.board.document(uri)
        if document is not None:
            self._look_at_open(document, text)
        elif text is None:
            self._session.forget(uri)
        elif shown is None or shown.text.content != text:
            document = Document(uri, "python", None, Text.of(text))
            self._session.board.open(document)
            await self._session.recall(document)

    def _look_at_open(self, document: Document, text: str | None) -> None:
        if text is None:
            return
        if _comparable(text) == _comparable(document.text.content):
            self._expected.pop(key(document.uri), None)
            # Saved by the editor, which has said so, or loaded, before we got here.
            if not self._session.was_checked(document):
                self._session.check_saved(document)
        else:
            self._expected[key(document.uri)] = _comparable(text)


def _comparable(text: str) -> str:
    """Editors keep line endings to themselves, and put them back when they save."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")


def _identity(folder: Path) -> tuple[int, int] | None:
    """Device and number of a folder; None if there is none."""
    try:
        found = folder.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if S_ISDIR(found.st_mode) else None


def _watch(observer: Any, folder: Path, notify: Any, gone: Any) -> Any:
    """Start watching a folder, and the observer with the first one."""
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers import Observer

    class Handler(FileSystemEventHandler):
        """Runs on the observer's thread."""

        def on_any_event(self, event: FileSystemEvent) -> None:
            if event.event_type in ("opened", "closed_no_write"):
                return
            if event.event_type == "deleted" and event.src_path == str(folder):
                gone()
            for path in (event.src_path, event.dest_path):
                if path and not event.is_directory:
                    notify(str(path))

    if observer is None:
        observer = Observer()
        observer.daemon = True
        observer.start()
    # Of a former folder of that name: it would be taken for this one's.
    _unwatch(observer, folder)
    observer.schedule(Handler(), str(folder), recursive=False)
    return observer


def _unwatch(observer: Any, folder: Path) -> None:
    """Watch a folder no longer, if it is watched."""
    from watchdog.observers.api import ObservedWatch

    if observer is not None:
        with suppress(KeyError):
            observer.unschedule(ObservedWatch(str(folder), recursive=False))
