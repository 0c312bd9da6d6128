"""Which wrong functions of HumanEvalFix `assay compare` tells from the right ones.

    python -m benchmarks.compare DATA

Of each pair the wrong function is compared with the right one. DATA is a folder in the layout of
the data pack. No model is asked. Prints a line for each pair, and how many were found.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from assay_engine.check.context import CheckContext
from assay_engine.check.versions import compared_with
from assay_engine.check.worklist import filed
from assay_engine.config.settings import Settings
from assay_engine.source.specification import specify
from assay_engine.source.units import find_units
from assay_engine.types import Report, SourceText, Specification, Tier
from benchmarks.data import rows_of
from benchmarks.executor import usual_executor


def specification_of(text: str, name: str) -> Specification:
    unit = next(each for each in find_units(text)[0] if each.qualname == name)
    return specify(text, unit)


async def run(data: Path) -> list[Report]:
    found: list[Report] = []
    with usual_executor() as executor:
        context = CheckContext(None, None, executor, Settings(), lambda _: True, lambda _: None)
        for row in rows_of(data / "humanevalfix/pairs.jsonl.gz"):
            name, wrong = row["entry_point"], row["prompt"] + row["buggy_solution"]
            subject = filed(
                SourceText(f"{name}.py", wrong), specification_of(wrong, name), Tier.STANDARD, ()
            )
            right = specification_of(row["prompt"] + row["canonical_solution"], name)
            report = await compared_with(context, None, subject, right, "the right one")
            told = [each.message for each in (*report.findings, *report.problems)]
            print(row["task_id"], *(told or ["no difference"]), flush=True)
            found.append(report)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    reports = asyncio.run(run(parser.parse_args().data))
    differing = sum(each.versions is not None and each.versions.differs for each in reports)
    print(f"found {differing} of {len(reports)}")


if __name__ == "__main__":
    main()
