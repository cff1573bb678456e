# The commands of CONTRIBUTING.md by name; `make` lists them.
VENV ?= .venv
PYTHON = $(VENV)/bin/python

.PHONY: help setup fast check generate core editors ci bench playground serve site tree-sitter

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## virtual environment with everything that the other targets need
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install -q -e '.[dev]'

fast: ## lint, and the tests that need no emulator, server or editor
	$(VENV)/bin/ruff check .
	$(PYTHON) -m pytest -n auto tests/config tests/isa tests/targets tests/syntax tests/bundle \
	    tests/program tests/flow tests/lint tests/analysis tests/ide tests/test_*.py

check: ## what a pull request must pass: lint, format, types, all tests but the editors'
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(PYTHON) -m pytest -n auto

generate: ## every generated file: parse tables, grammars, editor files, rule pages, references
	$(PYTHON) -m ipu_asm.syntax.compile
	$(PYTHON) -m ipu_asm.reports.grammars
	$(PYTHON) -m ipu_asm.reports.vscode
	$(PYTHON) -m ipu_asm.reports.pages
	$(PYTHON) .ci/command-pages
	for isa in $$($(PYTHON) -c "from ipu_asm.isa import available_isas; print(*available_isas())"); do \
	    $(PYTHON) -m ipu_asm as --isa $$isa docs -o docs/reference || exit 1; done

tree-sitter: ## the parsers in C of the tree-sitter grammars: needs Node.js and the command tree-sitter
	for grammar in grammars/tree-sitter-*; do \
	    (cd $$grammar && tree-sitter generate --no-bindings && rm -f package.json \
	    src/*.json src/tree_sitter/a*.h) || exit 1; done

core: ## compile the cores of the emulator, with the compiler of the extra `core`
	$(PYTHON) -m ipu_asm.emulator.core.build

editors: ## the tests in real editors, which are installed first
	$(PYTHON) tests/editors/install.py all
	$(PYTHON) -m pytest tests/editors --reruns 1 -rR

playground: ## the page in which all of it runs, in playground/dist
	$(PYTHON) playground/build.py

serve: ## the page at http://127.0.0.1:8000
	$(PYTHON) -m http.server --bind 127.0.0.1 --directory playground/dist 8000

site: ## the documentation with the page, in build/site
	$(PYTHON) docs/site/build.py

bench: ## the benchmarks, as ratios measured in one run
	$(PYTHON) -m benchmarks

ci: ## all of it, as CI does
	.ci/run
