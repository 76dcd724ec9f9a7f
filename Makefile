# On a fresh machine Python 3.11+ and make are enough: every target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WEB := src/komadori/studio/web

.DEFAULT_GOAL := help
.PHONY: endurance papers help setup page browser wheel studio demo test lint format fuzz bench bench-check clips formats judges blender blender-extension clean check docs licences coverage lowest

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.ready: pyproject.toml constraints-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "komadori needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints-dev.txt --editable '.[dev]'
	@touch $@

setup: $(VENV)/.ready ## a .venv in this checkout with everything installed

page: setup ## the studio's page, from its TypeScript (Node from the PATH, or from PyPI where there is none)
	@$(BIN)/python $(WEB)/build.py

studio: page ## open the studio with what was saved last
	$(BIN)/komadori studio

# Where no browser can be had, the tests that need one are skipped and say so.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && { apt-get install -qq -y chromium fonts-noto-cjk || { apt-get update -qq && apt-get install -qq -y chromium fonts-noto-cjk; }; } >/dev/null 2>&1; } \
	|| echo "no browser (install chromium): tests of the studio's page are skipped"

wheel: setup ## build a wheel from an sdist, and try it in an empty environment
	$(BIN)/python tests/studio/wheel_tried.py

demo: setup ## the built-in pitch as anime: a report, a film, a timesheet and more in out/
	$(BIN)/komadori anime -o out
	@ls -l out

# A browser, a cluster and a killed server beside each other can starve on a busy machine: what failed is run once more with
# the machine to itself, by name. What fails again has failed, and so has a run that was broken off (any status but 1).
ALONE = { test $$? -eq 1 && echo "again, one at a time: the tests that failed beside others" && \
	$(BIN)/python -m pytest -v -n 0 --maxfail=20 --last-failed --last-failed-no-failures none; }

test: setup page browser ## all tests
	@command -v npm >/dev/null && $(MAKE) --no-print-directory judges || echo "no judges (npm): tests that need them are skipped"
	@$(MAKE) --no-print-directory formats || echo "no libraries for USD, FBX and C3D on this system: tests that need them are skipped"
	@test -x .venv-blender/bin/python || test -n "$$KOMADORI_BLENDER_PYTHON" || echo "no Blender (make blender): tests that need one are skipped"
	$(BIN)/python $(WEB)/build.py test
	$(BIN)/python -m pytest || $(ALONE)

check: setup ## the quick tests, in about two minutes: what to run while you work
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -m 'not slow'

lint: setup ## ruff, mypy, Biome for the page, and the glossary for the words
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/python $(WEB)/build.py lint
	$(BIN)/python -m pytest -q -n 0 tests/test_prose.py

docs: setup ## the site, in English and Japanese, into out/site: open out/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "built: out/site/index.html"

licences: setup formats ## rewrite docs/licences.md: what each extra installs, and under which licence
	$(BIN)/python docs/make_licences.py

.venv-lowest/.ready: pyproject.toml tests/lowest.py
	$(PYTHON) -m venv .venv-lowest
	$(PYTHON) tests/lowest.py > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --prefer-binary --constraint .venv-lowest/lowest.txt --editable '.[dev,all]'
	@touch $@

lowest: page .venv-lowest/.ready ## the quick tests with the oldest libraries that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -m 'not slow'

coverage: setup page browser ## all tests, with the share of lines that they run
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered --cov-report=html:out/coverage

format: setup ## let ruff and Biome tidy the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python $(WEB)/build.py format

MINUTES ?= 5
fuzz: setup ## break files of every format for MINUTES=5, and keep what does harm in out/fuzz (TALLY=1: add to docs/benchmarks/fuzz.md)
	$(BIN)/python tests/fuzz --minutes $(MINUTES) $(if $(TALLY),--tally bench/fuzz.json)

$(VENV)/.bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

bench: $(VENV)/.bench ## measure beside other programs, write docs/benchmarks, list missed targets
	$(BIN)/python -m bench

endurance: $(VENV)/.bench ## seven encoders, an hour of live packets, 2,500 clips in a batch, two hundred kills of the studio: half an hour and more
	$(BIN)/python -m bench films live_hour batch studio_kills

bench-check: $(VENV)/.bench ## is anything slower than it was? ratios beside those in bench/ratios.json
	$(BIN)/python -m bench.check

papers: $(VENV)/.ready ## every claim of the five papers measured on the real clips: docs/papers and docs/ja/papers
	$(BIN)/python -m bench.papers

clips: $(VENV)/.ready ## every real clip (or CLIPS=FOLDER) through the whole job: a table, and an error where a limit is passed
	$(BIN)/python -m bench.clips_all $(CLIPS) $(CLIPS_OPTIONS)

.judges/.ready: tests/judges/package.json
	@mkdir -p .judges
	cp tests/judges/package.json .judges/
	cd .judges && npm install --silent --no-audit --no-fund
	@touch $@

judges: .judges/.ready ## programs of others that judge our files in the tests (npm)

$(VENV)/.formats: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary usd-core,ezc3d,ufbx --constraint constraints-dev.txt --editable '.[dev,formats]'
	@touch $@

formats: $(VENV)/.formats ## the libraries for USD, C3D and FBX (about 220 MB), for use and for their tests

.venv-blender/bin/python:
	$(PYTHON) -m venv .venv-blender
	.venv-blender/bin/pip install --quiet --disable-pip-version-check 'bpy==4.5.*'

blender: setup .venv-blender/bin/python ## a Blender (about 1 GB; Python 3.11), and the tests that need one (others: KOMADORI_BLENDER_PYTHON=a:b)
	$(BIN)/python -m pytest -n 0 tests/blender tests/formats/test_bvh_peers.py -k 'blender or Blender'

blender-extension: setup ## the Blender extension as a zip in dist/, to be installed from disk
	$(BIN)/python blender/build.py

clean: ## remove what the other targets made
	rm -rf $(VENV) .venv-blender .venv-lowest .judges out build dist src/komadori/studio/page src/komadori/studio/web/node_modules .pytest_cache .mypy_cache .ruff_cache
