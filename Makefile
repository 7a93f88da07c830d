# Every target sets up what it needs: a machine with Python 3.11+ and a C++20 compiler is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := CMakeLists.txt pyproject.toml $(shell find core -name '*.cc' -o -name '*.h')
PIP    := install --quiet --disable-pip-version-check
export PYTHONDONTWRITEBYTECODE := 1
# Threads of BLAS wait for one another by spinning, which on a busy machine takes longer than the
# small problems of the tests.
QUIET_BLAS := OPENBLAS_NUM_THREADS=1

.PHONY: demo test slow fuzz lint stubs docs site bench sanitize tsan clean

demo: $(VENV)/installed ## generated corpus, from nothing to a printed result
	$(BIN)/calque demo --out demo

test: $(VENV)/installed-dev ## the whole suite except tests marked slow
	$(QUIET_BLAS) $(BIN)/python -m pytest

slow: $(VENV)/installed-dev ## the long tests
	$(QUIET_BLAS) $(BIN)/python -m pytest -m slow

fuzz: $(VENV)/installed-dev ## damaged files for every reader, commands killed at random moments
	$(BIN)/python tests/fuzz.py --cases 10000
	$(BIN)/python tests/kill.py --kills 200

lint: $(VENV)/installed-dev ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stubs: $(VENV)/installed-dev ## regenerate src/calque/_core.pyi from the built core
	$(BIN)/python -m nanobind.stubgen -m calque._core -o src/calque/_core.pyi

docs: $(VENV)/installed-dev ## regenerate docs/options.md and docs/api.md from the code
	$(BIN)/python docs/make_options.py
	$(BIN)/python docs/make_api.py

site: $(VENV)/installed-docs ## the documentation as a site, in site/
	$(BIN)/mkdocs build --quiet --strict

bench: $(VENV)/installed-dev ## every benchmark; JSON lands in results/
	for b in benchmarks/[a-z]*.py; do $(BIN)/python $$b --out results || exit 1; done

sanitize: $(VENV)-sanitize/installed ## the suite on a core built with ASan and UBSan
	$(QUIET_BLAS) LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(VENV)-sanitize/bin/python -m pytest

tsan: $(VENV)-tsan/installed ## decoding, training and tuning with four threads on a core built with TSan
	$(QUIET_BLAS) LD_PRELOAD="$$($(CXX) -print-file-name=libtsan.so)" \
	TSAN_OPTIONS=halt_on_error=0:exitcode=66 \
	  $(VENV)-tsan/bin/python tests/four_threads.py

clean: ## remove everything that the other targets made
	rm -rf $(VENV) $(VENV)-sanitize $(VENV)-tsan build dist demo results site

# What builds the core lives in the environment itself: only then does a second build compile no
# more than what changed.
$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip $(PIP) cmake nanobind ninja scikit-build-core setuptools wheel
	@touch $@

$(VENV)/installed: $(VENV)/created $(CORE)
	$(BIN)/pip $(PIP) --no-build-isolation -e .
	@touch $@

$(VENV)/installed-dev: $(VENV)/created $(CORE)
	$(BIN)/pip $(PIP) --no-build-isolation -e '.[dev]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/created pyproject.toml
	$(BIN)/pip $(PIP) 'mkdocs>=1.6'
	@touch $@

$(VENV)-sanitize/installed: $(CORE)
	$(PYTHON) -m venv $(VENV)-sanitize
	$(VENV)-sanitize/bin/pip $(PIP) -C cmake.define.CALQUE_SANITIZE=ON \
	  -C build-dir=build/sanitize -e '.[dev]'
	@touch $@

$(VENV)-tsan/installed: $(CORE)
	$(PYTHON) -m venv $(VENV)-tsan
	$(VENV)-tsan/bin/pip $(PIP) -C cmake.define.CALQUE_TSAN=ON -C build-dir=build/tsan -e .
	@touch $@
