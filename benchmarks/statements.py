"""Whether what a docstring states beside its result is read, in whatever language.

    python -m benchmarks.statements

`recorded/statements.jsonl` has sixty docstrings that somebody wrote and labelled who knew nothing
of the code: thirty English paraphrases of a promise (an order of items, an exception, a result that
stands alone, arguments left alone or changed, names of tables), fifteen in other languages, fifteen
that promise nothing of the kind. Each comes with a call, what a function does there that keeps the
promise and one that does not, and the reply of a reader who saw the product's own question alone.
Prints how many promises were found, and how many were found where there is none.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from assay_engine.models.transcript import prompt_digest
from assay_engine.settling.questions import Questions, read_preference
from assay_engine.specification.specification import specify
from assay_engine.syntax.units import find_units
from assay_engine.types import Prompt

RECORDED = Path(__file__).parent / "recorded" / "statements.jsonl"
# The function that breaks the promise is shown first, as the function on trial is.
KEPT = "SECOND"


def question(row: dict[str, Any]) -> Prompt:
    """The product's question about a row: which of both outcomes does the docstring promise?"""
    header = row["header"].rstrip().removesuffix(":")
    text = f"{header}:\n    {json.dumps(row['docstring'], ensure_ascii=False)}\n    ...\n"
    specification = specify(text, find_units(text)[0][0])
    questions = Questions(specification)
    return questions.preference(row["call"], row["broken"], row["kept"])


def main() -> None:
    counted: Counter[tuple[str, bool]] = Counter()
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["prompt_digest"] != prompt_digest(question(row)):
            raise SystemExit(f"row {row['id']}: the question is another one by now; ask it again")
        said = read_preference(row["reply"])
        kind = "promised" if row["promises"] else "not promised"
        where = "in English" if row["language"] == "en" else "in another language"
        counted[f"{kind}, {where}", said is not None and said.word == KEPT] += 1
    print("| | found | not found |", "|---|---:|---:|", sep="\n")
    for name in dict.fromkeys(name for name, _ in sorted(counted)):
        print(f"| {name} | {counted[name, True]} | {counted[name, False]} |")


if __name__ == "__main__":
    main()
