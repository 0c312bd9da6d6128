"""Sets the scene of a call in a test, as far as pytest's own fixtures can."""

from __future__ import annotations

import ast

from assay_engine.running.asserting import FOLDER, PATCHING
from assay_engine.syntax.parsing import body_of
from assay_sandbox import Call


def surrounded(call: Call, *, uses_files: bool) -> list[ast.stmt] | str:
    """The statements that set the scene, or else a sentence why there are none."""
    scene = call.scene
    files = () if scene is None else scene.files
    if scene is not None:
        unset = {
            "the time": scene.time is not None,
            "chance": scene.random_seed is not None,
            "the answers of other functions": bool(scene.mocks),
        }
        if wanted := [name for name, is_set in unset.items() if is_set]:
            return f"It depends on {' and '.join(wanted)}, which pytest alone does not set."
    if any(name.startswith("/") or "\\" in name for name, _ in files):
        return "It is given a file outside of the folder that a test has for itself."
    said: list[str] = []
    if files or uses_files:
        said.append(f"{PATCHING}.chdir({FOLDER})")
    folders = dict.fromkeys(name.rpartition("/")[0] for name, _ in files)
    said += [
        f"({FOLDER} / {folder!r}).mkdir(parents=True, exist_ok=True)"
        for folder in filter(None, folders)
    ]
    said += [_writing(*each) for each in files]
    if scene is not None:
        said += [f"{PATCHING}.setenv({name!r}, {value!r})" for name, value in scene.environment]
    if call.stdin:
        said.append(f"{PATCHING}.setattr('sys.stdin', io.StringIO({call.stdin!r}))")
    return body_of("\n".join(said))


def _writing(name: str, content: str | bytes) -> str:
    file = f"({FOLDER} / {name!r})"
    # Writing text may change the ends of its lines.
    if isinstance(content, str) and "\r" not in content:
        return f"{file}.write_text({content!r}, encoding='utf-8')"
    data = content if isinstance(content, bytes) else content.encode()
    return f"{file}.write_bytes({data!r})"
