"""How large the code is: files and lines of code by package.

    python -m benchmarks.size [--folders]

Blank lines, comments and docstrings are not counted, but every line of any other string is.
`--folders` prints the parts of each package, too.
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = {
    "engine": "engine/assay_engine",
    "sandbox": "sandbox/assay_sandbox",
    "server": "lsp_server/assay_lsp",
}
OTHERS = {
    "bench": "benchmarks/assay_bench/assay_bench",
    "tests": "tests",
}
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def lines_of_code(text: str) -> int:
    """The number of lines with code on them."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    written = {
        line
        for token in tokens
        if token.type not in _LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(written - set(_docstring_lines(ast.parse(text))))


def measured(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Files and lines of code, by the first folder inside `folder` ("" for what is in none)."""
    files, lines = Counter[str](), Counter[str]()
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).parts
        part = inside[0] if len(inside) > 1 else ""
        files[part] += 1
        lines[part] += lines_of_code(path.read_text("utf-8"))
    return files, lines


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case (
                ast.Module(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_])
                | ast.AsyncFunctionDef(
                    body=[ast.Expr(value=ast.Constant(value=str())) as first, *_]
                )
            ):
                yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)
            case _:
                pass


def _row(name: str, files: int, lines: int) -> str:
    return f"{name:24}{files:6}{lines:9,}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Files and lines of code by package.")
    parser.add_argument("--folders", action="store_true", help="and by the folders in them")
    options = parser.parse_args()
    print(f"{'package':24}{'files':>6}{'lines':>9}")
    product = [0, 0]
    for name, place in (PRODUCT | OTHERS).items():
        files, lines = measured(ROOT / place)
        print(_row(name, files.total(), lines.total()))
        if options.folders:
            for part in sorted(files, key=lambda part: -lines[part]):
                print(_row(f"  {part or '.'}", files[part], lines[part]))
        if name in PRODUCT:
            product[0] += files.total()
            product[1] += lines.total()
    print(_row("engine, sandbox, server", *product))


if __name__ == "__main__":
    main()
