# The commands of this project. They need Python 3.11 or later (with venv and pip), git and make.
#   make demo    check the broken sample fabric
#   make test    static checks and the tests that every change must pass (four minutes on two cores)
#   make test-deep  all tests: every mutant, every form, growth, real browsers and servers (half an hour)
#   make near    static checks and the tests nearest to what changed since BASE=main, for SECONDS=30
#   make docs    build the documentation site in build/site/html
#   make bench   measure speed against the budgets
#   make fuzz    check mutated files for MINUTES=20
#   make sbom    write the bill of materials (CycloneDX) to dist/sbom.cdx.json
#   make audit   find known vulnerabilities of pinned packages; ADVISORIES= is a folder of OSV entries
#   make lock    renew the pins of CI (needs uv)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Pip compiles the files that it copies, and an editable install copies none: without bytecode every
# start would compile them again.
COMPILE := $(BIN)/python -m compileall -q roce_lint
# LOCK=1 installs requirements.lock exactly, each file by its hash (docs/adr/0022-*).
LOCK ?=
MINUTES ?= 20
BASE ?= main
SECONDS ?= 30
ADVISORIES ?=
PYTEST_ARGS ?= -n auto --dist load

# Stamps of installations: only a changed pyproject.toml (or Python) installs again.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_DOCS := $(VENV)/.installed-docs

.NOTPARALLEL:
.PHONY: help demo static test test-deep near docs bench fuzz sbom audit lock

help:
	@sed -n 's/^#   //p' Makefile

# The sample is broken on purpose: status 1 (findings) is a success, any other a failure.
demo: $(INSTALLED)
	@status=0; $(BIN)/roce-lint check sample_configs/broken-fabric || status=$$?; \
	echo "roce-lint: exit status $$status"; \
	[ $$status -eq 1 ]

static: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell docs rules $(wildcard *.md)

test: static
	$(BIN)/pytest $(PYTEST_ARGS)

test-deep: static $(INSTALLED_DOCS)
	$(BIN)/pytest $(PYTEST_ARGS) -m ''

near: $(INSTALLED_DEV)
	@$(BIN)/python -m tests.near $(BASE) $(SECONDS)

docs: $(INSTALLED_DOCS)
	@$(BIN)/python -m roce_lint.dev site build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --config-file build/site/mkdocs.yml
	@echo build/site/html

bench: $(INSTALLED_DEV)
	@status=0; $(BIN)/python benchmarks/run.py || status=1; \
	$(BIN)/python benchmarks/formats.py || status=1; exit $$status

fuzz: $(INSTALLED_DEV)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

sbom: $(INSTALLED_DEV)
	@mkdir -p dist
	@$(BIN)/python -m roce_lint.dev sbom > dist/sbom.cdx.json
	@echo dist/sbom.cdx.json

audit: $(INSTALLED_DEV)
	@$(BIN)/python -m roce_lint.dev audit $(if $(ADVISORIES),--advisories $(ADVISORIES))

lock:
	uv pip compile --universal --generate-hashes --python-version 3.11 --extra dev --no-header \
		--no-annotate --no-emit-index-url --quiet --output-file requirements.lock \
		pyproject.toml requirements.build.in

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(INSTALLED): pyproject.toml $(BIN)/python
	@echo "installing roce-lint into $(VENV)" >&2
	@$(PIP) install --editable .
	@$(COMPILE)
	@touch $@

$(INSTALLED_DEV): pyproject.toml $(if $(filter 1,$(LOCK)),requirements.lock) $(BIN)/python
	@echo "installing roce-lint and its development tools into $(VENV)" >&2
ifeq ($(LOCK),1)
	@$(PIP) install --require-hashes --requirement requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
else
	@$(PIP) install --editable '.[dev]'
endif
	@$(COMPILE)
	@touch $(INSTALLED) $@

$(INSTALLED_DOCS): $(INSTALLED_DEV)
	@echo "installing the documentation tools into $(VENV)" >&2
	@$(PIP) install --editable '.[docs]'
	@touch $@
