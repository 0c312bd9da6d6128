#!/bin/sh
# uv, with which the extension installs its server where it is there.
set -eu
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

stamp="uv"
home=$editors/uv
is_installed uv "$stamp" && exit 0

say "installing $stamp"
rm -rf "$home"
logged uv python3 -m venv "$home"
logged uv "$home/bin/python" -m pip install --disable-pip-version-check uv
"$home/bin/uv" --version >/dev/null || fail "uv does not start" "$home/bin/uv --version"
mark_installed uv "$stamp"
