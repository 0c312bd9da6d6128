"""Whatever an endpoint does, a right function is trusted, or the cause is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.check_workspace import RIGHT_MODULE, workspace
from support.played_endpoints import PLAYS, TRUSTED, Play, playing


@pytest.mark.parametrize(("play", "said"), PLAYS.values(), ids=PLAYS.keys())
def test_a_right_function_is_trusted_or_the_cause_is_named(
    tmp_path: Path, play: Play, said: str
) -> None:
    with playing(play) as server:
        run = workspace(tmp_path, server, RIGHT_MODULE).assay("check", "limits.py")
    assert said in run.stdout, run.stdout + run.stderr
    assert "suspect" not in run.stdout
    if said != TRUSTED:
        assert "clamp: abstained" in run.stdout
        assert run.stdout.count(said) == 1
        # Twelve, and inputs are asked for twice again.
        assert len(server.requests) <= 14
