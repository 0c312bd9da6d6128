"""Stands for a program that the fork server is: `python -I -S fork_client.py ADDRESS ARGUMENT…`.

Its streams, environment and folder are the program's, which ends as this ends and with this.
"""

import marshal
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    socket.send_fds(server, [b"\0"], [0, 1, 2])
    server.sendall(marshal.dumps((sys.argv[2:], dict(os.environb), os.getcwdb())))
    # Whoever waits for the end of these waits for the program, which has them too.
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    with server.makefile("rb") as told:
        status = marshal.load(told)
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
