"""Recognises calls that reach for files, processes or the network, by the names of the calls.

Reading standard input and printing are observed, clocks and randomness are fixed, and sleeping
costs a deadline: none of these is an obstacle. Files are no obstacle either where a scene can
provide them, which is when the function is called, and not while its module is loaded. There, too,
a declared reply can stand in for a request that asks the network for something in one call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from assay_engine.syntax.parsing import bound_name
from assay_engine.syntax.scopes import nodes_in


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_MODULES = _names("""
aiohttp boto3 fileinput ftplib glob http.client httpx imaplib paramiko poplib psycopg psycopg2
pymysql requests shutil smtplib subprocess tempfile urllib.request urllib3 webbrowser websockets
""")
_STARTING = _names("""
asyncio.create_subprocess_exec asyncio.create_subprocess_shell os.execv os.execve os.execvp
os.popen os.posix_spawn os.spawnl os.spawnv os.startfile os.system subprocess.Popen subprocess.call
subprocess.check_call subprocess.check_output subprocess.getoutput subprocess.getstatusoutput
subprocess.run
""")
_CONNECTING = _names("""
aiohttp.request asyncio.open_connection asyncio.start_server boto3.client boto3.resource ftplib.FTP
ftplib.FTP_TLS httpx.delete httpx.get httpx.head httpx.options httpx.patch httpx.post httpx.put
httpx.request httpx.stream imaplib.IMAP4 imaplib.IMAP4_SSL poplib.POP3 poplib.POP3_SSL
psycopg.connect psycopg2.connect pymysql.connect requests.delete requests.get requests.head
requests.options requests.patch requests.post requests.put requests.request smtplib.SMTP
smtplib.SMTP_SSL socket.create_connection socket.create_server socket.getaddrinfo
socket.gethostbyname socket.socket urllib.request.urlopen urllib.request.urlretrieve urllib3.request
webbrowser.open websockets.connect
""")
# The calls that a scene's disk can serve; see docs/sandbox.md.
_STAGED_FUNCTIONS = _names("""
codecs.open gzip.open io.open os.access os.chdir os.chmod os.fdopen os.listdir os.lstat os.makedirs
os.mkdir os.open os.remove os.removedirs os.rename os.renames os.replace os.rmdir os.scandir os.stat
os.truncate os.unlink os.utime os.walk os.path.exists os.path.getctime os.path.getmtime
os.path.getsize os.path.isdir os.path.isfile os.path.islink os.path.lexists os.path.samefile
""")
_STAGED_MODULES = frozenset({"glob", "shutil", "tempfile"})
_LINKING = frozenset({"hardlink_to", "symlink_to"})
_PATH_METHODS = _LINKING | _names("iterdir read_bytes read_text rglob write_bytes write_text")
_PATH_METHODS_BESIDE_PATHLIB = _names("""
exists glob is_dir is_file lstat mkdir open rmdir stat touch unlink
""")
_STAGED = frozenset(
    {"open", *_STAGED_FUNCTIONS}
    | {f".{method}" for method in (_PATH_METHODS | _PATH_METHODS_BESIDE_PATHLIB) - _LINKING}
)
# The functions that do input or output in modules that have others.
_FUNCTIONS = (
    _STAGED_FUNCTIONS
    | {name for name in _STARTING | _CONNECTING if name.startswith(("asyncio.", "os.", "socket."))}
    | _names("""
bz2.open dbm.open linecache.getline linecache.getlines lzma.open os.chown os.fork os.kill os.link
os.readlink os.symlink shelve.open sqlite3.connect tarfile.open
""")
)
_HARMLESS = frozenset(
    {"glob.escape", "glob.translate", "shutil.get_terminal_size", "urllib.request.pathname2url"}
)
# The modules whose calls one reply of a mock can stand in for.
_ANSWERED_MODULES = ("httpx", "requests", "urllib.request")


class InputOutput(Struct, frozen=True):
    """A call of `name`, and its node."""

    name: str
    node: ast.Call

    @property
    def staged(self) -> bool:
        """Whether a scene can provide what the call reaches for."""
        root = self.name.split(".", 1)[0]
        return root in _STAGED_MODULES or self.name in _STAGED

    @property
    def is_outside(self) -> bool:
        """Whether the call starts a program, or talks to the network, whatever it is given."""
        return starts_program(self.name) or self.name in _CONNECTING

    @property
    def answered(self) -> bool:
        """Whether a mock can provide what the call asks for."""
        return any(self.name.startswith(f"{module}.") for module in _ANSWERED_MODULES)


def imported_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The dotted path that each imported name stands for: ``{"Path": "pathlib.Path"}``."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = bound_name(alias)
                names[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                names[bound_name(alias)] = f"{node.module}.{alias.name}"
    return names


# A file is asked about once for each of its functions, and each of these more than once.
@lru_cache(maxsize=4)
def imported_in(tree: ast.Module) -> Mapping[str, str]:
    """What `imported_names` gives of all code of a text."""
    return imported_names(nodes_in(tree))


def input_output(
    nodes: Iterable[ast.AST], imported: Mapping[str, str], defined: frozenset[str]
) -> Iterator[InputOutput]:
    """The calls below some nodes that do input or output. `defined` are the text's own names."""
    return among((node for root in nodes for node in ast.walk(root)), imported, defined)


def among(
    nodes: Iterable[ast.AST], imported: Mapping[str, str], defined: frozenset[str]
) -> Iterator[InputOutput]:
    """The same of these very nodes."""
    for node in nodes:
        if isinstance(node, ast.Call) and (name := _name(node, imported, defined)):
            yield InputOutput(name, node)


def starts_program(name: str) -> bool:
    """Whether a call of that name, as `input_output` gives it, starts another program."""
    return name in _STARTING


def _name(call: ast.Call, imported: Mapping[str, str], defined: frozenset[str]) -> str:
    """The name of a call that does input or output; empty for any other call."""
    name = dotted(call.func, imported)
    if name == "open" and "open" not in defined:
        return name
    if name in _FUNCTIONS:
        match call.args:
            case [ast.Constant(value=":memory:"), *_] if name == "sqlite3.connect":
                return ""
            case _:
                return name
    parts = name.split(".")
    if name not in _HARMLESS and any(
        name.startswith(f"{each}.") or name == each for each in imported.values()
    ):
        for count in range(1, len(parts)):
            if ".".join(parts[:count]) in _MODULES:
                return name
    match call.func:
        case ast.Attribute(value=ast.Name(id="self" | "cls")):
            return ""
        case ast.Attribute(attr=method):
            receiver = name.split(".", 1)[0]
            if is_path_method(method, {} if receiver in imported else imported):
                return f".{method}"
        case _:
            pass
    return ""


def is_path_method(name: str, imported: Mapping[str, str]) -> bool:
    """Whether a method does input or output on a path, where a text imports what is `imported`."""
    if name in _PATH_METHODS_BESIDE_PATHLIB:
        return any(each.split(".", 1)[0] == "pathlib" for each in imported.values())
    return name in _PATH_METHODS


def dotted(node: ast.AST, imported: Mapping[str, str]) -> str:
    """The path of a name or an attribute, as it was imported; empty for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([imported.get(node.id, node.id), *reversed(parts)])


def root_of(node: ast.AST) -> str:
    """The name that a dotted name begins with, as it is written; empty for anything else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
