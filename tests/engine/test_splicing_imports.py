"""What a candidate imports goes into the file's import block, or where it can live."""

# ruff: noqa: E501 - texts are easier to compare in one piece

from __future__ import annotations

import pytest

from support.splicing import spliced

FUNCTION = "\n\ndef f(x):\n    'Do.'\n    return x\n"


def using(imports: str, *names: str) -> str:
    return f"{imports}\n\ndef f(x):\n    return {', '.join(names)},\n"


HEADS = {
    "what is there already is not imported again": (
        "import os\nimport os.path\nfrom re import sub as s\n",
        using("import os\nimport os.path\nfrom re import sub as s", "os", "s"),
        "import os\nimport os.path\nfrom re import sub as s\n",
    ),
    "plain imports are sorted in": (
        "import abc\n# about os\nimport os\n\nX = 1\n",
        using("import json, zlib", "json", "zlib"),
        "import abc\nimport json\n# about os\nimport os\nimport zlib\n\nX = 1\n",
    ),
    "from-imports follow plain ones where they do": (
        "import os\nfrom abc import ABC\n",
        using("import re\nfrom json import loads", "re", "loads"),
        "import os\nimport re\nfrom abc import ABC\nfrom json import loads\n",
    ),
    "a block sorted by module alone stays so": (
        "from abc import ABC\nimport os\nfrom re import sub\n",
        using("import json\nfrom string import digits", "json", "digits"),
        "from abc import ABC\nimport json\nimport os\nfrom re import sub\nfrom string import digits\n",
    ),
    "an unsorted block is added to": (
        "import os\nimport abc\n",
        using("import json", "json"),
        "import os\nimport abc\nimport json\n",
    ),
    "the first of a block": (
        "import os\n",
        using("import abc", "abc"),
        "import abc\nimport os\n",
    ),
    "groups are kept apart": (
        "import os\n\nimport numpy\n\nfrom . import here\n",
        using("import re\nimport yaml\nfrom .there import y", "re", "yaml", "y"),
        "import os\nimport re\n\nimport numpy\nimport yaml\n\nfrom . import here\nfrom .there import y\n",
    ),
    "a group that is lacking is made": (
        "# numbers\nimport numpy\n",
        using("import re\nfrom . import y", "re", "y"),
        "import re\n\n# numbers\nimport numpy\n\nfrom . import y\n",
    ),
    "nothing comes before the future": (
        "'''Doc.'''\nfrom __future__ import annotations\n",
        using("from __future__ import division\nimport abc", "abc"),
        "'''Doc.'''\nfrom __future__ import annotations\n\nimport abc\n",
    ),
    "the future may share a group": (
        "from __future__ import annotations\nimport os\n",
        using("import abc", "abc"),
        "from __future__ import annotations\nimport abc\nimport os\n",
    ),
    "names go onto a line of their module, sorted if it is": (
        "from typing import TYPE_CHECKING, Any, cast  # noqa\n",
        using("from typing import Sequence, Any, MAX, final", "Sequence", "Any", "MAX", "final"),
        "from typing import MAX, TYPE_CHECKING, Any, Sequence, cast, final  # noqa\n",
    ),
    "names go behind those of an unsorted line": (
        "from typing import  cast , Any\n",
        using("from typing import Final as F", "F"),
        "from typing import  cast, Any, Final as F\n",
    ),
    "names in parentheses are left alone": (
        "from typing import (\n    Any,\n)\n",
        using("from typing import Final, List", "Final", "List"),
        "from typing import (\n    Any,\n)\nfrom typing import Final, List\n",
    ),
    "a line does not grow without end": (
        f"from typing import {'A' * 65}\n",
        using("from typing import List", "List"),
        f"from typing import {'A' * 65}\nfrom typing import List\n",
    ),
    "names that only other functions use for themselves are free": (
        "import os\ndef g(re):\n    for sub in re: re.sub = sub\n    return [re for re in re]\n",
        using("import re", "re"),
        "import os\nimport re\ndef g(re):\n    for sub in re: re.sub = sub\n    return [re for re in re]\n",
    ),
    "a submodule is imported beside its package": (
        "import xml\n",
        using("import xml.etree.ElementTree", "xml"),
        "import xml\nimport xml.etree.ElementTree\n",
    ),
    "of two imports of one name the later counts": (
        "import os\n",
        using("import datetime\nfrom datetime import datetime", "datetime"),
        "import os\nfrom datetime import datetime\n",
    ),
    "statements that share a line": (
        "import os; X = 1; import sys\n",
        using("import re", "re"),
        "import os; X = 1; import sys\nimport re\n",
    ),
    "an import that goes on in the next line": (
        "import os, \\\n  abc\n",
        using("import re", "re"),
        "import os, \\\n  abc\nimport re\n",
    ),
    "only imports above count as the block": (
        "X = 1\nimport os\nY = 1\nimport abc\n",
        using("import zlib", "zlib"),
        "X = 1\nimport os\nimport zlib\nY = 1\nimport abc\n",
    ),
}


