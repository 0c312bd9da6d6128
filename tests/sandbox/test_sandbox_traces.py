"""What a program could leave where others read it, or learn of the account that runs it."""

from __future__ import annotations

import sys

import pytest

from assay_sandbox import Call, Program, Returned, Sandbox, decode

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what is looked at is the filter of Linux"
)


def returned(sandbox: Sandbox, source: str) -> object:
    (seen,) = sandbox.run(Program(source, "f"), [Call(())])
    assert isinstance(seen, Returned), seen
    return decode(seen.value)


def test_a_name_that_the_kernel_would_log_is_not_set(sandbox: Sandbox) -> None:
    source = """
import ctypes

def f():
    libc = ctypes.CDLL(None)
    status = libc.prctl(15, b"[0.0] BUG: x", 0, 0, 0)
    name = ctypes.create_string_buffer(16)
    libc.prctl(16, name, 0, 0, 0)
    return status, b"BUG" in name.value
"""
    assert returned(sandbox, source) == (0, False)


def test_nothing_is_sent_out_of_band(sandbox: Sandbox) -> None:
    source = """
import socket

def f():
    one, other = socket.socketpair()
    one.send(b"fine")
    received = other.recv(10)
    try:
        one.send(b"x", socket.MSG_OOB)
    except PermissionError:
        return received
"""
    assert returned(sandbox, source) == b"fine"


def test_the_home_folder_of_the_account_is_not_told(sandbox: Sandbox) -> None:
    source = """
import site

def f():
    return site.getuserbase(), site.getusersitepackages(), site.ENABLE_USER_SITE
"""
    assert returned(sandbox, source) == ("", "", False)


@pytest.mark.parametrize("stopping", ["breakpoint()", "__import__('pdb').set_trace()"])
def test_a_debugger_shows_the_lines_of_a_program_that_names_it(
    sandbox: Sandbox, stopping: str
) -> None:
    source = f"def f():\n    {stopping}\n    return 'the line'\n"
    (seen,) = sandbox.run(Program(source, "f"), [Call((), stdin="continue\n")])
    assert isinstance(seen, Returned), seen
    assert "-> return 'the line'" in seen.stdout
