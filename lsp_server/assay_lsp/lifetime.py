"""Ends the server with its client, with all its children and files, and soon."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import select
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import psutil

from assay_engine import digest
from assay_lsp.documents import key

log = logging.getLogger(__name__)

T = TypeVar("T")

# Together less than two seconds, after which editors kill, and users notice, leftover processes.
ENGINE_SECONDS = 0.8
CHILDREN_SECONDS = 0.4
LAST_SECONDS = 1.7

_POLL_SECONDS = 1.0


def watch_process(identifier: int, gone: Callable[[], None]) -> None:
    """Call `gone`, from another thread, when a process ends.

    A process that cannot be seen at all is not watched: the client may live in another container,
    and its pid name another process here, or none.
    """
    try:
        can_be_seen = psutil.pid_exists(identifier)
    except OverflowError:
        # Larger than any pid on this system: it belongs to another system.
        can_be_seen = False
    if not can_be_seen:
        log.info("the client's process %d cannot be seen from here", identifier)
        return

    def wait() -> None:
        try:
            descriptor = os.pidfd_open(identifier)
        except (AttributeError, OSError):
            # The system is not Linux, or an old one.
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(identifier)
                # `is_running` distinguishes the process from a later one with the same pid.
                while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                    time.sleep(_POLL_SECONDS)
        else:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll()
            os.close(descriptor)
        gone()

    threading.Thread(target=wait, name="assay-parent", daemon=True).start()


def have_a_folder() -> None:
    """Leave a working folder that no longer exists, as after the workspace was cloned anew:
    libraries that ask for it when they are loaded would fail."""
    try:
        os.getcwd()
    except OSError:
        os.chdir(os.sep)


def doom(status: int) -> None:
    """End the process and its children in `LAST_SECONDS`, whatever happens from now on."""

    def end() -> None:
        time.sleep(LAST_SECONDS)
        end_children(0)
        os._exit(status)

    threading.Thread(target=end, name="assay-doom", daemon=True).start()


def end_children(seconds: float) -> None:
    """Kill every process below this one and wait for them to end.

    They are killed rather than asked, because they are sandboxes and run untrusted programs.
    """
    children: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        children = psutil.Process().children(recursive=True)
    for child in children:
        with contextlib.suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(children, timeout=seconds)


NAME_CHARACTERS = 60
MARK_CHARACTERS = 8


class EvidenceFolder:
    """Made with the first file; one file per function, written anew each time."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def write(self, uri: str, file: str, text: str) -> Path:
        """Write a file about a document; the part of its name before the suffix is shortened."""
        if self._folder is None or not Path(self._folder.name).is_dir():
            # Systems remove temporary folders after days, for which an editor may stay open.
            self.remove()
            self._folder = tempfile.TemporaryDirectory(prefix="assay-evidence-")
        # The name is for the editor's tab; the mark behind it distinguishes functions.
        stem, _, suffix = file.rpartition(".")
        name = re.sub(r"[^\w.]+", "_", stem)[-NAME_CHARACTERS:]
        mark = digest.of_parts([key(uri), stem])[:MARK_CHARACTERS]
        path = Path(self._folder.name, f"{name}-{mark}.{suffix}")
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return path

    def remove(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


_running: set[asyncio.Task[Any]] = set()


def spawn(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a task that runs to its end whether or not anybody waits for it. The loop itself keeps
    no reference to it."""
    task = asyncio.create_task(work)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task
