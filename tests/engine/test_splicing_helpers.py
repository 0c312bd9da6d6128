"""What a candidate brings along stands above the function, under names nobody else uses."""

# ruff: noqa: E501 - texts are easier to compare in one piece

from __future__ import annotations

import pytest

from assay_engine.types import Problem
from support.splicing import spliced

PLAIN = "import os\n\n\n# About f.\n@cache\ndef f(x):\n    'Do.'\n"

PLACES = {
    "above the function, its decorators and its comments": (
        "f",
        PLAIN,
        "# g\n@cache\ndef g():\n    return 1  # one\ndef f(x): return g()\n",
        (
            "import os\n\n\n# g\n@cache\ndef g():\n    return 1  # one\n\n\n# About f.\n@cache\n"
            "def f(x):\n    'Do.'\n    return g()\n"
        ),
    ),
    "only what is needed, in its order, constants together": (
        "f",
        PLAIN,
        (
            "A = 1\nUNUSED = 2\nB = {A: 1}\nB[2] = 3\nassert B\nprint(B)\ndef g(): return B\n"
            "def f(x): return g()\nif __name__ == '__main__': f(B)\n"
        ),
        (
            "import os\n\n\nA = 1\nB = {A: 1}\nB[2] = 3\n\n\ndef g(): return B\n\n\n# About f.\n@cache\n"
            "def f(x):\n    'Do.'\n    return g()\n"
        ),
    ),
    "above the class of a method": (
        "A.f",
        "X = 1\nclass A:\n\n  # About f.\n  def f(self):\n    'Do.'\n",
        "class G:\n    def h(self):\n        return 1\n\ndef f(self):\n    return G().h()\n",
        (
            "X = 1\n\n\nclass G:\n  def h(self):\n    return 1\n\n\nclass A:\n\n  # About f.\n"
            "  def f(self):\n    'Do.'\n    return G().h()\n"
        ),
    ),
    "above the statement around a nested function": (
        "g.<locals>.f",
        "if 1:\n    @cache\n    def g():\n        def f(x):\n            'Do.'\n        return f\n",
        "G = 1\ndef f(x): return G\n",
        (
            "G = 1\n\n\nif 1:\n    @cache\n    def g():\n        def f(x):\n            'Do.'\n"
            "            return G\n        return f\n"
        ),
    ),
    "below the first lines that count by their place": (
        "f",
        "#!/usr/bin/env python\n# coding: utf-8\n# About f.\ndef f(x): 'Do.'\n",
        "G = 1\ndef f(x): return G\n",
        (
            "#!/usr/bin/env python\n# coding: utf-8\n\n\nG = 1\n\n\n# About f.\ndef f(x):\n    'Do.'\n"
            "    return G\n"
        ),
    ),
    "below the imports that come with them": (
        "f",
        "def f(x): 'Do.'\n",
        "import re\nG = re\ndef f(x): return G\n",
        "import re\n\n\nG = re\n\n\ndef f(x):\n    'Do.'\n    return G\n",
    ),
    "below an import block that ends at the function": (
        "f",
        "import os\ndef f(x): 'Do.'\n",
        "import re\nG = re\ndef f(x): return G\n",
        "import os\nimport re\n\n\nG = re\n\n\ndef f(x):\n    'Do.'\n    return G\n",
    ),
    "a fallback import is a helper": (
        "f",
        "def f(x): 'Do.'\n",
        "try:\n    import ujson as json\nexcept ImportError:\n    import json\ndef f(x): return json\n",
        (
            "try:\n    import ujson as json\nexcept ImportError:\n    import json\n\n\ndef f(x):\n    'Do.'\n"
            "    return json\n"
        ),
    ),
    "under another name than a private one where there is a class": (
        "A.f",
        "class A:\n    def f(self): 'Do.'\n",
        "def __g(): ...\ndef f(self): return __g()\n",
        "def _g(): ...\n\n\nclass A:\n    def f(self):\n        'Do.'\n        return _g()\n",
    ),
    "and call the function itself": (
        "f",
        "def f(x): 'Do.'\n",
        "def g(x): return f(x)\ndef f(x): return g(x) or f(x)\n",
        "def g(x): return f(x)\n\n\ndef f(x):\n    'Do.'\n    return g(x) or f(x)\n",
    ),
    "state that the function declares global": (
        "f",
        "def f(x): 'Do.'\n",
        "_seen = 0\ndef f(x):\n    global _seen\n    _seen += 1\n    return _seen\n",
        "_seen = 0\n\n\ndef f(x):\n    'Do.'\n    global _seen\n    _seen += 1\n    return _seen\n",
    ),
}


