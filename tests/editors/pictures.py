"""Renews the pictures of the documents from those that the stories kept in VS Code.

python tests/editors/pictures.py    # after `make test-editors`
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
from pathlib import Path

# It comes with matplotlib, of the extra `plots`.
from PIL import Image
from story import OUT, REPOSITORY

KEPT = OUT / "vscode"
STATES = KEPT / "states"
MEDIA = REPOSITORY / "vscode-client" / "media"
COPIES = {
    KEPT / "story" / "hover.png": REPOSITORY / "docs" / "images" / "vscode-hover.png",
    KEPT / "tour" / "finding.png": MEDIA / "finding.png",
}
# Screenshots have few colours: this is half of the size, and looks the same.
COLOURS = 256

FILES = (
    ("clean", "Five functions without a squiggle: the line above each says why."),
    ("clean-no-model", "Without a model, there is nothing to compare with."),
)
STATUS = (
    ("not-installed", "a click installs the server"),
    ("installing", "into VS Code's own folder"),
    ("starting", "what you save meanwhile is checked afterwards"),
    ("restricted", "this workspace is not trusted, so nothing is run or sent"),
    ("no-model", "only docstring examples are checked"),
    ("asking", "a model server was found; it needs your consent"),
    ("checking", "progress, and how long it has taken"),
    ("suspect", "what was found"),
    ("trusted", "nothing was found"),
    ("problem", "the tooltip says which:"),
)
TOOLTIPS = (
    ("problem-tooltip", ""),
    ("spent", "Without a problem, the tooltip sums up the day:"),
)
WIDTH, HEIGHT = 1190, 665
STYLE = """
body { overflow: hidden; margin: 0; padding: 16px; display: flex; gap: 24px; background: #f8f8f8;
       font: 13px "DejaVu Sans", sans-serif; color: #3b3b3b; }
img { zoom: 0.5; vertical-align: middle; }  /* they have two pixels for each of the page's */
p { margin: 0 0 6px; }
.file img { border: 2px solid #ccc; margin-bottom: 24px; }
td { padding: 4px 0; }
td:first-child { text-align: right; padding-right: 12px; }
.tooltip { margin: 4px 0 12px; }
"""


def shown(name: str) -> str:
    data = base64.b64encode((STATES / f"{name}.png").read_bytes()).decode()
    return f'<img src="data:image/png;base64,{data}">'


def states_page() -> str:
    files = (f"<p>{words}</p>{shown(name)}" for name, words in FILES)
    rows = (f"<tr><td>{shown(name)}<td>{words}" for name, words in STATUS)
    tips = (f'<p>{words}</p><div class="tooltip">{shown(name)}</div>' for name, words in TOOLTIPS)
    return (
        f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>'
        f'<div class="file">{"".join(files)}</div>'
        f"<div><table>{''.join(rows)}</table>{''.join(tips)}</div>"
    )


def rendered(page: str, folder: Path) -> Path:
    browser = shutil.which("chromium")
    assert browser, "chromium is not on the PATH: make test-editors installs it"
    source, picture = folder / "page.html", folder / "page.png"
    source.write_text(page, encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--force-device-scale-factor=2",
        f"--window-size={WIDTH},{HEIGHT}",
        f"--user-data-dir={folder / 'profile'}",
        f"--screenshot={picture}",
    ]
    subprocess.run([browser, *options, source.as_uri()], capture_output=True, check=True)
    return picture


def renew(picture: Path, place: Path) -> None:
    with Image.open(picture) as image:
        image.convert("RGB").quantize(COLOURS).save(place, optimize=True)


if __name__ == "__main__":
    for kept, place in COPIES.items():
        renew(kept, place)
    with tempfile.TemporaryDirectory() as folder:
        renew(rendered(states_page(), Path(folder)), MEDIA / "states.png")
