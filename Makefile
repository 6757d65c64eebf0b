# sheetbake: make demo | make test | make | make install. `make help` lists the rest.
config  ?= release
PREFIX  ?= /usr/local
VERSION := $(shell sed -n '1,/^\#\# /s/^\#\# \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md)
B       := build/$(config)

# What a Debian machine needs; the targets for people install what is missing.
RUN_PACKAGES   := libosmesa6 libegl1 libgl1-mesa-dri
BUILD_PACKAGES := gcc libc6-dev pkg-config libgl-dev libegl-dev libosmesa6-dev libpng-dev libdeflate-dev libyaml-dev \
                  libcglm-dev libseccomp-dev libturbojpeg0-dev libjansson-dev libxxhash-dev libstb-dev
TEST_PACKAGES  := libcmocka-dev bats clang clang-format libclang-rt-14-dev llvm groff-base imagemagick jq libxml2-utils procps \
                  ninja-build zip
ASSET_PACKAGES := ufoai-data cube2-data
DEB_PACKAGES   := debhelper dpkg-dev lintian debootstrap
SLURM_PACKAGES := slurm-wlm munge

# Silent where it is not installed yet: then this make only installs, and calls another.
PKG_CONFIG := command -v pkg-config >/dev/null && pkg-config
JOBS       := $(shell nproc)
MAKEFLAGS  += --no-print-directory
unexport CDPATH # with which cd prints where it went

LIBRARIES := libpng libdeflate yaml-0.1 libturbojpeg jansson libxxhash libseccomp
# Mandatory flags stand apart, so that `make CFLAGS=...` cannot drop them.
MUST := -std=gnu11 -D_GNU_SOURCE -DCGLM_ALL_UNALIGNED -Isrc -MMD -MP -fno-math-errno \
        -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-warning-option -Wno-format-truncation $(WERROR) \
        -include src/base/banned.h -DSHEETBAKE_VERSION='"$(VERSION)"' $(shell $(PKG_CONFIG) --cflags $(LIBRARIES))
LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) -ldl -lm
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# _FORTIFY_SOURCE is 2, as in Debian's own flags: with another value each file would get a warning there.
MODE_release := -O2 -g -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
LINK_release := -pie -Wl,-z,relro,-z,now
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g $(SANITIZE) -DSANDBOX_OF_COMMANDS=SANDBOX_OFF
MODE_fuzz    := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
MODE_cover   := -O0 -g --coverage -DSANDBOX_COUNTERS='"$(abspath $(B))"'
ifeq ($(config),fuzz)
CC := clang
endif
# Where something is missing, its name says more than the compiler would.
IS_READY := $(shell command -v $(firstword $(CC)) >/dev/null && $(PKG_CONFIG) --exists $(LIBRARIES) cglm stb osmesa egl && echo yes)
ADVICE    = sheetbake is built with more than is installed here: `make deps` installs what is missing of $(BUILD_PACKAGES)
COMPILE   = $(if $(IS_READY),,$(error $(ADVICE)))$(CC) $(MUST) $(MODE_$(config)) $(CPPFLAGS) $(CFLAGS)
LINK      = $(CC) $(MODE_$(config)) $(LINK_$(config)) $(CFLAGS) $(LDFLAGS)

