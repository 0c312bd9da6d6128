#!/usr/bin/env bash
# Puts a proxy that many people have between themselves and their models into .servers, and the coding
# agents that people have on their machines, and has the tests here speak with them; has the pre-commit
# hook and the Action install Assay into empty environments. Needs the package indexes of Python and npm,
# Node, and unshare; takes two gigabytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x .servers/bin/litellm ] || {
  python3 -m venv .servers
  .servers/bin/python -m pip install --quiet --disable-pip-version-check 'litellm[proxy]'
}
[ -x .servers/commands/node_modules/.bin/copilot ] || npm install --silent --prefix .servers/commands \
  @anthropic-ai/claude-code @openai/codex @google/gemini-cli @github/copilot
[ -x .servers/llm/bin/llm ] || {
  python3 -m venv .servers/llm
  .servers/llm/bin/python -m pip install --quiet --disable-pip-version-check llm
}
LITELLM="$PWD/.servers/bin/litellm" .venv/bin/python -m pytest -q tests/servers/test_litellm.py
# What they send can reach nobody.
COMMANDS="$PWD/.servers/commands/node_modules/.bin:$PWD/.servers/llm/bin" \
  unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' - \
  .venv/bin/python -m pytest -q tests/servers/test_real_commands.py
# The pre-commit hook and the Action install Assay as their users do.
INSTALLING=1 .venv/bin/python -m pytest -q tests/servers/test_in_ci.py
