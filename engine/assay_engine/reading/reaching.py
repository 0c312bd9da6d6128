"""Finds the names by which code can reach beyond its own values: files, processes, other modules.

What is known to reach nowhere is listed, and nothing else counts as harmless: there are too many
ways out for a list of those to be complete.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from assay_engine.reading.input_output import dotted, imported_names, input_output, root_of
from assay_engine.syntax.needed import ImportNode
from assay_engine.syntax.occurrences import bound_in_module, occurrences
from assay_engine.syntax.scopes import BUILTINS
from assay_engine.syntax.statements import Definition


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Modules that only compute, and members of others that do.
_HARMLESS = _names("""
__future__ abc array ast asyncio base64 binascii bisect calendar cmath collections collections.abc
colorsys contextlib contextvars copy csv dataclasses datetime decimal difflib enum errno fnmatch
fractions functools graphlib hashlib heapq hmac html ipaddress itertools json keyword math numbers
operator pprint queue random re reprlib secrets shlex statistics string struct textwrap
threading time typing typing_extensions unicodedata urllib.parse uuid warnings weakref zlib zoneinfo
concurrent.futures.ThreadPoolExecutor http.HTTPStatus inspect.isawaitable inspect.iscoroutine
inspect.iscoroutinefunction io.BytesIO io.StringIO logging.getLogger os.fspath os.linesep
os.path.basename os.path.commonpath os.path.commonprefix os.path.dirname os.path.isabs os.path.join
os.path.normpath os.path.sep os.path.split os.path.splitext os.sep pathlib.PurePath
pathlib.PurePosixPath pathlib.PureWindowsPath sys.float_info sys.maxsize tomllib.loads
types.MappingProxyType types.SimpleNamespace
""")
# Members of these modules that start something, or look up or run what a text says. They may also
# be reached by a module within.
_REACHING = _names("""
asyncio.create_subprocess_exec asyncio.create_subprocess_shell asyncio.get_event_loop
asyncio.get_running_loop asyncio.new_event_loop asyncio.open_connection
asyncio.open_unix_connection asyncio.start_server asyncio.start_unix_server
functools.singledispatch functools.singledispatchmethod operator.attrgetter operator.methodcaller
string.Formatter typing.ForwardRef typing.evaluate_forward_ref typing.get_type_hints
typing_extensions.evaluate_forward_ref typing_extensions.get_type_hints uuid.getnode uuid.uuid1
""")
_BUILTINS = _names("""
__build_class__ __import__ breakpoint compile delattr dir eval exec exit getattr globals help input
locals open quit setattr vars
""")
_BY_NAME = _names("delattr getattr setattr")
# Special methods that anybody may call, and attributes that lead nowhere.
_SPECIAL = _names("""
__abs__ __add__ __aenter__ __aexit__ __aiter__ __and__ __anext__ __bool__ __call__ __class__
__cause__ __contains__ __context__ __delitem__ __doc__ __enter__ __eq__ __exit__ __float__
__floordiv__ __format__ __ge__ __getitem__ __gt__ __hash__ __iadd__ __index__ __init__
__init_subclass__ __int__ __invert__ __iter__ __le__ __len__ __lt__ __mod__ __mul__ __name__
__ne__ __neg__ __new__ __next__ __notes__ __or__ __pos__ __post_init__ __pow__ __qualname__
__radd__ __repr__ __reversed__ __rmul__ __rsub__ __setitem__ __str__ __sub__ __truediv__ __xor__
""")
# Ordinary attributes that lead to what runs, or make an event loop start something.
_WAYS_OUT = _names("""
ag_frame cr_frame create_connection create_datagram_endpoint create_server create_unix_connection
create_unix_server f_back f_builtins f_code f_globals f_locals gi_frame gi_yieldfrom sock_connect
subprocess_exec subprocess_shell tb_frame tb_next
""")
_STANDARD = sys.stdlib_module_names


class Reach(Struct, frozen=True):
    """A name that reaches outside, as it would be written in full, and the node that uses it."""

    name: str
    node: ast.expr | ast.stmt


def reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    """The names in `tree` that reach outside and that `around`, a file, does not use already.

    `tree` is a module whose code is to go into the file.
    """
    known = {each.name for each in _reaches(around, around)}
    yield from (each for each in _reaches(tree, around) if each.name not in known)


def is_harmless(name: str) -> bool:
    """Whether a dotted name of the standard library only computes."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if ".".join(parts[:length]) in _HARMLESS:
            rest = parts[length:]
            member = f"{parts[0]}.{parts[-1]}"
            return member not in _REACHING and not any(map(_leads_elsewhere, rest))
    return False


