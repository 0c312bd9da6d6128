"""Watches single folders, without those below them, by way of watchdog."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any

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
