"""Whatever the file and the candidate: the result parses, and nothing else has changed."""

# ruff: noqa: E501 - texts are easier to compare in one piece

from __future__ import annotations

import ast

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay_engine.splicing import apply_edits, splice
from assay_engine.syntax.units import find_units
from assay_engine.types import Problem, Unit

HEADS = [
    "#!/usr/bin/env python\n",
    "# coding: utf-8\n",
    '"""Doc."""\n',
    "from __future__ import annotations\n",
    "import os\n",
    "import os, re  # both\n",
    "from typing import Any\n",
    "from typing import (\n    Any,\n)\n",
    "\n",
    "\n\n",
    "# A comment.\n",
    "X = 1; import abc\n",
    "helper = '🙂'\n",
    "def helper(re): return re\n",
    "try:\n    import json\nexcept ImportError:\n    json = None\n",
    "class LIMIT:\n\tjson = '''\n'''\n",
    "\x0c\n",
]
FUNCTIONS = [
    "def f(x): return x\n",
    "def f(x): '''Do.'''\n",
    "@cache\n# é\ndef f(\n    x  # the x\n):\n    '''Do\x0c\u2028.\n'''  # c\n    # old\n\n    return x # 🙂\n",
    "# About f.\ndef f(x):\n\t'Do.'\n\tif x:\n\t\treturn 1\n\treturn 2 \\\n\n",
    "class A:\n  # c\n  def f(x):\n    '''Do.'''; return 1\n  json = 1\n",
    "def g(re):\n    json = 1\n    def f(x):\n        '''Do.'''\n        return re\n\n    return f\n",
    "if 1:\n    def f(x):\n     'Do.'\n     return 'a\\\n b'\nelse: pass\n",
]
TAILS = ["", "\n", "\n\nY = f\n", "# The end.", "\n\ndef h(json): return LIMIT\n", "import zlib\n"]
IMPORTS = [
    "import re\n",
    "import os.path\n",
    "import json as js, json\n",
    "from typing import Any, Sequence\n",
    "from json import loads as helper\n",
    "from . import sibling\n",
    "from __future__ import annotations\n",
]
HELPERS = [
    "LIMIT = 3\n",
    "# help\ndef helper(y, re=re):\n  '''help'''\n  return f'{helper}{re}' or json.loads(y)\n",
    "class Node:\n    def f(self): return [helper for helper in Node]\n",
    "try:\n    import fast as json\nexcept ImportError: import json\n",
]
BODIES = [
    "    return re, json, helper, LIMIT, Node, js, Any\n",
    "    '''Doc.'''\n    # why\n    y = '''a\n  b'''\n    return (y,\n            helper(LIMIT=LIMIT))\n",
    "  if x:\n      return f(x)\n  return [os for os in x], os.path, sibling\n",
    " global LIMIT\n LIMIT += 1; return {\n  'é🙂': LIMIT,\n }\n",
    "\tfor json in x:\n\t\tprint(json, Node)\n\telse:\n\t\treturn re\n\t# end\n",
]


def some(pieces: list[str], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=most).map("".join)


FILES = st.tuples(
    st.sampled_from(["", "\ufeff"]),
    some(HEADS, 5),
    st.sampled_from(FUNCTIONS),
    st.sampled_from(TAILS),
    st.sampled_from(["\n", "\r\n", "\r"]),
).map(lambda parts: parts[0] + "".join(parts[1:4]).replace("\n", parts[4]))
CANDIDATES = st.tuples(some(IMPORTS, 4), some(HELPERS, 3), st.sampled_from(BODIES)).map(
    lambda parts: f"{parts[0]}{parts[1]}def f(x):\n{parts[2]}"
)


def unit_of(text: str, qualname: str | None = None) -> Unit:
    """The unit of a qualified name, or the last one called `f`."""
    units = find_units(text)[0]
    found = [
        each for each in units if (qualname or "f") == (each.qualname if qualname else each.name)
    ]
    assume(found)
    return found[-1]


@settings(max_examples=400, deadline=None)
@given(FILES, CANDIDATES)
def test_the_result_parses_and_everything_else_is_as_it_was(text: str, candidate: str) -> None:
    unit = unit_of(text)
    assume(not find_units(text)[1])
    edits = splice(text, unit, candidate)
    assume(not isinstance(edits, Problem))
    assert not isinstance(edits, Problem)
    result = apply_edits(text, edits)
    ast.parse(result.removeprefix("\ufeff"))
    again = unit_of(result, unit.qualname)
    assert (again.docstring, again.kind) == (unit.docstring, unit.kind)
    for edit in edits:
        inside = unit.span.start <= edit.span.start and edit.span.end <= unit.span.end
        removed = text[edit.span.start : edit.span.end]
        # Outside the function, something is only ever added, or rewritten on an import line.
        assert inside or removed == "" or edit.new_text.startswith(removed.split(",")[0])
        assert inside or edit.span.end <= unit.span.start
    assert result.endswith(text[unit.span.end :])
    newline = "\r\n" if "\r\n" in text else "\r" if "\r" in text else "\n"
    assert result.replace(newline, "").count("\n") == text.replace(newline, "").count("\n")


@settings(max_examples=200, deadline=None)
@given(FILES, CANDIDATES)
def test_splicing_the_same_candidate_again_changes_no_body(text: str, candidate: str) -> None:
    """And imports that are there by then are recognised."""
    unit = unit_of(text)
    assume(not find_units(text)[1])
    # Helpers come again, under new names; so a candidate without them.
    bare = candidate[candidate.index("def f(x)") :]
    imports = "".join(line for line in IMPORTS if line in candidate)
    edits = splice(text, unit, imports + bare)
    assume(not isinstance(edits, Problem))
    assert not isinstance(edits, Problem)
    once = apply_edits(text, edits)
    again = splice(once, unit_of(once, unit.qualname), imports + bare)
    assert not isinstance(again, Problem), again
    assert apply_edits(once, again) == once


@settings(max_examples=200, deadline=None)
@given(FILES, st.text(max_size=40), st.text(max_size=40))
def test_whatever_the_texts_there_are_edits_or_a_reason(
    text: str, broken: str, candidate: str
) -> None:
    unit = unit_of(text)
    for file in (text, broken, text.replace("f", broken), broken + text):
        for source in (candidate, f"def f(x):\n    {candidate}\n", f"{candidate}\ndef f(x): x\n"):
            outcome = splice(file, unit, source)
            if not isinstance(outcome, Problem):
                ast.parse(apply_edits(file, outcome).removeprefix("\ufeff"))