@pytest.mark.parametrize(("head", "candidate", "expected"), HEADS.values(), ids=list(HEADS))
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_imports_are_merged_into_the_block(
    head: str, candidate: str, expected: str, newline: str
) -> None:
    result = spliced((head + FUNCTION).replace("\n", newline), candidate)
    assert isinstance(result, str), result
    new_head, _, function = result.partition(f"{newline}{newline}def f")
    assert new_head == expected.replace("\n", newline)
    assert function.startswith(f"(x):{newline}    'Do.'{newline}    return ")


BARE = {
    "an empty head": ("", "import re\n\n\n"),
    "a docstring": ("'''Doc.'''\n\n\n", "'''Doc.'''\n\nimport re\n\n\n"),
    "a docstring close by": ("'''Doc.'''\n", "'''Doc.'''\n\nimport re\n\n\n"),
    "a docstring that shares its line": ("'''D''';X=1\n", "'''D''';X=1\n\nimport re\n\n\n"),
    "a byte order mark": ("\ufeff", "\ufeffimport re\n\n\n"),
    "the first line says who runs it": (
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n",
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\nimport re\n\n\n",
    ),
    "a licence": ("# Licence\n# No. 1\n\n", "# Licence\n# No. 1\n\nimport re\n\n\n"),
    "a comment that belongs to the function": ("# About f.\n", "import re\n\n\n# About f.\n"),
    "code": ("\nX = 1\n", "\nimport re\n\n\nX = 1\n"),
}


@pytest.mark.parametrize(("head", "expected"), BARE.values(), ids=list(BARE))
def test_a_file_without_imports_gets_a_block_below_its_head(head: str, expected: str) -> None:
    function = FUNCTION.lstrip()
    result = spliced(head + function, using("import re", "re"))
    assert result == expected + function.replace("return x", "return re,")


TAKEN = {
    "by a variable": ("re = 1\n", "import re"),
    "by a function": ("def re(): ...\n", "import re"),
    "by another import": ("import regex as re\n", "import re"),
    "by an import that may fail": (
        "try:\n    import re\nexcept ImportError:\n    re = None\n",
        "import re",
    ),
    "by an import for type checkers": ("if TYPE_CHECKING:\n    import re\n", "import re"),
    "by another name of the module": ("from re import sub\n", "from regex import sub"),
    "by an assignment in a function": ("def g():\n    global re\n    re = 1\n", "import re"),
    "by the builtin others mean": ("X = pow(1, 2)\n", "from math import pow"),
    "by a builtin in the header": ("", "from math import pow"),
}


@pytest.mark.parametrize(("head", "wanted"), TAKEN.values(), ids=list(TAKEN))
def test_an_import_whose_name_is_taken_goes_into_the_function(head: str, wanted: str) -> None:
    name = wanted.rsplit(maxsplit=1)[-1]
    function = "\n\n@wraps(pow)\ndef f(x):\n    'Do.'\n    return x\n"
    assert spliced(head + function, using(wanted, name)) == head + function.replace(
        "return x", f"{wanted}\n    return {name},"
    )


def test_a_name_that_the_function_around_binds_is_imported_inside() -> None:
    text = "import re\ndef g():\n    re = 1\n    def f(x):\n        'Do.'\n        return x\n"
    assert spliced(text, using("import re", "re"), "g.<locals>.f") == text.replace(
        "return x", "import re\n        return re,"
    )


def test_an_import_that_helpers_need_gets_another_name_where_its_own_is_taken() -> None:
    candidate = (
        "import re\ndef g(re_): return re.sub\ndef f(x): return re, g, x.re, '{re}', f'{re}'"
    )
    assert spliced("re = 1\n" + FUNCTION, candidate) == (
        "import re as _re\n\n\nre = 1\n\n\ndef g(re_): return _re.sub\n\n\ndef f(x):\n    'Do.'\n"
        "    return _re, g, x.re, '{re}', f'{_re}'\n"
    )


def test_an_import_below_the_function_does_not_help_its_helpers() -> None:
    candidate = "import re\nP = re.compile('')\ndef f(x): return P"
    assert spliced("X = 1\n" + FUNCTION + "import re\n", candidate) == (
        "import re\n\n\nX = 1\n\n\nP = re.compile('')\n\n\ndef f(x):\n    'Do.'\n    return P\n"
        "import re\n"
    )
    assert spliced("X = 1\n" + FUNCTION + "import re\n", using("import re", "re")) == (
        "X = 1\n" + FUNCTION.replace("return x", "return re,") + "import re\n"
    )
