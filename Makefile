# The entry points of judgekit: `make demo`, `make test`, `make check`, `make bench`, `make simulate`,
# `make clean`.
# Each makes .venv from requirements.lock when it is missing or the lock changed. Nothing but
# python3 (3.11 or later) and make has to be there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK_HASH := $(shell $(PYTHON) -c "import hashlib; print(hashlib.sha256(open('requirements.lock','rb').read() + open('pyproject.toml','rb').read()).hexdigest()[:16])")
STAMP := $(VENV)/.judgekit-$(LOCK_HASH)
PYTEST_OPTIONS ?= -q -n 2 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help venv demo test check bench simulate clean

help:
	@echo "make demo    under three minutes, offline: grade, calibrate, approve, gate"
	@echo "make test    run the tests"
	@echo "make check   format, lint, types, layers, dependencies"
	@echo "make bench   run the benchmarks"
	@echo "make simulate  the evidence in docs/evidence, seeds fixed; keeps what still stands"
	@echo "make clean   remove what can be made again; annotations and labels stay"

venv: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/pip || $(BIN)/python -m ensurepip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@rm -f $(VENV)/.judgekit-*
	@touch $@

demo: $(STAMP)
	$(BIN)/judgekit demo

test: $(STAMP)
	$(BIN)/python -m pytest $(PYTEST_OPTIONS)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry .

bench: $(STAMP)
	@found=0; for file in benchmarks/bench_*.py; do \
		test -e "$$file" || continue; found=1; $(BIN)/python "$$file" || exit $$?; \
	done; test $$found = 1 || { echo "there is no benchmark in benchmarks/ yet" >&2; exit 2; }

simulate: $(STAMP)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m simulations $(SIMULATE_OPTIONS)

clean:
	rm -rf $(VENV) build dist site .coverage htmlcov .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find judgekit tests graders app benchmarks simulations -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
