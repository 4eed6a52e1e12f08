# make            the command, at build/rayleigh
# make demo       sets up, builds and shows the main job on generated data
# make test       sets up, builds and runs all tests, with and without sanitizers
# make package    sets up, builds and makes a Debian package in dist/
.PHONY: all setup demo test asan tsan bench lint format fuzz docs install package package-test clean

JOBS ?= $(shell nproc)
CMAKE_BUILD = cmake --build --parallel $(JOBS) --preset

all: build/build.ninja
	$(CMAKE_BUILD) release --target rayleigh_command

build/build.ninja:
	cmake --preset release >/dev/null || { echo "run 'make setup' first: it installs what is missing"; exit 1; }

setup:
	scripts/setup.sh build

demo: setup
	$(MAKE) --no-print-directory all
	scripts/demo.sh

# Sanitizers come first, so that the last lines are those of the whole suite in Release.
test: setup
	$(MAKE) --no-print-directory asan
	$(MAKE) --no-print-directory tsan
	cmake --preset release >/dev/null
	$(CMAKE_BUILD) release
	ctest --preset release

asan:
	cmake --preset asan >/dev/null
	$(CMAKE_BUILD) asan
	ctest --preset asan

tsan:
	cmake --preset tsan >/dev/null
	$(CMAKE_BUILD) tsan
	ctest --preset tsan

bench: setup
	scripts/setup.sh bench
	cmake --preset release >/dev/null
	$(CMAKE_BUILD) release
	bench/run.sh

lint:
	scripts/setup.sh build lint
	scripts/lint.sh all

format:
	scripts/setup.sh lint
	scripts/lint.sh --fix-format

fuzz:
	scripts/setup.sh build fuzz
	fuzz/run.sh 60

docs: all
	build/rayleigh help --markdown > docs/commands.md

install: all
	cmake --install build

# Times in the package are those of the commit, so the same commit gives the same package.
package: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
package: setup
	cmake --preset release >/dev/null
	$(MAKE) --no-print-directory all
	cd build && cpack -G DEB

# In a clean Debian 12 that debootstrap makes; needs root.
package-test: package
	scripts/test_package.sh dist/rayleigh_*.deb

clean:
	rm -rf build build-*
