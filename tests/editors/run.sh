#!/bin/sh
# Install the real editors into .editors/ (once), then drive them. What `make test-editors` calls.
#
#   tests/editors/run.sh [PYTEST OPTIONS]
#
# PYTHON  the Python with the development tools      (default: .venv/bin/python)
# ASSAY   the `assay` that the editors start         (default: .venv/bin/assay)
#
# Screenshots and captured screens stay in .editors/out/.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
repository=$(CDPATH='' cd -- "$here/../.." && pwd)
cd "$repository"

python=${PYTHON:-.venv/bin/python}
assay=${ASSAY:-.venv/bin/assay}
for program in "$python" "$assay"; do
    command -v "$program" >/dev/null || {
        echo "editors: $program is missing: install the project with its development tools first" >&2
        exit 1
    }
done

for step in packages code_server vscode_client neovim; do
    "$here/install/$step.sh"
done
exec "$python" -m pytest -m editors tests/editors "$@"