@pytest.mark.parametrize(
    ("qualname", "text", "candidate", "expected"), PLACES.values(), ids=list(PLACES)
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_helpers_stand(
    qualname: str, text: str, candidate: str, expected: str, newline: str
) -> None:
    result = spliced(text.replace("\n", newline), candidate, qualname)
    assert result == expected.replace("\n", newline)


NAMES = {
    "a name bound in the file": ("g = 1\n", "_g"),
    "a name used in the file": ("X = h(g)\n", "_g"),
    "a local name of another function": ("def h(g): return g\n", "_g"),
    "names that are all taken": ("g = _g = _g_2 = 1\n", "_g_3"),
    "a name in a comment or a string": ("# g\nX = 'g'\n", "g"),
    "a name that is only an attribute": ("X.g = Y.g(g=1)\n", "g"),
    "a name inside of others": ("gg = g_ = _g = 1\n", "g"),
}


@pytest.mark.parametrize(("head", "name"), NAMES.values(), ids=list(NAMES))
def test_a_helper_takes_a_name_nobody_uses(head: str, name: str) -> None:
    result = spliced(head + "\n\ndef f(x):\n    'Do.'\n", "def g(): ...\ndef f(x): return g()")
    assert result == f"{head}\n\ndef {name}(): ...\n\n\ndef f(x):\n    'Do.'\n    return {name}()\n"


RENAMED = {
    "references": (
        "return g, [g for _ in g], lambda: g",
        "return _g, [_g for _ in _g], lambda: _g",
    ),
    "no locals": ("return [g for g in x], lambda g: g", "return [g for g in x], lambda g: g"),
    "no attributes and keywords": ("return x.g(g=g).g", "return x.g(g=_g).g"),
    "no strings": ("return 'g', f'g{g}g{{g}}', b'g'", "return 'g', f'g{_g}g{{g}}', b'g'"),
    "what stands behind letters of several bytes": ("return 'ü🙂', g", "return 'ü🙂', _g"),
    "global declarations": (
        "global y, g; y = g = 1; return g",
        "global y, _g; y = _g = 1; return _g",
    ),
    "nested functions": (
        "def h(a=g):\n        g = 1\n        return g\n    return h, g",
        "def h(a=_g):\n        g = 1\n        return g\n    return h, _g",
    ),
    "classes, whose names functions in them do not see": (
        "class C:\n        h = 1\n        def g(self): return g\n    return C",
        "class C:\n        h = 1\n        def g(self): return _g\n    return C",
    ),
    "patterns": (
        "match x:\n        case [g.A, *_]: return g\n    return g",
        "match x:\n        case [_g.A, *_]: return _g\n    return _g",
    ),
    "annotations": ("y: g = g\n    return y", "y: _g = _g\n    return y"),
}


@pytest.mark.parametrize(("body", "expected"), RENAMED.values(), ids=list(RENAMED))
def test_renaming_changes(body: str, expected: str) -> None:
    text = "g = 1\n\n\ndef f(x):\n    'Do.'\n"
    helper = "def g(a, g2='g'):\n    return g.g or {g}\n"
    uses = body if "return g" in body or "_g" in expected else f"g; {body}"
    expected = expected if uses == body else f"_g; {expected}"
    assert spliced(text, f"{helper}y = 1\ndef f(x):\n    {uses}\n".replace("y = 1\n", "")) == (
        f"g = 1\n\n\ndef _g(a, g2='g'):\n    return _g.g or {{_g}}\n\n\n"
        f"def f(x):\n    'Do.'\n    {expected}\n"
    )


def test_a_fallback_import_is_renamed_by_its_aliases() -> None:
    candidate = "try:\n  import a.b as g\nexcept E as g:\n  from c import g\ndef f(x): return g\n"
    text = "g = 1\ndef f(x): 'Do.'\n"
    result = spliced(text, candidate)
    assert isinstance(result, Problem)
    candidate = candidate.replace(" as g:", ":")
    result = spliced(text, candidate)
    assert isinstance(result, str)
    assert "import a.b as _g\nexcept E:\n" in result
    assert "from c import g as _g\n" in result


IN_CLASS = "class A:\n    def f(self): 'Do.'\n"
NESTED = "def g(y):\n    def f(x): 'Do.'\n    return f\n"

FUTURE = "from __future__ import annotations\n"
SELF_NAMING = (
    "class Node:\n    left: Node | None\n    right: 'Node'\n"
    '    def up(self, *by: Node, to: dict["k", Node]) -> Node:\n        x: Node = by\n'
    "        return x\n"
)


def test_annotations_stay_unevaluated_if_they_were_meant_to() -> None:
    candidate = f"{FUTURE}{SELF_NAMING}def f(x: Node) -> Node: return Node()\n"
    end = "def f(x):\n    'Do.'\n    return Node()\n"
    assert spliced("def f(x): 'Do.'\n", candidate) == (
        "class Node:\n    left: \"Node | None\"\n    right: 'Node'\n"
        '    def up(self, *by: "Node", to: "dict[\'k\', Node]") -> "Node":\n        x: Node = by\n'
        f"        return x\n\n\n{end}"
    )
    assert spliced(f"{FUTURE}def f(x): 'Do.'\n", candidate) == f"{FUTURE}\n\n{SELF_NAMING}\n\n{end}"


REFUSALS = {
    "a method that calls itself by its bare name": (
        "A.f",
        IN_CLASS,
        "def f(self): f(self)",
        "bare",
    ),
    "a helper that calls a method by its bare name": (
        "A.f",
        IN_CLASS,
        "def g(x): f(x)\ndef f(self): g(self)",
        "cannot see",
    ),
    "a helper that calls a nested function": (
        "g.<locals>.f",
        NESTED,
        "def h(): f(1)\ndef f(x): h()",
        "only the enclosing function defines",
    ),
    "a helper that needs a local of the function around": (
        "g.<locals>.f",
        NESTED,
        "def h(): return y\ndef f(x): return h()",
        "only the enclosing function defines",
    ),
    "super in a helper": ("f", PLAIN, "def g(): super()\ndef f(x): return g()", "super"),
    "a builtin that the file calls something else": (
        "f",
        "def sum(): ...\ndef f(x): 'Do.'",
        "def f(x): return sum(x)",
        "builtin `sum`",
    ),
    "a name in a string that shows it": (
        "f",
        "g = 1\ndef f(x): 'Do.'",
        "g = 2\ndef f(x): return f'{g=}'",
        "already used in this file",
    ),
    "a class body that takes a name over": (
        "f",
        "g = 1\ndef f(x): 'Do.'",
        "g = 2\ndef f(x):\n    class A:\n        g = g\n    return A",
        "already used in this file",
    ),
    "a package that helpers need under a name that is taken": (
        "f",
        "os = 1\ndef f(x): 'Do.'",
        "import os.path\ndef g(): return os.path\ndef f(x): return g()",
        "`os.path`",
    ),
    "a name both imported and assigned": (
        "f",
        PLAIN,
        "import re\nre = re or 1\ndef f(x): return re",
        "both",
    ),
}


@pytest.mark.parametrize(
    ("qualname", "text", "candidate", "said"), REFUSALS.values(), ids=list(REFUSALS)
)
def test_what_cannot_be_brought_along_is_said(
    qualname: str, text: str, candidate: str, said: str
) -> None:
    result = spliced(text, candidate, qualname)
    assert isinstance(result, Problem), result
    assert said in result.message


ALLOWED = {
    "a builtin that the body means the file's by": (
        "def sum(): ...\ndef f(x):\n    'Do.'\n    return sum()\n",
        "def f(x): return sum(x)",
        "f",
    ),
    "a builtin of the method's own name": (
        "class A:\n    def sum(self): 'Do.'\n",
        "def sum(self): return sum(self.x)",
        "A.sum",
    ),
    "a local of the function around, used by the body": (
        NESTED,
        "def f(x):\n    nonlocal y\n    y = x\n    return y",
        "g.<locals>.f",
    ),
}


@pytest.mark.parametrize(("text", "candidate", "qualname"), ALLOWED.values(), ids=list(ALLOWED))
def test_what_only_looks_like_an_obstacle_is_none(text: str, candidate: str, qualname: str) -> None:
    assert isinstance(spliced(text, candidate, qualname), str)
