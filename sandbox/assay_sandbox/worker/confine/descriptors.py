"""Sends and takes descriptors over a socket, without importing the module `socket`.

That module imports `selectors` and more, which no zygote needs and every start would wait for.
"""

from __future__ import annotations

import os
import struct
from _socket import CMSG_SPACE, SCM_RIGHTS, SOL_SOCKET, socket

_SIZE = struct.calcsize("i")
_OPEN_MAX = 1 << 16


def opened(descriptor: int) -> socket:
    return socket(fileno=descriptor)


def close_from(first: int) -> None:
    """Close all descriptors of this process from `first` on."""
    os.closerange(first, _OPEN_MAX)


def send(channel: socket, message: bytes, descriptor: int) -> None:
    channel.sendmsg([message], [(SOL_SOCKET, SCM_RIGHTS, struct.pack("i", descriptor))])


def take(channel: socket, maximum_bytes: int, maximum: int) -> tuple[bytes, list[int]]:
    """Receive one message, and at most `maximum` descriptors with it."""
    message, ancillary, _flags, _address = channel.recvmsg(
        maximum_bytes, CMSG_SPACE(maximum * _SIZE)
    )
    found: list[int] = []
    for level, kind, content in ancillary:
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS):
            # The control message may be truncated in the middle of a descriptor.
            found += struct.unpack_from("%di" % (len(content) // _SIZE), content)
    return message, found
