"""Prints one JSON line per vector."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click
import msgspec

from assay_bench.vectors.judging import JudgedVector, judge
from assay_bench.vectors.reading import BadFile, BadVector, read_entries, vector_from
from assay_bench.vectors.values import Json, standard
from assay_engine.compare.executor import Executor
from assay_engine.methods.triangulation.formulas.evaluate import carried_out
from assay_sandbox import Limits, Sandbox, SandboxError

# Vectors are small: a program that takes longer, or returns more, is hostile, and demonic. Printed
# output is ignored, and therefore bounded by memory alone.
LIMITS = Limits(
    call_seconds=1.0,
    total_seconds=15.0,
    memory_bytes=512 << 20,
    value_bytes=2 << 20,
    stdout_bytes=16 << 20,
    batch_bytes=128 << 20,
)
# Several programs that hang on many inputs take a while on a busy machine.
VECTOR_SECONDS = 300.0


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
def main(path: Path) -> None:
    """Evaluate the test vectors in a file.

    Exit codes: 0 all hold; 1 some do not, or cannot be evaluated; 2 could not run.
    """
    try:
        all_hold = asyncio.run(_print_all(read_entries(path)))
    except BadFile as error:
        raise _CouldNotRun(str(error)) from None
    except SandboxError as error:
        raise _CouldNotRun(f"no sandbox: {error.in_full()}") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _CouldNotRun(
            f"the lines cannot be written ({error.strerror}); make room, or send them elsewhere"
        ) from None
    raise SystemExit(0 if all_hold else 1)


class _CouldNotRun(click.ClickException):
    exit_code = 2


async def _print_all(entries: Sequence[object]) -> bool:
    all_hold = True
    with Sandbox() as sandbox:
        executor = Executor(sandbox, sandbox, LIMITS)
        for number, entry in enumerate(entries, start=1):
            judged = await _judged(entry, number, executor)
            # Programs return surrogates and large numbers, which only this encoder can write.
            click.echo(json.dumps(msgspec.to_builtins(judged)))
            all_hold = all_hold and judged.ok
    return all_hold


async def _judged(entry: object, number: int, executor: Executor) -> JudgedVector:
    """Judge one vector. Unexpected errors in it are caught here, so that the others are judged."""
    try:
        rounds = judge(vector_from(entry))
        return await asyncio.wait_for(carried_out(rounds, executor), VECTOR_SECONDS)
    except BadVector as error:
        return _failed(entry, number, f"cannot be evaluated: {error}")
    except TimeoutError:
        return _failed(entry, number, f"not evaluated within {VECTOR_SECONDS:g} s")
    except SandboxError:
        raise
    except Exception as error:
        return _failed(entry, number, f"a mistake in the evaluation: {error!r}")


def _failed(entry: object, number: int, why: str) -> JudgedVector:
    fields = cast("dict[str, Json]", entry) if isinstance(entry, dict) else {}
    return JudgedVector(
        standard(fields.get("name", f"vector {number}")),
        standard(fields.get("scheme")),
        standard(fields.get("expected")),
        {"error": why},
        ok=False,
    )


if __name__ == "__main__":
    main()
