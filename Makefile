# Everything a contributor or CI runs. Needs Python >= 3.11; makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test tests test-quick lint bench docs test-editors test-newest test-servers clean

# Puts the example modules on trial, from recorded replies: no key, no network.
demo: $(VENV)/.installed
	@$(BIN)/assay check examples --replay examples/replies.jsonl || test $$? -eq 1

# One more than there are cores: a test waits nearly as long as it computes.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# Formatting, lint, strict types and import contracts, and every test beside them.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 lint tests

# Who has no test left takes from the others.
tests: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

# Most tests that start no process, with few examples of each property: for the inner loop.
test-quick: $(READY)
	$(BIN)/python -m pytest -q -m 'not process' -n auto --hypothesis-profile=quick tests/architecture tests/engine tests/lsp

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m benchmarks.sandbox

# Writes the pages that are generated from the code.
docs: $(READY)
	$(BIN)/python tests/support/json_page.py

# Drives VS Code, Neovim, Helix and Emacs; installs them into .editors first (needs Debian on x86-64, Node 20 and root).
test-editors: $(READY)
	tests/editors/run.sh

# Runs the tests under the newest Pythons, in .newest; needs Debian and root.
test-newest:
	tests/newest/run.sh

# Speaks with a real proxy and real coding agents, in .servers; needs the package indexes.
test-servers: $(READY)
	tests/servers/run.sh

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Assay needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(READY): $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .editors .newest .servers build dist
