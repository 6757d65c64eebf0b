# What tests are built of, and how they run. The Makefile includes this file.

# With counters, a program that ends by _exit writes them, too.
ifeq ($(config),cover)
OBJECTS += $(B)/tests/coverage/exit.o
LDFLAGS += -Wl,--wrap=_exit
endif

TESTS   := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/unit/test_*.c))
BENCHES := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/bench/*.c))
FUZZERS := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
FIXED   := $(FUZZERS:$(B)/fuzz/fuzz_%=$(B)/fixed/%)
TEST_PROGRAMS := $(TESTS) $(BENCHES) $(FUZZERS) $(FIXED) $(B)/golden/compare $(B)/world $(B)/edits $(B)/soak-models

$(TESTS) $(BENCHES) $(FUZZERS) $(B)/golden/compare: $(B)/%: $(B)/tests/%.o
$(TESTS): LIBS += -lcmocka
$(TESTS): $(B)/tests/unit/main.o
$(FUZZERS): LINK += -fsanitize=fuzzer
$(FIXED): $(B)/fixed/%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fixed.o $(B)/tests/fuzz/whole/mutate.o
$(B)/unit/test_samples: $(filter-out %/main.o,$(SAMPLES))
$(B)/world: $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/whole/*.c))
$(B)/edits: $(patsubst %.c,$(B)/%.o,$(wildcard tests/edits/*.c)) $(B)/tests/fuzz/whole/world_archive.o
$(B)/soak-models: $(B)/tests/soak/models.o
$(B)/edits $(B)/soak-models: $(B)/tests/fuzz/whole/mutate.o

# A library that has the program pause at random.
$(B)/jitter.so: tests/jitter/jitter.c
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(CC) -Wall -Wextra $(WERROR) -O1 -shared -fPIC -o $@ $< -ldl

# -- The suites of one build -----------------------------------------------------------------------------------------

programs: all $(TESTS) $(B)/golden/compare $(B)/edits

#: make check         all suites of one build; benchmarks, fuzz targets and the soak only have to compile
check: programs $(BENCHES) $(FUZZERS:$(B)/%=$(B)/tests/%.o) $(B)/world $(B)/soak-models
	@tests/with-total $(MAKE) -k layers format unit cli golden-check edits-run EDITS=20

#: make layers        what folders and modules of src/ may use
layers: $(filter $(B)/src/%,$(OBJECTS)) $(B)/src/main.o
	@tests/layers $^

#: make picture-of-src draw docs/pictures/src.svg anew: which folder uses which
picture-of-src:
	@tests/layers --picture >docs/pictures/src.svg

#: make format        every C file is as .clang-format says
format:
	@tests/format

#: make unit          the unit tests
unit: $(TESTS)
	@tests/run-units $(TESTS)

#: make cli           the tests of the command line
cli: all $(B)/golden/compare
	@SHEETBAKE=$(B)/sheetbake tests/run-cli

#: make golden-check  compare the pictures of tests/golden
#: make golden        draw them anew: look at them before committing them
golden-check golden: $(B)/sheetbake $(B)/golden/compare
	@tests/golden/run $(if $(filter golden,$@),renew,check) $(B)

#: make coverage      how many lines the suites run, by folder
coverage:
	@$(MAKE) -j$(JOBS) programs config=cover
	@find build/cover -name '*.gcda' -delete
	@$(MAKE) check config=cover
	@tests/coverage/report build/cover

test-run:
	@tests/with-total $(MAKE) all-suites WERROR=-Werror
all-suites:
	@$(MAKE) -j$(JOBS) programs
	@$(MAKE) check
	@$(MAKE) -j$(JOBS) programs config=asan CC=clang
	@$(MAKE) check config=asan CC=clang
	@$(MAKE) fuzz-fixed
	@WORLD_ASSETS= $(MAKE) fuzz-whole-run RUNS=30 FIRST=1

# -- Longer runs: NAME-run is tests/NAME/run with the program, what else it needs, and ARGUMENTS ------------------------

EDITS   ?= 2000
SEED    ?= 1
SEEDS   ?= 3
FIRST   ?= 1
KILLS   ?= 200
SHEETS  ?= 10000
RUNS    ?= 2000
FUZZ_SECONDS ?= 60
CLI_TESTS    ?= $(wildcard tests/cli/*.bats)

LONGER := edits-run jitter-run kill-run soak-run bench-run browser-run gltf-run recipes-run slurm-run
$(LONGER): %-run: $(B)/sheetbake
	@tests/$*/run $^ $(ARGUMENTS)
edits-run:  ARGUMENTS = $(EDITS) $(SEED)
edits-run:  $(B)/edits
jitter-run: ARGUMENTS = $(SEEDS) $(FIRST) $(CLI_TESTS)
jitter-run: $(B)/jitter.so | all $(B)/golden/compare
kill-run:   ARGUMENTS = $(KILLS)
soak-run:   ARGUMENTS = $(SHEETS)
soak-run:   $(B)/soak-models
bench-run:  ARGUMENTS = $(PARTS)
bench-run:  | $(BENCHES)
#: make kill-test     kill whole runs at random moments (KILLS=200)
kill-test: kill-run

fuzzers: $(FUZZERS)
fuzz-run:
	@$(MAKE) -j$(JOBS) config=fuzz fuzzers
	@tests/fuzz/run build/fuzz/fuzz $(FUZZ_SECONDS)
#: make fuzz-fixed    call each fuzz target with its corpus, tests/bad, and changes of them that are the same in each run
fixed: $(FIXED)
fuzz-fixed:
	@$(MAKE) -j$(JOBS) config=asan CC=clang fixed
	@tests/fuzz/run build/asan/fixed
fuzz-whole-run:
	@$(MAKE) -j$(JOBS) config=asan CC=clang build/asan/sheetbake build/asan/world
	@tests/fuzz/whole/run build/asan/sheetbake build/asan/world $(RUNS) $(FIRST)

assets-run: $(B)/sheetbake
	@tests/with-total tests/run-assets $< $(B) jobs/ufoai.yaml jobs/ufoai-soldiers.yaml jobs/cube2.yaml jobs/openarena.yaml jobs/assimp.yaml

demo-run: $(B)/sheetbake
	@$< render jobs/demo.yaml
	@$< gallery -q jobs/demo.yaml
	@echo "To see them, open this page in a browser:" && echo "    $(CURDIR)/out/demo/index.html"

.PHONY: programs check layers picture-of-src format unit cli golden-check golden coverage test-run all-suites $(LONGER) kill-test \
        fuzzers fuzz-run fixed fuzz-fixed fuzz-whole-run assets-run demo-run
