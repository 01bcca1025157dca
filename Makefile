# What a developer types is what CI calls.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Files of tests in processes of their own, where nothing is measured and no cluster is shared.
# A unit test has two seconds by itself; beside others, on a machine that is shared, some more.
APART := -n auto --maxprocesses 4 --dist loadfile --timeout 8
READY := .venv/.ready

.PHONY: help setup engine cluster kubectl docs demo probe-cost test lint fmt bench bench-gate check-slow wheel-check clean

help:  ## say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## make .venv with firstlight and everything to work on it

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { \
	  echo "no virtual environment can be made: on Debian, 'apt-get install python3-venv' as root" >&2; exit 3; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

engine: $(READY)  ## prepare a real vLLM for CPU and a tiny model, once per machine (0.9 GB to download, 3.6 GB on disk)
	@$(BIN)/python engine/prepare.py

cluster: $(READY)  ## build a real one-node Kubernetes for the tests, once per machine (6 minutes; Debian, root to run it)
	@$(BIN)/python cluster/prepare.py
	@$(BIN)/python cluster/own_image.py

kubectl: $(READY)  ## fetch a kubectl for the tests of manifests, once per machine (16 MB; Debian)
	@$(BIN)/python cluster/kubectl.py

probe-cost: engine  ## measure what the probe costs a start of a real vLLM (five minutes)
	@$(BIN)/python benchmarks/probe_cost.py

docs: $(READY)  ## write docs/techniques, docs/rules and docs/facts.md anew, from cards, rules and facts
	@$(BIN)/python docs/make_pages.py

demo: engine  ## prove what three changes buy a real vLLM on this machine, and show it as a page (ARGS=--quick, --full)
	@$(BIN)/python examples/local/demo.py $(ARGS)

# Where there is no mirror the tests that need kubectl are skipped, but not under CI.
test: engine  ## every test but the slow ones; those on a real cluster where `make cluster` was run
	@$(BIN)/python cluster/kubectl.py --print-path >/dev/null 2>&1 || $(MAKE) -s kubectl || test -z "$$CI"
	$(BIN)/python -m pytest -m "not slow and not engine and not cluster" $(APART)
	$(BIN)/python -m pytest -m "not slow and (engine or cluster)"

lint: $(READY)  ## style, types, and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(READY)  ## put the style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## the README's numbers table
	@$(BIN)/python benchmarks/run.py

bench-gate: $(READY)  ## what the gateway costs, beside none and beside nginx (Debian: nginx-light, its echo module, wrk, gcc)
	@$(BIN)/python benchmarks/gate/speed.py $(ARGS)

check-slow: engine cluster wheel-check  ## the full form of the slow tests
	$(BIN)/python -m pytest -m "slow and not engine and not cluster" $(APART)
	$(BIN)/python -m pytest -m "slow and (engine or cluster)"

wheel-check: $(READY)  ## the built wheel, in an environment of its own, explains a log
	@$(BIN)/python -m pytest -m slow tests/wheel

clean:  ## remove what setup and the tests made here
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build
