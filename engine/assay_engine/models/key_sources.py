"""Fetches a key from where the user keeps it: a command's output, or the system's key ring."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay_engine.advice import Advice
from assay_engine.config.settings import Endpoint
from assay_engine.models.failures import RefusesAll

# The name under which Assay's keys are in the key ring; the user name there is the base URL.
SERVICE = "assay"
# A person may have to type a passphrase.
COMMAND_SECONDS = 60.0


def key_of(endpoint: Endpoint) -> str:
    """The endpoint's key, without white space around it; empty if it has none.

    Blocks for as long as a command runs. Raises `RefusesAll`, whose message never quotes what the
    command wrote.
    """
    source = endpoint.key_source
    if endpoint.api_key or source is None:
        return endpoint.api_key.strip()
    if source.command:
        return _output_of(source.command)
    if not source.keyring:
        return ""
    try:
        import keyring

        found = keyring.get_password(SERVICE, endpoint.base_url)
    except Exception as error:  # back ends raise errors of their own
        raise _no_keyring(error) from None
    if not found:
        seen = f"The key ring has no Assay key for {endpoint.base_url}"
        raise RefusesAll(f"{seen}; {Advice.SET_UP} to give it.", seen=seen)
    return found.strip()


def put_in_keyring(base_url: str, key: str) -> None:
    """Keep the key in the system's key ring. Raises `RefusesAll` if there is none."""
    try:
        import keyring

        keyring.set_password(SERVICE, base_url, key)
    except Exception as error:  # back ends raise errors of their own
        raise _no_keyring(error) from None


def has_keyring() -> bool:
    """Whether this system has a key ring that keeps keys."""
    try:
        import keyring

        return float(keyring.get_keyring().priority) > 0
    except Exception:  # as above: what fails here would fail later
        return False


def _no_keyring(error: Exception) -> RefusesAll:
    seen = f"The system's key ring cannot be used ({type(error).__name__})"
    return RefusesAll(
        f"{seen}; pip install 'assay-lsp[keyring]' and unlock it, or {Advice.SET_UP} to give the "
        "key otherwise.",
        seen=seen,
    )


def _output_of(command: tuple[str, ...]) -> str:
    seen = f"The command that gives the key, {command[0]}, "
    try:
        # Not in the project's folder, where a program of the same name may lie.
        done = subprocess.run(
            command,
            cwd=Path.home(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        seen += f"did not end within {COMMAND_SECONDS:g} s"
        raise RefusesAll(f"{seen}; run it by hand to see why.", seen=seen) from None
    except OSError as error:
        seen += f"cannot be started ({error.strerror})"
        raise RefusesAll(f"{seen}; {Advice.SET_UP} to correct it.", seen=seen) from None
    key = done.stdout.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    if done.returncode or not key:
        seen += f"ended with {done.returncode} and {'no key' if not key else 'an error'}"
        raise RefusesAll(f"{seen}; run it by hand to see why.", seen=seen)
    return key
