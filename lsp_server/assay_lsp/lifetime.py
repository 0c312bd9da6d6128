"""Ends the server with its client, with all its children, and soon."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
import time
from collections.abc import Callable

import psutil

log = logging.getLogger(__name__)

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
    if not _can_be_seen(identifier):
        log.info("the client's process %d cannot be seen from here", identifier)
        return

    def wait() -> None:
        _wait_for(identifier)
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


def _can_be_seen(identifier: int) -> bool:
    try:
        return psutil.pid_exists(identifier)
    except OverflowError:
        # Larger than any pid on this system: it belongs to another system.
        return False


def _wait_for(identifier: int) -> None:
    try:
        descriptor = os.pidfd_open(identifier)
    except (AttributeError, OSError):
        # The system is not Linux, or an old one.
        _poll_for(identifier)
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll()
    os.close(descriptor)


def _poll_for(identifier: int) -> None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(identifier)
        # `is_running` distinguishes the process from a later one with the same pid.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_POLL_SECONDS)
