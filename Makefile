# Every recipe starts programs as `python -m`: see requirements/setup.sh for the reason.
VENV := .venv
BENCH_VENV := .venv-bench
IN_VENV := "$(VENV)/bin/python" -m
# Half as many again as processors: tests wait for processes, servers and terminals a third of their time.
WORKERS := $(shell echo $$(($$(nproc 2>/dev/null || echo 2) * 3 / 2)))
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
export VENV
# The tests start hundreds of interpreters: what one has compiled, the others need not.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help run setup servers compiled test test-faults lint bench requirements clean

help: ## Show what there is to do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' Makefile

run: ## Set up everything and play the demo
	@sh requirements/setup.sh run
	@$(IN_VENV) handrail demo

setup: ## Set up the environment of development
	@sh requirements/setup.sh dev

servers: setup ## Set up the MCP servers that tests drive
	@sh requirements/servers.sh

# What is wrong with a test, the run of it tells.
compiled: setup ## Compile what the tests load, once for all their workers
	@$(IN_VENV) pytest --collect-only -qq >/dev/null || true

test: setup servers ## Set up everything and run the tests; ARGS="tests/policy -k deny" runs some, WORKERS=0 all in one process
	$(IN_VENV) pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-faults: setup ## Kill a run at every write and transition, restart it, and see that nothing is lost or done twice
	HANDRAIL_FAULTS=all $(IN_VENV) pytest tests/faults

lint: setup ## Check style, types and layers
	$(IN_VENV) ruff check
	$(IN_VENV) ruff format --check
	$(IN_VENV) mypy
	"$(VENV)/bin/python" -c 'from importlinter.cli import lint_imports_command as lint; lint()'

bench: ## Measure against the limit and against peers
	@VENV=$(BENCH_VENV) sh requirements/setup.sh bench
	@set -e; for script in bench/[a-z]*.py; do \
		"$(BENCH_VENV)/bin/python" -m "bench.$$(basename "$$script" .py)"; \
	done

requirements: ## Pin the requirements again with uv; ARGS=--upgrade takes newer versions
	$(COMPILE) $(ARGS) pyproject.toml -o requirements/run.txt
	$(COMPILE) $(ARGS) pyproject.toml requirements/dev.in -o requirements/dev.txt
	$(COMPILE) $(ARGS) requirements/build.in -o requirements/build.txt
	$(COMPILE) $(ARGS) pyproject.toml requirements/bench.in -o requirements/bench.txt
	$(COMPILE) $(ARGS) requirements/servers.in -o requirements/servers.txt

clean: ## Remove all that was set up, built or cached
	rm -rf "$(VENV)" "$(BENCH_VENV)" .venv-servers build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
