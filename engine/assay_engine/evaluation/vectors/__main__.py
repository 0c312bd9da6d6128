"""Prints one JSON line per vector."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click
import msgspec

from assay_engine.evaluation.vectors.judging import Judged, judge
from assay_engine.evaluation.vectors.reading import BadVectors, Vector, read_vectors
from assay_engine.running.laboratory import Laboratory
from assay_engine.triangulation import Rounds, carried_out
from assay_sandbox import Limits, Sandbox, SandboxError

# Vectors are small: what takes longer, or returns more, is hostile, and demonic.
LIMITS = Limits(
    call_seconds=1.0,
    total_seconds=15.0,
    memory_bytes=512 << 20,
    value_bytes=256 << 10,
    batch_bytes=16 << 20,
)
VECTOR_SECONDS = 60.0


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
def main(path: Path) -> None:
    """Evaluate the test vectors in a file.

    Exit codes: 0 all hold, 1 some do not, 2 could not run.
    """
    try:
        vectors = read_vectors(path)
        # All of them are looked at before any is run.
        rounds = [judge(vector) for vector in vectors]
    except BadVectors as error:
        raise _CouldNotRun(str(error)) from None
    try:
        all_hold = asyncio.run(_print_all(vectors, rounds))
    except SandboxError as error:
        raise _CouldNotRun(f"no sandbox: {error}") from None
    raise SystemExit(0 if all_hold else 1)


class _CouldNotRun(click.ClickException):
    exit_code = 2


async def _print_all(vectors: tuple[Vector, ...], rounds: list[Rounds[Judged]]) -> bool:
    all_hold = True
    with Sandbox() as sandbox:
        laboratory = Laboratory(sandbox, sandbox, LIMITS)
        for vector, each in zip(vectors, rounds, strict=True):
            judged = await _judged(vector, each, laboratory)
            # Programs return surrogates and large numbers, which only this encoder can write.
            click.echo(json.dumps(msgspec.to_builtins(judged)))
            all_hold = all_hold and judged.ok
    return all_hold


async def _judged(vector: Vector, rounds: Rounds[Judged], laboratory: Laboratory) -> Judged:
    try:
        return await asyncio.wait_for(carried_out(rounds, laboratory), VECTOR_SECONDS)
    except TimeoutError:
        late = {"error": f"not evaluated within {VECTOR_SECONDS:g} s"}
        return Judged(vector.name, vector.scheme, vector.expected, late, ok=False)


if __name__ == "__main__":
    main()
