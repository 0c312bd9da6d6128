#!/bin/sh
# Install the real editors into .editors/ (once), then drive them. What `make test-editors` calls.
#
#   tests/editors/run.sh [PYTEST OPTIONS]
#
# VENV   the environment with the development tools   (default: .venv)
# ASSAY  the `assay` that the editors start           (default: the one in VENV)
#
# Screenshots and captured screens stay in .editors/out/; python tests/editors/pictures.py puts those
# that the documents show where they belong.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
repository=$(CDPATH='' cd -- "$here/../.." && pwd)
cd "$repository"

venv=${VENV:-.venv}
ASSAY=${ASSAY:-$venv/bin/assay}
export ASSAY
for program in "$venv/bin/python" "$ASSAY"; do
    command -v "$program" >/dev/null || {
        echo "editors: $program is missing: install the project with its development tools first" >&2
        exit 1
    }
done

for step in packages code_server uv vscode_client neovim helix emacs; do
    "$here/install/$step.sh"
done
exec "$venv/bin/python" -m pytest -m editors tests/editors "$@"
