"""Imports standard modules before the confinement, by names that are written here.

No text of a program influences these: what a program imports itself, it imports confined.
"""

from __future__ import annotations

import sys

# The path while the worker itself is imported. Some standard modules try others that a system need
# not have; a package of such a name may only run confined.
_PATH = tuple(sys.path)

# Imported while no job waits, so that programs need not; what every child needs comes first.
COMMON = (
    "mmap",
    "collections", "re", "math", "itertools", "functools", "operator", "string", "heapq",
    "bisect", "random", "datetime", "decimal", "fractions", "dataclasses", "enum", "typing",
    "copy", "json", "statistics", "array", "pathlib", "uuid", "contextlib", "textwrap",
    "numbers", "abc", "threading", "asyncio",
)  # fmt: skip

# All that a program can import where no file can be opened. Importing these does nothing but define
# their names: no demonstration, no program (`__main__`), no installer, no tests, nothing that needs
# a terminal, a display or the network. Modules that another module or a function imports only when
# it needs them are named, too; a version of Python need not have all of them.
WITHOUT_FILES = (
    *COMMON,
    "__future__", "argparse", "ast", "atexit", "base64", "binascii", "bz2", "calendar", "cmath",
    "code", "codecs", "codeop", "collections.abc", "colorsys", "concurrent.futures.process",
    "concurrent.futures.thread", "configparser", "contextvars", "copyreg", "cProfile", "csv",
    "ctypes.util", "difflib", "dis", "doctest", "email.encoders", "email.generator",
    "email.header", "email.headerregistry", "email.message", "email.mime.application",
    "email.mime.audio", "email.mime.image", "email.mime.message", "email.mime.multipart",
    "email.mime.text", "email.parser", "email.policy", "email.utils", "errno", "faulthandler",
    "fcntl", "filecmp", "fileinput", "fnmatch", "gc", "getopt", "getpass", "gettext", "glob",
    "graphlib", "grp", "gzip", "hashlib", "hmac", "html", "html.entities", "html.parser", "http",
    "http.client", "http.cookiejar", "http.cookies", "importlib.abc", "importlib.machinery",
    "importlib.metadata", "importlib.resources", "importlib.util", "inspect", "io", "ipaddress",
    "keyword", "linecache", "locale", "logging", "logging.config", "logging.handlers", "lzma",
    "marshal", "mimetypes", "multiprocessing.connection", "multiprocessing.dummy",
    "multiprocessing.managers", "multiprocessing.pool", "multiprocessing.queues",
    "multiprocessing.shared_memory", "multiprocessing.synchronize", "ntpath", "opcode", "optparse",
    "pickle", "pickletools", "pkgutil", "platform", "plistlib", "posixpath", "pprint", "profile",
    "pstats", "pwd", "queue", "quopri", "reprlib", "resource", "sched", "secrets", "select",
    "selectors", "shelve", "shlex", "shutil", "signal", "smtplib", "socket", "socketserver",
    "sqlite3", "ssl", "stat", "stringprep", "struct", "subprocess", "symtable", "sysconfig",
    "tarfile", "tempfile", "time", "timeit", "token", "tokenize", "tomllib", "trace", "traceback",
    "tracemalloc", "types", "unicodedata", "unittest.async_case", "unittest.mock", "urllib.error",
    "urllib.parse", "urllib.request", "urllib.response", "warnings", "wave", "weakref", "xml.dom",
    "xml.dom.minidom", "xml.etree.ElementTree", "xml.sax.handler", "xml.sax.saxutils", "zipfile",
    "zipimport", "zlib", "zoneinfo",
    # Imported by functions.
    "_strptime", "_threading_local", "asyncio.taskgroups", "asyncio.timeouts",
    "email._header_value_parser", "email.base64mime", "email.charset", "email.contentmanager",
    "email.quoprimime", "importlib.readers", "pathlib._local", "pathlib._os", "sqlite3.dump",
    "xml.etree.ElementPath", "xml.parsers.expat", "xml.sax.expatreader", "zipfile._path",
    # Imported by the name of an encoding.
    *("encodings." + name for name in (
        "aliases", "ascii", "base64_codec", "big5", "bz2_codec", "charmap", "cp037", "cp1250",
        "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp437",
        "cp850", "cp852", "cp866", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030",
        "gb2312", "gbk", "hex_codec", "idna", "iso2022_jp", "iso8859_1", "iso8859_2", "iso8859_5",
        "iso8859_7", "iso8859_9", "iso8859_15", "johab", "koi8_r", "koi8_u", "latin_1",
        "mac_roman", "punycode", "quopri_codec", "raw_unicode_escape", "rot_13", "shift_jis",
        "undefined", "unicode_escape", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be",
        "utf_32_le", "utf_7", "utf_8", "utf_8_sig", "uu_codec", "zlib_codec",
    )),
)  # fmt: skip


def import_standard(name: str) -> None:
    """Import a module of the standard library."""
    path = sys.path[:]
    sys.path[:] = _PATH
    try:
        __import__(name)
    finally:
        sys.path[:] = path


def import_present(names: tuple[str, ...]) -> None:
    """Import those of these standard modules that this Python has."""
    for name in names:
        try:
            import_standard(name)
        except Exception:
            # The module is missing from this build or version. A program's own import will say why.
            continue


def read_ahead() -> None:
    """Read the files that modules read when first used, for where files cannot be opened later."""
    mimetypes = sys.modules.get("mimetypes")
    if mimetypes is not None:
        mimetypes.init()
