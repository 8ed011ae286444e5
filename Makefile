# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
# VENV=DIR uses another environment; PIP_ARGS="..." goes to pip install.

VENV     ?= .venv
PIP_ARGS ?=
WORKERS  ?= 2
PY       := $(VENV)/bin/python
STAMP    := $(VENV)/.amid-installed
TEMPLATES := amid/templates

# Same numbers everywhere: one thread per library, one hash seed, and no host proxies in tests.
export OMP_NUM_THREADS      := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS      := 1
export NUMEXPR_NUM_THREADS  := 1
export PYTHONHASHSEED       := 0

.DEFAULT_GOAL := help
.PHONY: help install tools demo test slow faults check format bench golden docs constraints clean

help:            ## Say what each target does.
	@sed -n 's/^\([a-z]*\): *[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

install: $(STAMP) tools  ## Make the environment in $(VENV), or do nothing when it is current.

$(STAMP): pyproject.toml constraints.txt
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --disable-pip-version-check -q $(PIP_ARGS) -c constraints.txt -e '.[demo,dev]'
	touch $@

tools:
	@for tool in git strace; do \
	  command -v $$tool >/dev/null || \
	  echo "$$tool is missing: apt-get install $$tool (as root). Tests that need it are skipped." >&2; \
	done

demo: install    ## Run the main job on simulated patients made on the spot.
	$(PY) -m amid demo

test: install    ## Run the tests; under ten minutes on two cores.
	$(PY) -m pytest -q -n $(WORKERS)

slow: install    ## Run the tests that take long.
	$(PY) -m pytest -q -m slow --timeout 1800

faults: install  ## Kill runs at many moments and see them end in the same state.
	$(PY) -m pytest -q -m faults --timeout 1800

check: install   ## Lint, format, types, import contracts.
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict
	for folder in $(TEMPLATES)/*/; do \
	  MYPYPATH=$(TEMPLATES)/shared:$(TEMPLATES)/steps:$(TEMPLATES)/network:$(TEMPLATES)/small-unet:$(TEMPLATES)/classes:$(TEMPLATES)/features:$(TEMPLATES)/class-network:$(TEMPLATES)/class-densenet $(PY) -m mypy --strict $$folder*.py || exit 1; \
	done
	$(VENV)/bin/lint-imports

format: install  ## Format the code and fix what can be fixed.
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: install   ## Measure ledger and deciders, each with its peer and its growth.
	$(PY) -m scripts.bench
	$(PY) -m scripts.bench_append
	$(PY) -m scripts.bench_decide
	$(PY) -m scripts.bench_verify
	$(PY) -m scripts.bench_open

golden: install  ## Write the golden files again; look at the difference before you commit it.
	$(PY) -m tests.golden.make_events
	$(PY) -m tests.golden.make_vectors > tests/golden/hash-vectors.new
	mv tests/golden/hash-vectors.new tests/golden/hash-vectors.json

docs: install    ## Write docs/reference again from the program.
	$(PY) -m scripts.reference

constraints: install  ## Write constraints.txt from the environment in use.
	@{ sed -n '/^#/p' constraints.txt; \
	  $(PY) -m pip freeze --exclude-editable | grep -v '@ file:'; } > constraints.new
	mv constraints.new constraints.txt

clean:           ## Remove caches and build output; the environment stays.
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +
