"""Blanks out what does not parse, so that one broken function does not cost the others.

The repaired text has the same length and the same line breaks as the given one, so spans in one are
spans in the other. Statements are told apart by their indentation and parsed one by one. Classes
and other blocks that fail are entered and mended inside; other statements that fail are blanked.
"""

from __future__ import annotations

import ast
import re

from msgspec import Struct, field

from assay_engine.syntax.layout import leading_space
from assay_engine.syntax.parsing import SyntaxFault, parse, split_lines

# The most that is parsed to find where strings left open may end, in lengths of the text.
EXTENSION_EFFORT_MAX = 4
# Blocks within blocks are entered to this depth. Each costs another parse of what is in it.
DEPTH_MAX = 20
# After this many broken statements the rest is given up: such a text is no Python being typed.
FAULTS_MAX = 100
# This many statements are parsed together, and one by one only if they do not parse together.
RUN = 64

_BLOCK = re.compile(r"(class|if|try|with|for|while|async\s+(with|for))\b")
_CLAUSE = re.compile(r"(else|elif|except|finally)\b")
_DEFINITION = re.compile(r"(class|def|async\s+def)\b|@")
_ON_LINE = re.compile(r"on line (\d+)")


class Repaired(Struct, frozen=True, eq=False):
    """The text with its broken statements blanked, its tree, and a fault for each, by line."""

    text: str
    tree: ast.Module
    faults: tuple[SyntaxFault, ...] = ()


def repair(text: str) -> Repaired:
    parsed = parse(text)
    if not isinstance(parsed, SyntaxFault):
        return Repaired(text, parsed)
    mender = _Mender(split_lines(text), EXTENSION_EFFORT_MAX * len(text))
    mender.mend(0, len(mender.lines), "", depth=0)
    mended = "".join(mender.lines)
    tree = parse(mended)
    if mender.faults and not isinstance(tree, SyntaxFault):
        return Repaired(mended, tree, tuple(sorted(mender.faults, key=lambda each: each.line)))
    blank = re.sub(r"[^\r\n]", " ", text)
    return Repaired(blank, ast.Module(body=[], type_ignores=[]), (parsed,))


class _Mender(Struct):
    lines: list[str]
    extension_effort: int
    faults: list[SyntaxFault] = field(default_factory=list[SyntaxFault])

    def mend(self, first: int, last: int, indentation: str, *, depth: int) -> None:
        """Make the statements in lines `first` to `last`, all with this indentation, parse."""
        heads = self._heads(first, last, indentation)
        index = run_end = 0
        while index < len(heads) - 1:
            start = heads[index]
            if len(self.faults) >= FAULTS_MAX:
                self._blank(start, last, indentation)
                return
            if index >= run_end:
                run_end = min(index + RUN, len(heads) - 1)
                if self._fault(start, heads[run_end], indentation) is None:
                    index = run_end
                    continue
            index += 1
            fault = self._fault(start, heads[index], indentation)
            if fault is None:
                continue
            extended = self._extended(heads, index, indentation) if fault.is_unfinished else None
            if extended is not None:
                index = extended
            else:
                self._mend_statement(start, heads[index], indentation, fault, depth)

    def _mend_statement(
        self, start: int, end: int, indentation: str, fault: SyntaxFault, depth: int
    ) -> None:
        keyword = self._keyword_line(start, end)
        is_block = self._indentation(keyword) == indentation and _BLOCK.match(self._code(keyword))
        if is_block and depth < DEPTH_MAX:
            faults_before = len(self.faults)
            for header, body, body_end, deeper in self._clauses(start, end, indentation):
                if header < body < body_end:
                    self.mend(body, body_end, deeper, depth=depth + 1)
            if self._fault(start, end, indentation) is None:
                return
            del self.faults[faults_before:]
        self.faults.append(fault)
        self._blank(start, end, indentation)

    def _blank(self, start: int, end: int, indentation: str) -> None:
        for line in range(start, end):
            self.lines[line] = re.sub(r"[^\r\n]", " ", self.lines[line])
        # An expression statement in its place keeps the block around it from being empty.
        blank = self.lines[start].rstrip("\r\n")
        filler = indentation + ("..." if len(blank) >= len(indentation) + 3 else "0")
        self.lines[start] = filler + self.lines[start][len(filler) :]

    def _heads(self, first: int, last: int, indentation: str) -> list[int]:
        """The lines at which statements begin, and `last`."""
        heads: list[int] = []
        in_decorators = False
        for number in range(first, last):
            code = self._code(number)
            if not code or code[0] == "#":
                continue
            goes_on = code[0] in ")]}" or _CLAUSE.match(code) is not None
            is_head = self._indentation(number) == indentation and not goes_on
            if not heads or (is_head and not in_decorators):
                heads.append(number)
            if is_head:
                in_decorators = code[0] == "@"
        return [*heads, last]

    def _extended(self, heads: list[int], index: int, indentation: str) -> int | None:
        """The index of the head before which a statement ends whose strings were left open.

        None if no such head is found.
        """
        start = heads[index - 1]
        opened = "".join(self.lines[start : heads[index]])
        quotes = [quote for quote in ('"""', "'''") if quote in opened]
        for later in range(index, len(heads) - 1):
            added = "".join(self.lines[heads[later] : heads[later + 1]])
            if quotes and not any(quote in added for quote in quotes):
                continue
            if not quotes and _DEFINITION.match(added.lstrip()):
                return None
            self.extension_effort -= sum(map(len, self.lines[start : heads[later + 1]]))
            if self.extension_effort < 0:
                return None
            fault = self._fault(start, heads[later + 1], indentation)
            if fault is None:
                return later + 1
            if not fault.is_unfinished:
                return None
        return None

    def _clauses(self, start: int, end: int, indentation: str) -> list[tuple[int, int, int, str]]:
        """For each clause, its header line, and its body's first line, end and indentation."""
        headers = [self._keyword_line(start, end)]
        headers += [
            number
            for number in range(headers[0] + 1, end)
            if self._indentation(number) == indentation and _CLAUSE.match(self._code(number))
        ]
        clauses: list[tuple[int, int, int, str]] = []
        for header, clause_end in zip(headers, [*headers[1:], end], strict=True):
            body = header
            while body < clause_end:
                if self._code(body).split("#", 1)[0].rstrip().endswith(":"):
                    break
                body += 1
            body += 1
            code_lines = (n for n in range(body, clause_end) if self._code(n)[:1] not in ("", "#"))
            deeper = self._indentation(next(code_lines, header))
            clauses.append((header, body, clause_end, deeper))
        return clauses

    def _keyword_line(self, start: int, end: int) -> int:
        """The first line of a statement below its decorators."""
        level = self._indentation(start)
        for number in range(start, end):
            code = self._code(number)
            if self._indentation(number) == level and code and code[0] not in "@)]}#":
                return number
        return start

    def _fault(self, start: int, end: int, indentation: str) -> SyntaxFault | None:
        body = "".join(self.lines[start:end])
        result = parse(f"if 1:\n{body}" if indentation else body)
        if not isinstance(result, SyntaxFault):
            return None
        added = 1 if indentation else 0
        line = min(max(1, result.line - added), end - start)
        while line > 1 and not self._code(start + line - 1):
            line -= 1
        reason = _ON_LINE.sub(
            lambda match: f"on line {start + int(match[1]) - added}", result.reason
        )
        return SyntaxFault(start + line, reason, result.is_unfinished)

    def _indentation(self, number: int) -> str:
        return leading_space(self.lines[number])

    def _code(self, number: int) -> str:
        return self.lines[number].strip(" \t\f\r\n")
