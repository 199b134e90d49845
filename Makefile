# make demo and make test are all a new machine needs; both create .venv first.
PY := .venv/bin/python
KERNELPROBA_DATA ?= $(wildcard $(CURDIR)/../shared/data)
export KERNELPROBA_DATA

.PHONY: setup demo test check docs bench clean

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

check: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports

# Offline, warnings as errors; then every link of the built pages is followed.
docs: .venv/.docs-ready
	$(PY) -m sphinx -W --keep-going -q -b html -j 2 docs docs/_build/html
	$(PY) docs/check_site.py docs/_build/html

.venv/.docs-ready: .venv/.ready
	$(PY) -m pip install --quiet --editable ".[docs]"
	touch $@

bench: setup
	$(PY) -m benchmarks

clean:
	rm -rf docs/_build docs/api docs/errors docs/gallery .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
