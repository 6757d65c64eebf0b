# sheetbake: make demo | make test | make | make install. `make help` lists the rest.
config  ?= release
PREFIX  ?= /usr/local
VERSION := $(shell sed -n '1,/^\#\# /s/^\#\# \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md)
B       := build/$(config)

# What a Debian machine needs; `make deps` installs what is missing of the first two lists.
BUILD_PACKAGES := gcc libc6-dev pkg-config libgl-dev libosmesa6-dev libpng-dev libdeflate-dev libyaml-dev libcglm-dev \
                  libphysfs-dev libturbojpeg0-dev libjansson-dev libxxhash-dev
TEST_PACKAGES  := libcmocka-dev bats clang libclang-rt-14-dev clang-format imagemagick
ASSET_PACKAGES := ufoai-data cube2-data

LIBRARIES := libpng libdeflate yaml-0.1 libturbojpeg jansson libxxhash
# Mandatory flags stand apart, so that `make CFLAGS=...` cannot drop them.
MUST := -std=gnu11 -D_GNU_SOURCE -DCGLM_ALL_UNALIGNED -Isrc -MMD -MP -fno-math-errno \
        -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-warning-option -Wno-format-truncation $(WERROR) \
        -include src/base/banned.h -DSHEETBAKE_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(LIBRARIES))
LIBS := $(shell pkg-config --libs $(LIBRARIES)) -lphysfs -ldl -lm
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

MODE_release := -O2 -g
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g $(SANITIZE)
MODE_fuzz    := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
MODE_cover   := -O0 -g --coverage
ifeq ($(config),fuzz)
CC := clang
endif
COMPILE = $(CC) $(MUST) $(MODE_$(config)) $(CFLAGS)
LINK    = $(CC) $(MODE_$(config)) $(CFLAGS) $(LDFLAGS)

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
TESTS   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(B)/sheetbake

$(B)/sheetbake: $(B)/src/main.o $(B)/libsheetbake.a
	$(LINK) -o $@ $^ $(LIBS)

$(B)/libsheetbake.a: $(OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# The shipped config is also built in.
$(B)/src/job/config.o: config/defaults.yaml

$(B)/unit/%: $(B)/tests/unit/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(LIBS) -lcmocka

$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)

unit: $(TESTS)
	@for t in $(TESTS); do $$t || exit 1; done

fuzzers: $(FUZZERS)

clean:
	rm -rf build

-include $(shell find build/$(config) -name '*.d' 2>/dev/null)
.PHONY: all unit fuzzers clean
.SECONDARY:
