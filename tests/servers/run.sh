#!/usr/bin/env bash
# Puts a proxy that many people have between themselves and their models into .servers, and has the
# tests here speak with it. Needs the package index, and takes most of a gigabyte.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x .servers/bin/litellm ] || {
  python3 -m venv .servers
  .servers/bin/python -m pip install --quiet --disable-pip-version-check 'litellm[proxy]'
}
LITELLM="$PWD/.servers/bin/litellm" .venv/bin/python -m pytest -q tests/servers
