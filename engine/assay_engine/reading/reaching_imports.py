"""Tells what the imports of a text lead to, and which of it reaches outside."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from assay_engine.reading.harmless import HARMLESS, is_harmless, is_private, names_listed
from assay_engine.reading.input_output import dotted, imported_names, root_of
from assay_engine.syntax.needed import ImportNode

# Functions that take the names of attributes, which are asked for in the texts that they are given.
_BY_NAME = names_listed("delattr functools.wraps getattr operator.attrgetter setattr")
# What packages that compute (NumPy, pandas, ...) call their ways to files and to code in texts, and
# how they set something for everybody.
_OF_PACKAGES = names_listed("""
DataSource ExcelFile ExcelWriter HDFStore dump eval fromfile fromregex genfromtxt load load_library
loadtxt memmap open open_memmap query recfromcsv recfromtxt save savetxt savez savez_compressed seed
set_option set_printoptions set_state seterr seterrcall tofile
to_clipboard to_csv to_excel to_feather to_gbq to_hdf to_html to_iceberg to_json to_latex
to_markdown to_orc to_parquet to_pickle to_sql to_stata to_string to_xml
""")
# Modules of packages that do the like, and those that are named as modules that everybody has.
_MODULES_OF_PACKAGES = names_listed("compat core ctypeslib distutils f2py test testing util utils")
_NAMED_ALIKE = names_listed("array calendar copy datetime math random statistics string time")
_STANDARD = sys.stdlib_module_names


class Reach(Struct, frozen=True):
    """A name that reaches outside, as it would be written in full, and the node that uses it."""

    name: str
    node: ast.AST


class Imported:
    """What the imports of a file and a candidate bind, wherever they stand in these.

    A name may be bound to several things; which of them counts is not asked.
    """

    def __init__(self, imports: Sequence[ImportNode]) -> None:
        self._modules: set[str] = set()
        self._paths: dict[str, set[str]] = {}
        self.names = imported_names(imports)
        self.has_star = any(alias.name == "*" for each in imports for alias in each.names)
        for node in imports:
            for bound, path in imported_names([node]).items():
                self._paths.setdefault(bound, set()).add(path)
            if isinstance(node, ast.Import):
                self._modules.update(each.name for each in node.names)
        paths = (path for each in self._paths.values() for path in each)
        self._foreign = sorted(path for path in paths if path.partition(".")[0] not in _STANDARD)
        self.has_packages = bool(self._foreign)

    def paths(self, node: ast.AST) -> list[str]:
        """The paths that an expression may stand for: one as it is written if it is no import."""
        root = root_of(node)
        return [dotted(node, {root: start}) for start in sorted(self._paths.get(root, {root}))]

    def reaches(self, node: ast.Attribute | ast.Name) -> Iterator[Reach]:
        """The paths that a name may stand for, as far as they reach outside."""
        for path in self.paths(node) if root_of(node) in self._paths else ():
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                # Who sets an attribute of a module changes it for everybody.
                yield Reach(f"{path} =", node)
            elif path in self._modules or path in HARMLESS or not self._only_computes(path):
                yield Reach(path, node)

    def _only_computes(self, path: str) -> bool:
        """Whether a path leads to something harmless, or into what the file itself imports."""
        for name in self._foreign:
            if path == name or path.startswith(f"{name}."):
                return not any(map(_leads_elsewhere, path[len(name) :].split(".")[1:]))
        return path not in _BY_NAME and is_harmless(path)


def _leads_elsewhere(attribute: str) -> bool:
    """Whether an attribute of a package is private, or another module, or opens something."""
    is_standard = attribute in _STANDARD and attribute not in _NAMED_ALIKE
    is_module = is_standard or attribute in _MODULES_OF_PACKAGES
    return is_private(attribute) or is_module or is_of_package(attribute)


def is_of_package(attribute: str) -> bool:
    return attribute in _OF_PACKAGES or attribute.startswith("read_")


def imports_reached(node: ImportNode) -> Iterator[Reach]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if is_harmless(alias.name):
                continue
            # The packages that a module is in are imported with it.
            packages = accumulate(alias.name.split("."), "{}.{}".format)
            yield from (Reach(f"import {each}", node) for each in packages if not is_harmless(each))
        return
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if not is_harmless(f"{module}.{alias.name}"):
            yield Reach(f"{module}.{alias.name}", node)