def _leads_elsewhere(attribute: str) -> bool:
    """Whether an attribute of a module is private, or another module."""
    is_module = attribute in _STANDARD and attribute not in _HARMLESS
    return attribute.startswith("_") or is_module


def _reaches(tree: ast.Module, around: ast.Module) -> Iterator[Reach]:
    nodes = list(ast.walk(tree))
    own = nodes if tree is around else [*ast.walk(around), *nodes]
    imported = _Imported([node for node in own if isinstance(node, ImportNode)])
    # A node within a longer name is no use of its own.
    within = {each.value for each in nodes if isinstance(each, ast.Attribute)}
    for node in nodes:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from _imports(node)
            case ast.MatchClass(kwd_attrs=names):
                yield from (Reach(name, node.cls) for name in names if _is_special(name))
            case ast.Attribute(attr=name) if _is_special(name):
                yield Reach(name, node)
            case _:
                pass
        if isinstance(node, ast.Attribute | ast.Name) and node not in within:
            yield from imported.reaches(node)
    yield from _taken_from_module(tree, around, imported, nodes)
    defined = frozenset(each.name for each in own if isinstance(each, Definition))
    for call in input_output(tree.body, imported_names(own), defined):
        yield Reach(call.name, call.node)


def _taken_from_module(
    tree: ast.Module, around: ast.Module, imported: _Imported, nodes: list[ast.AST]
) -> Iterator[Reach]:
    """Names that lead outside without being imported: builtins, and what a star import brings."""
    plain = {each.func for each in nodes if isinstance(each, ast.Call) and _is_plain(each)}
    found = occurrences(tree.body)
    bound = bound_in_module(found) | bound_in_module(occurrences(around.body)) | BUILTINS
    for each in found:
        if not isinstance(each.node, ast.Name) or not each.looks_in_module:
            continue
        is_way_out = each.name in _BUILTINS or _is_special(each.name)
        is_unknown = imported.has_star and each.name not in bound
        if is_unknown or (is_way_out and not (each.name in _BY_NAME and each.node in plain)):
            yield Reach(each.name, each.node)


class _Imported:
    """What the imports of a file and a candidate bind, wherever they stand in these.

    A name may be bound to several things; which of them counts is not asked.
    """

    def __init__(self, imports: Sequence[ImportNode]) -> None:
        self._modules: set[str] = set()
        self._paths: dict[str, set[str]] = {}
        self.has_star = any(alias.name == "*" for each in imports for alias in each.names)
        for node in imports:
            for bound, path in imported_names([node]).items():
                self._paths.setdefault(bound, set()).add(path)
            if isinstance(node, ast.Import):
                self._modules.update(each.name for each in node.names)
        paths = (path for each in self._paths.values() for path in each)
        self._foreign = sorted(path for path in paths if path.partition(".")[0] not in _STANDARD)

    def reaches(self, node: ast.Attribute | ast.Name) -> Iterator[Reach]:
        """The paths that a name may stand for, as far as they reach outside."""
        for start in self._paths.get(root_of(node), ()):
            path = dotted(node, {root_of(node): start})
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                # Who sets an attribute of a module changes it for everybody.
                yield Reach(f"{path} =", node)
            elif path in self._modules or not self._only_computes(path):
                yield Reach(path, node)

    def _only_computes(self, path: str) -> bool:
        """Whether a path leads to something harmless, or into what the file itself imports."""
        for name in self._foreign:
            if path == name or path.startswith(f"{name}."):
                return not any(map(_leads_elsewhere, path[len(name) :].split(".")[1:]))
        return is_harmless(path)


def _imports(node: ImportNode) -> Iterator[Reach]:
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


def _is_special(name: str) -> bool:
    is_dunder = name.startswith("__") and name.endswith("__")
    return (is_dunder and name not in _SPECIAL) or name in _WAYS_OUT


def _is_plain(call: ast.Call) -> bool:
    """Whether a call of ``getattr`` or the like names an attribute that leads nowhere else."""
    match call.args:
        case [_, ast.Constant(value=str(name)), *_]:
            return not _is_special(name) and not _leads_elsewhere(name)
        case _:
            return False
