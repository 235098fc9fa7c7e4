# isostat: `make demo` shows it, `make test` proves it. Both work on a fresh clone with Rust and Python 3.11 or newer.
# PYTHON=python3.12 picks the interpreter; ISOSTAT_VENV=/path takes an environment of your own for the requirements.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
RUFF := $(VENV)/bin/ruff
# One profile for tests, lint and extension, so that the dependencies are compiled once; no link-time optimisation.
PROFILE ?= ci
# nextest has no doctests; cargo test has them in a second call here, so that both ways run the same.
CARGO_TEST := $(shell if cargo nextest --version >/dev/null 2>&1; \
        then echo "cargo nextest run --cargo-profile $(PROFILE)"; \
        else echo "cargo test --profile $(PROFILE) --lib --bins --tests --examples"; fi)
# The tools have no ending, so they are named.
PYTHON_SOURCES := $(wildcard python benches examples reference) $(addprefix tools/,environment sizes layers check-words gen run-docs reference)

.DEFAULT_GOAL := help
.PHONY: help setup setup-demo build demo test test-rust test-python test-docs lint lint-rust lint-python fmt laws reference \
        gen docs bench field sizes layers words lock clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: ## The environment with everything that tests and lint need, PyTorch and JAX included
	@$(PYTHON) tools/environment dev

setup-demo:
	@$(PYTHON) tools/environment demo

build: setup ## Build the extension into .venv
	@$(MAKE) --no-print-directory extension

.PHONY: extension
extension:
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/maturin develop --quiet --profile $(PROFILE)

demo: setup-demo extension ## Fit a real data set on every engine installed; figure and evidence go to demo-output/
	@$(PY) examples/python/ships.py

test: test-docs test-rust test-python ## Every Rust and Python test

test-rust:
	$(CARGO_TEST) --workspace
	cargo test --profile $(PROFILE) --workspace --doc

test-python: build
	$(PY) -m pytest

test-docs: build
	@$(PY) tools/run-docs

lint: lint-rust lint-python sizes layers words ## Formatting, warnings, types, generated files, sizes
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check; else echo "cargo-deny is not installed: licences not checked"; fi

lint-rust:
	tools/rustfmt --check
	cargo clippy --profile $(PROFILE) --workspace --all-targets --quiet -- -D warnings

lint-python: build
	$(RUFF) check $(PYTHON_SOURCES)
	$(RUFF) format --check $(PYTHON_SOURCES)
	PROFILE=$(PROFILE) $(PY) tools/gen --check
	$(PY) -m mypy
	$(PY) -m mypy.stubtest isostat._core --mypy-config-file pyproject.toml

fmt: setup ## Format Rust and Python
	tools/rustfmt
	$(RUFF) format $(PYTHON_SOURCES)
	$(RUFF) check --fix $(PYTHON_SOURCES)

laws: build ## Only the laws: every list row, number type and engine
	$(CARGO_TEST) --workspace laws
	$(PY) -m pytest -k laws

reference: setup ## Compute the reference answers again: needs R with MASS, and mpmath
	@$(PY) tools/reference

gen: build ## Write the derived files again
	PROFILE=$(PROFILE) $(PY) tools/gen

docs: build ## Rust documentation, with broken links as errors, and the tables of docs/reference
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	PROFILE=$(PROFILE) $(PY) tools/gen

bench: ## Rust benchmarks
	cargo bench --workspace

field: ## Against the rivals, one process per rival; builds the release profile first
	@$(MAKE) --no-print-directory build PROFILE=release
	@for rival in benches/field/*.py; do echo "== $$rival"; $(PY) $$rival || exit 1; done

sizes: ## Files, functions and arguments within the limits of tools/sizes
	@$(PYTHON) tools/sizes

layers: ## No crate uses one to its right
	@$(PYTHON) tools/layers

words: ## No path of one machine in what is published
	@$(PYTHON) tools/check-words

lock: setup ## Resolve requirements/*.in again (needs uv)
	tools/lock

clean: ## Remove what was built here; the shared environments stay
	cargo clean
	rm -rf $(VENV) demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis python/isostat/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
