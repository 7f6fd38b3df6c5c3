# Every target sets itself up: a machine with Python 3.11 or newer and make is enough.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq

.PHONY: demo test check bench docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/.with-plot        ## simulate ready mechanisms, print the report, write plots under out/demo
	$(BIN)/sarrus demo

test: check                     ## what the continuous integration runs
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

check: $(VENV)/.with-test       ## lint, the direction of imports, and types
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

bench: $(VENV)/.with-bench      ## measure against MuJoCo and Pinocchio, write benchmarks/RESULTS.md
	$(BIN)/sarrus bench

docs: $(VENV)/.with-docs        ## build the documentation under site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:                          ## remove the environment and everything that was generated
	rm -rf $(VENV) site out build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sarrus needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# One stamp per extra, renewed when pyproject.toml changes.
$(VENV)/.with-%: pyproject.toml | $(BIN)/python
	@echo "installing sarrus[$*] into $(VENV) (only when pyproject.toml has changed)"
	@$(PIP) install --editable '.[$*]'
	@touch $@
