"""A check with a real proxy, LiteLLM's, whose model answers what its configuration says."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from support.check_workspace import RIGHT, RIGHT_MODULE, Workspace

PROGRAM = os.environ.get("LITELLM", "")
KEY = "sk-for-this-test-on-this-machine-alone"
START_SECONDS = 180
CONFIGURATION = """\
model_list:
  - model_name: mocked
    litellm_params:
      model: openai/anything
      api_key: none
      mock_response: |
{answer}
general_settings:
  master_key: {key}
"""

pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="LITELLM names no LiteLLM proxy; `make test-servers` installs one"
)


@contextmanager
def proxy(folder: Path) -> Iterator[str]:
    """A proxy on this machine; its base URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = "".join(f"        {line}\n" for line in f"```python\n{RIGHT}```".splitlines())
    configuration = folder / "proxy.yaml"
    configuration.write_text(CONFIGURATION.format(answer=answer, key=KEY), encoding="utf-8")
    started = subprocess.Popen(
        [PROGRAM, "--config", str(configuration), "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ends = time.monotonic() + START_SECONDS
        while not _is_ready(port):
            assert started.poll() is None, "the proxy ended"
            assert time.monotonic() < ends, "the proxy did not start"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        started.terminate()
        started.wait(30)


def _is_ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5) as answered:
            return answered.status == 200
    except (URLError, OSError):
        return False


def test_a_real_proxy_is_probed_and_asked(tmp_path: Path) -> None:
    made = Workspace(tmp_path, "")
    made.module.write_text(RIGHT_MODULE, encoding="utf-8")
    with proxy(tmp_path) as base_url:
        variables = {"ASSAY_BASE_URL": base_url, "ASSAY_MODEL": "mocked", "ASSAY_API_KEY": KEY}
        probed = made.assay("doctor", "--probe", **variables)
        assert "answers without thinking" in probed.stdout, probed.stdout + probed.stderr
        run = made.assay("check", "limits.py", **variables)
        assert "clamp: trusted" in run.stdout, run.stdout + run.stderr
        wrong = {"ASSAY_API_KEY": "sk-of-somebody-else", "ASSAY_STORE": str(tmp_path / "other.db")}
        refused = made.assay("check", "limits.py", **variables | wrong)
    assert "clamp: abstained" in refused.stdout, refused.stdout + refused.stderr
    # Without a database of keys, this proxy says so by a status of its own, in these words.
    assert "No connected db" in refused.stdout