# `make V=1` shows the commands.
Q   := $(if $(V),,@)
SAY := @$(if $(V),:,echo " ")

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
TESTS   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
ifeq ($(config),cover)
OBJECTS += $(B)/tests/coverage/exit.o
LDFLAGS += -Wl,--wrap=_exit
endif
SAMPLES := $(patsubst %.c,$(B)/%.o,$(wildcard tools/samples/*.c))
BENCHES := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
WORLD   := $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/whole/*.c))
EDITING := $(patsubst %.c,$(B)/%.o,$(wildcard tests/edits/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(B)/sheetbake $(B)/sheetbake.1 $(B)/sheetbake.bash

$(B)/sheetbake: $(B)/src/main.o $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/libsheetbake.a: $(OBJECTS)
	@rm -f $@
	$(SAY) AR $@
	$(Q)$(AR) rcs $@ $^

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(Q)$(COMPILE) -c -o $@ $<

# libjpeg-turbo does not tell its version at run time.
$(B)/src/cli/version.o: MUST += -DTURBOJPEG_VERSION='"$(shell $(PKG_CONFIG) --modversion libturbojpeg)"'

# The manual page and the completion of bash, from the tables of options.
$(B)/manual/%: $(B)/manual/%.o $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/sheetbake.1: $(B)/manual/page
$(B)/sheetbake.bash: $(B)/manual/completion
$(B)/sheetbake.%: manual/sheetbake.%.in
	$(SAY) MAKE $@
	$(Q)$(filter %/page %/completion,$^) <$< >$@

# The shipped config is also built in.
$(B)/src/job/config.o: config/defaults.yaml

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lcmocka

$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)

$(B)/bench/%: $(B)/tests/bench/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/golden/%: $(B)/tests/golden/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/world: $(WORLD) $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/edits: $(EDITING) $(B)/tests/fuzz/whole/mutate.o $(B)/tests/fuzz/whole/world_archive.o $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/soak-models: $(B)/tests/soak/models.o $(B)/tests/fuzz/whole/mutate.o $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

# The sample models, and the test that making them anew changes nothing.
samples: $(B)/samples
	$(SAY) MAKE jobs/assets/models
	$(Q)$< jobs/assets

$(B)/samples: $(SAMPLES) $(B)/libsheetbake.a
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(B)/unit/test_samples: $(filter-out %/main.o,$(SAMPLES))

# The pictures of the docs.
pictures: $(B)/sheetbake
	$(Q)$< render -q docs/pictures/pictures.yaml && rm -f docs/pictures/*.json docs/pictures/*.sheetbake docs/pictures/.sheetbake.lock

# -- Tests -----------------------------------------------------------------------------------------------------------

programs: all $(TESTS) $(B)/golden/compare $(B)/edits

unit: $(TESTS)
	@tests/run-units $(TESTS)

cli: $(B)/sheetbake $(B)/sheetbake.1 $(B)/sheetbake.bash $(B)/golden/compare
	@SHEETBAKE=$< tests/run-cli

golden-check: $(B)/sheetbake $(B)/golden/compare
	@tests/golden/run check $(B)

# Nothing is measured, fuzzed or soaked here, but what does it has to compile. All suites are run, also after one that failed.
check: programs $(BENCHES) $(FUZZERS:$(B)/fuzz/%=$(B)/tests/fuzz/%.o) $(B)/world $(B)/soak-models
	@tests/with-total $(MAKE) -k layers format unit cli golden-check edits-run EDITS=20

# Folders of src/ depend downwards only.
layers:
	@tests/layers

# Every C file is as .clang-format says.
format:
	@tests/format

# The pictures that golden-check compares with, drawn anew: look at them before committing them.
golden: $(B)/sheetbake
	@tests/golden/run renew $(B)

# How many lines the tests run, by folder.
coverage:
	@$(MAKE) -j$(JOBS) programs config=cover
	@find build/cover -name '*.gcda' -delete
	@$(MAKE) check config=cover
	@tests/coverage/report build/cover

fuzzers: $(FUZZERS)

# Every fuzz target for FUZZ_SECONDS on its corpus, and on whatever once broke us.
FUZZ_SECONDS ?= 20
fuzz-run:
	@$(MAKE) -j$(JOBS) config=fuzz fuzzers
	@tests/fuzz/run build/fuzz/fuzz $(FUZZ_SECONDS)

# The whole program on RUNS small worlds of broken files, with the sanitizers; FIRST is the number of the first.
RUNS  ?= 2000
FIRST ?= 1
fuzz-whole-run:
	@$(MAKE) -j$(JOBS) config=asan CC=clang build/asan/sheetbake build/asan/world
	@tests/fuzz/whole/run build/asan/sheetbake build/asan/world $(RUNS) $(FIRST)

# Runs killed at random moments, supervisor and workers at once.
KILLS ?= 200
kill-test: $(B)/sheetbake
	@tests/kill/run $< $(KILLS)

# A library that has the program pause at random; tests of the command line with it, for SEEDS seeds from FIRST on.
$(B)/jitter.so: tests/jitter/jitter.c
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CC) -Wall -Wextra $(WERROR) -O1 -shared -fPIC -o $@ $< -ldl

SEEDS      ?= 3
CLI_TESTS  ?= $(wildcard tests/cli/*.bats)
jitter-run: $(B)/sheetbake $(B)/golden/compare $(B)/jitter.so
	@tests/with-total tests/jitter/run $< $(B)/jitter.so $(SEEDS) $(FIRST) $(CLI_TESTS)

# Random changes to small worlds, EDITS of them from SEED on: each run has to make exactly what changed.
EDITS ?= 2000
SEED  ?= 1
edits-run: $(B)/sheetbake $(B)/edits
	@tests/edits/run $^ $(EDITS) $(SEED)

# A long run with workers killed at random, against the same run left alone.
SHEETS ?= 10000
soak-run: $(B)/sheetbake $(B)/soak-models
	@tests/soak/run $^ $(SHEETS)

# All tests: two compilers with warnings as errors, the sanitizers on all tests, a short fuzz.
test-all:
	@$(MAKE) -j$(JOBS) programs WERROR=-Werror
	@$(MAKE) check WERROR=-Werror
	@$(MAKE) -j$(JOBS) programs config=asan CC=clang WERROR=-Werror
	@$(MAKE) check config=asan CC=clang WERROR=-Werror
	@$(MAKE) fuzz-run FUZZ_SECONDS=3 WERROR=-Werror
	@$(MAKE) fuzz-whole-run RUNS=30 WERROR=-Werror

# Loads sheets with the real PixiJS and Phaser in headless Chromium, where there are node and Chromium.
browser-run: $(B)/sheetbake
	@tests/browser/run $< $(B)

# An array of the Slurm recipe on a cluster of this machine alone, one task requeued and one killed. As root.
slurm-run: $(B)/sheetbake
	@tests/slurm/run $<

ASSET_LISTS := ufoai ufoai-soldiers cube2
assets-run: $(B)/sheetbake
	@tests/run-assets $< $(B) $(ASSET_LISTS:%=jobs/%.yaml)

demo-run: $(B)/sheetbake
	@$(B)/sheetbake render jobs/demo.yaml
	@echo "The pictures:" && ls -1 out/demo/*.png

bench-run: $(B)/sheetbake $(BENCHES)
	@tests/bench/run $(B)

# -- For people: install what is missing, then do it -----------------------------------------------------------------

demo: | deps
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) demo-run
# The last line of a test is what all of it came to, as in "1523 passed, 0 failed".
test: | test-deps
	@tests/with-total $(MAKE) test-all
bench: | test-deps assets
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) bench-run
fuzz: | test-deps
	@$(MAKE) fuzz-run
fuzz-whole: | test-deps assets
	@$(MAKE) fuzz-whole-run
test-jitter: | test-deps
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) jitter-run
test-edits: | test-deps
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) edits-run
soak: | test-deps
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) soak-run
test-browser: | deps
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) browser-run
test-slurm: | assets
	@tests/install-packages $(SLURM_PACKAGES)
	@$(MAKE) -j$(JOBS) all
	@$(MAKE) slurm-run
test-recipes: | deps
	@tests/recipes/run $(B)
test-assets: | assets
	@$(MAKE) -j$(JOBS) all
	@tests/with-total $(MAKE) assets-run

deps:
	@tests/install-packages $(BUILD_PACKAGES) $(RUN_PACKAGES)
test-deps: | deps
	@tests/install-packages $(TEST_PACKAGES)
assets: | deps
	@tests/install-packages $(ASSET_PACKAGES)

install: all
	install $(STRIP) -D -m 755 $(B)/sheetbake $(DESTDIR)$(PREFIX)/bin/sheetbake
	install -D -m 644 $(B)/sheetbake.1 $(DESTDIR)$(PREFIX)/share/man/man1/sheetbake.1
	install -D -m 644 $(B)/sheetbake.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sheetbake
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/sheetbake config/defaults.yaml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/thumbnailers config/sheetbake.thumbnailer
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/mime/packages config/sheetbake.xml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sheetbake README.md CHANGELOG.md LICENSE
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sheetbake/docs docs/*.md
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sheetbake/docs/pictures docs/pictures/*.png
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sheetbake/docs/recipes docs/recipes/*

install-strip: STRIP := -s
install-strip: install

SHARE = $(DESTDIR)$(PREFIX)/share
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/sheetbake $(SHARE)/man/man1/sheetbake.1 $(SHARE)/bash-completion/completions/sheetbake
	rm -f $(SHARE)/thumbnailers/sheetbake.thumbnailer $(SHARE)/mime/packages/sheetbake.xml
	rm -rf $(SHARE)/sheetbake $(SHARE)/doc/sheetbake

# A package of what is committed, build/deb/sheetbake_*.deb; deb-test installs it on a Debian made for that, as root.
DEB := build/deb/sheetbake-$(VERSION)
deb:
	@tests/install-packages $(BUILD_PACKAGES) $(DEB_PACKAGES)
	@rm -rf build/deb && mkdir -p $(DEB)
	@git archive HEAD | tar -x -C $(DEB) && mv $(DEB)/config/debian $(DEB)/debian
	@echo $(filter-out gcc libc6-dev,$(BUILD_PACKAGES)) | sed 's/ /, /g; s/.*/s|@BUILD_PACKAGES@|&|/' | \
	    sed -i -f - $(DEB)/debian/control
	@printf 'sheetbake (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' '$(VERSION)' \
	    "$$(sed -n 's/^Maintainer: //p' $(DEB)/debian/control)" "$$(git log -1 --format=%aD)" >$(DEB)/debian/changelog
	@cd $(DEB) && dpkg-buildpackage -us -uc -b
	@lintian --fail-on error,warning build/deb/*.changes
deb-test: deb
	@tests/deb build/deb/sheetbake_*.deb

clean:
	rm -rf build

help:
	@echo "make demo         install what is missing, build, bake jobs/demo.yaml into out/demo"
	@echo "make test         install what is missing, build and run all tests (two compilers, sanitizers, short fuzz)"
	@echo "make deps         install what a build needs           make              build build/release/sheetbake"
	@echo "make install      into PREFIX=$(PREFIX), DESTDIR       make install-strip, make uninstall"
	@echo "make deb          a Debian package in build/deb        make deb-test     install and try it on a new Debian"
	@echo "make check        all tests of one build               make unit, make cli, make golden-check, make coverage"
	@echo "make golden       the pictures of golden-check anew    make pictures     those of docs/"
	@echo "make assets       install the real game models         make test-assets   bake all of them"
	@echo "make bench        measure                              make fuzz FUZZ_SECONDS=60"
	@echo "make fuzz-whole   render 2,000 small worlds of broken files (RUNS=2000 FIRST=1)"
	@echo "make soak         bake 10,000 sheets while workers are killed (SHEETS=10000)"
	@echo "make test-edits   change small worlds at random, 2,000 steps (EDITS=2000 SEED=1)"
	@echo "make kill-test    kill whole runs at random moments (KILLS=200)"
	@echo "make test-jitter  tests of the command line with pauses at random in the program (SEEDS=3 FIRST=1)"
	@echo "make test-browser load sheets with the engines of the web in headless Chromium"
	@echo "make test-slurm   bake real models with a Slurm array, on a cluster of this machine alone"
	@echo "make test-recipes check the YAML files of docs/recipes against published schemas, where there is npm"
	@echo "make samples      make jobs/assets anew                make clean"
	@echo "config=debug|asan|fuzz|cover, CC=clang, WERROR=-Werror, V=1"

-include $(shell find build/$(config) -name '*.d' 2>/dev/null)
.PHONY: all samples pictures layers format unit cli golden-check check golden coverage fuzzers fuzz-run fuzz-whole-run soak-run kill-test edits-run jitter-run test-all \
        assets-run demo-run bench-run browser-run slurm-run demo test bench fuzz fuzz-whole soak test-browser test-slurm \
        test-jitter test-edits test-recipes test-assets deps test-deps assets install install-strip uninstall deb deb-test clean help
.SECONDARY:
.DELETE_ON_ERROR:
