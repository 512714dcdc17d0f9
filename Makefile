# Three commands do everything on a bare Debian 12 with git, make and apt:
#   make demo    installs what is missing, builds, records a program, analyses it, prints the report
#   make test    installs what is missing, builds, runs all tests
#   make gates   what else must hold before a change is landed: formatting, links, sanitizers, fuzzing, clang-tidy
# The build itself is CMake's (CMakePresets.json); this file only saves typing.

PRESET ?= release
BUILD := build/$(PRESET)
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Ranks of MPI jobs sleep while they wait, and such a test counts as two: on two processors four of them, or fewer and others.
TEST_JOBS ?= $(shell expr $(JOBS) \* 4)

.PHONY: all build ship demo test package check gates fuzz bench install clean help

all: ship

help:
	@echo "make            install what is missing and build into $(BUILD)"
	@echo "make demo       build, record a teaching program, print its report, leave demo/report.html"
	@echo "make test       build and run all tests (T='-L unit' chooses: any options of ctest)"
	@echo "make check      formatting, layers, file sizes: what a reviewer should not have to look at"
	@echo "make gates      that for every file, and sanitizers, fuzzing, clang-tidy (T='tidy format' chooses; needs clang)"
	@echo "make fuzz       damaged input for every reader, ten CPU minutes each (needs clang)"
	@echo "make bench      run the benchmarks"
	@echo "make install    install into PREFIX=$(PREFIX)"
	@echo "make package    a Debian package, $(BUILD)/mora_*.deb"
	@echo "make clean      remove $(BUILD) and demo/"

# What ships needs no test packages. A build directory that has the tests keeps them.
ship: WITHOUT_TESTS := $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DMORA_TESTS=OFF)
ship:
	@tools/install-dependencies build
	@mkdir -p build
	@cmake --preset $(PRESET) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(WITHOUT_TESTS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS) --target ship

# What ships and the tests.
build:
	@tools/install-dependencies all
	@mkdir -p build
	@cmake --preset $(PRESET) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DMORA_TESTS=ON >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: ship
	@cmake --build $(BUILD) --parallel $(JOBS) --target demo_program
	@tools/demo $(BUILD) demo

test: build
	@tools/run-tests $(BUILD) $(TEST_JOBS) $(T)

check:
	@tools/check

gates:
	@tools/install-dependencies gate
	@tools/gates --jobs $(JOBS) $(T)

fuzz:
	@tools/install-dependencies fuzz
	@tools/fuzz $(T)

bench: build
	@cmake --build $(BUILD) --parallel $(JOBS) --target benches
	@bench/run $(BUILD)

install: ship
	@cmake --install $(BUILD) --prefix $(PREFIX)

package: ship
	@tools/package $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD).log demo
