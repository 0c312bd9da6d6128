"""The bounds of what a project's texts may ask for, in one table.

Whoever wrote a project wrote its texts, too, and a text that takes hours to read would hold up a
check, or freeze an editor. So each text is measured before anything walks it. What is beyond a
bound is left out and said, and everything else goes on. Each bound is far beyond what people write
by hand.
"""

from __future__ import annotations

# A file of source, or one of Git's blobs. Generated tables grow beyond this size.
FILE_BYTES_MAX = 2 << 20
# A text to be parsed.
SOURCE_CHARACTERS_MAX = 2_000_000
# A file of settings: pyproject.toml, pytest.ini, setup.cfg and the like.
SETTINGS_BYTES_MAX = 512 << 10
# The parts of a dotted key in TOML. Reading a key takes time that grows with their square.
KEY_PARTS_MAX = 32
# The parts of a dotted name in a source text: Python's own parser, too, takes
# time that grows with their square.
NAME_PARTS_MAX = 1000
# A line of an INI file, for the same reason.
SETTINGS_LINE_CHARACTERS_MAX = 1000
# The words of one setting of pytest: a walk of the project looks for each.
SETTING_WORDS_MAX = 20
# A .gitignore, and a pattern in it. No system has paths that are longer.
PATTERNS_BYTES_MAX = 128 << 10
PATTERN_CHARACTERS_MAX = 4096
# Folders within folders.
FOLDERS_DEEP_MAX = 200
# The files of a project that programs may read, and the size of one that is no code.
READABLE_FILES_MAX = 20_000
READABLE_BYTES_MAX = 1 << 20
# The part of a docstring in which examples are looked for, and a line of it; the statements that
# are read as examples there, and the examples that are taken in the end.
DOCSTRING_CHARACTERS_MAX = 100_000
DOCSTRING_LINE_CHARACTERS_MAX = 1000
STATEMENTS_MAX = 400
EXAMPLES_MAX = 100
# The definitions and constants of its own file that a function needs, directly or through others,
# and the methods of its class.
CHAIN_MAX = 200
# What a model is shown of other modules of the project, for one function: the modules that are
# looked at, how long one may be, the definitions, and by how many steps these are away from it.
NEIGHBOUR_MODULES_MAX = 100
NEIGHBOUR_CHARACTERS_MAX = 300_000
NEIGHBOURS_MAX = 40
NEIGHBOURS_AWAY_MAX = 3
# How long Git may take for an answer. Nothing asked of it takes a second on a disk that is there.
GIT_SECONDS = 20.0
# The entries of a repository's own folder that are looked at before Git is.
GIT_ENTRIES_MAX = 50_000
# What functions were asked for, beside their docstrings: longer, it could not be asked about.
REQUEST_CHARACTERS_MAX = 8_000
