# make demo and make test are all a new machine needs; both create .venv first.
PY := .venv/bin/python
KERNELPROBA_DATA ?= $(wildcard $(CURDIR)/../shared/data)
export KERNELPROBA_DATA

.PHONY: setup demo test test-oldest test-newest test-wheel check docs dist bench compare hostile interrupts clean

setup: .venv/.ready

.venv/.ready: pyproject.toml
	python3 -m venv .venv
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[dev]"
	touch $@

demo: setup
	$(PY) -m kernelproba.report.demo

# Two workers with one BLAS thread each use two cores once.
test: setup
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal -q

# Both ends of the supported versions; PYTHON names an interpreter, TESTS a part of the suite.  Deprecations that
# packages of different age tell each other are no errors there, those that our own code causes are.
PYTHON ?= python3
TESTS ?=
test-oldest test-newest: test-%: .venv-%/.ready
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 KERNELPROBA_WARNINGS=ours \
		.venv-$*/bin/python -m pytest -n 2 --dist worksteal -q $(TESTS)

.venv-oldest/.ready: RESOLUTION := lowest-direct
.venv-newest/.ready: RESOLUTION := highest
.venv-oldest/.ready .venv-newest/.ready: pyproject.toml
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --resolution $(RESOLUTION) --editable ".[test]"
	touch $@

# The wheel by itself: import, fit, and the messages that name the extra to install.
test-wheel: dist
	$(PYTHON) -m venv --clear .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet dist/*.whl
	cd tests/wheel && ../../.venv-wheel/bin/python core_alone.py

dist: setup
	rm -rf dist
	$(PY) -m pip install --quiet build
	$(PY) -m build --outdir dist .

# Hostile fits with seeds beyond those of the suite; what broke is written to hostile.md.
N ?= 10000
hostile: setup
	cd tests && OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(abspath $(PY)) -m hostile 10000 $(N) ../hostile.md

# Every estimator, interrupted at 50 random moments of a second fit.
interrupts: setup
	KERNELPROBA_INTERRUPTS=50 $(PY) -m pytest -n 2 -q tests/invariants/test_fitted_state.py -k interrupt

check: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports
	.venv/bin/numpydoc lint $$(find src -name '*.py')

# Offline, warnings as errors; then every link of the built pages is followed.
docs: .venv/.docs-ready
	$(PY) -m sphinx -W --keep-going -q -b html -j 2 docs docs/_build/html
	$(PY) docs/check_site.py docs/_build/html

.venv/.docs-ready: .venv/.ready
	$(PY) -m pip install --quiet --editable ".[docs]"
	touch $@

bench: setup
	$(PY) -m benchmarks

# One command for "is it faster?": a part of the benchmark matrix on two commits, ratios of interleaved runs.
compare: setup
	$(PY) -m benchmarks.commits $(BASE) $(HEAD)

clean:
	rm -rf docs/_build docs/api docs/errors docs/gallery dist .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
