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
TEST_PROGRAMS := $(TESTS) $(BENCHES) $(FUZZERS) $(FIXED) $(B)/golden/compare $(B)/fbx/joints $(B)/world $(B)/edits $(B)/soak-models

$(TESTS) $(BENCHES) $(FUZZERS) $(B)/golden/compare $(B)/fbx/joints: $(B)/%: $(B)/tests/%.o
$(TESTS): LIBS += -lcmocka
$(TESTS): $(B)/tests/unit/main.o
$(FUZZERS): LINK += -fsanitize=fuzzer
$(FIXED): $(B)/fixed/%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/fixed.o $(B)/tests/fuzz/whole/mutate.o
$(B)/unit/test_bake: LINK += -Wl,--wrap=model_pose # to count poses
$(B)/unit/test_samples: $(filter-out %/main.o,$(SAMPLES))
$(B)/world: $(patsubst %.c,$(B)/%.o,$(wildcard tests/fuzz/whole/*.c))
$(B)/edits: $(patsubst %.c,$(B)/%.o,$(wildcard tests/edits/*.c)) $(B)/tests/fuzz/whole/world_archive.o
$(B)/soak-models: $(B)/tests/soak/models.o
$(B)/edits $(B)/soak-models: $(B)/tests/fuzz/whole/mutate.o

# Small programs to call and libraries to preload, which use nothing of ours and no sanitizer.
TOOL = $(Q)mkdir -p $(@D) && $(CC) -Wall -Wextra $(WERROR) -D_GNU_SOURCE -O1 $(TOOL_FLAGS) -o $@
# It has the program pause at random.
$(B)/jitter.so: tests/jitter/jitter.c
	$(SAY) LINK $@
	$(TOOL) -shared -fPIC $< -ldl

# For tests of the command line: see tests/cli/setup_suite.bash.
CLI_TOOLS := $(patsubst %,$(B)/cli/%,trouble.so pause_at_rename.so escape.so lie.so keep_code.so odd_osmesa.so odd_assimp.so \
                                     empty.so calls refuse plain_render webp_frames die sign)
cli-tools: $(CLI_TOOLS)
$(B)/cli/%.so: tests/cli/%.c
	$(SAY) LINK $@
	$(TOOL) -shared -fPIC $< -ldl
$(B)/cli/%: tests/cli/%.c
	$(SAY) LINK $@
	$(TOOL) $< -lwebpdemux -lwebp -lm
$(B)/cli/odd_osmesa.so: TOOL_FLAGS := -Wl,-soname,libOSMesa.so.8 # so that it can be preloaded in its place
$(B)/cli/empty.so:
	$(SAY) LINK $@
	$(TOOL) -shared -x c /dev/null
# The die and the sign, with their pictures.
$(B)/cli/make_%: tests/fixtures/%.c tests/fixtures/fixture_file.h
	$(SAY) LINK $@
	$(TOOL) $< -lm
$(B)/cli/die $(B)/cli/sign: $(B)/cli/%: $(B)/cli/make_%
	$(SAY) MAKE $@
	$(Q)rm -rf $@ && mkdir -p $@/models $@/anims $@/textures && $< $@
	$(Q)mv $@/textures/$*.ppm $(B)/cli && convert $(B)/cli/$*.ppm $@/textures/$*.png

# -- The suites of one build -----------------------------------------------------------------------------------------

RECIPE_TESTS := tests/cli/recipes.bats tests/cli/review_recipes.bats
RUNNER_TESTS := tests/cli/totals.bats
CLI_TESTS ?= $(filter-out $(RECIPE_TESTS) $(RUNNER_TESTS),$(wildcard tests/cli/*.bats))
# Under the sanitizers only those tests of the command line run that go through bytes of others.
ifeq ($(config),asan)
export TEST_TAG := asan
endif
ifneq ($(TEST_TAG),)
CLI_TESTS := $(shell grep -lE '^# bats (file|test)_tags=(.*,)?$(TEST_TAG)\b' $(CLI_TESTS))
endif
programs: all $(TESTS) $(B)/golden/compare $(B)/edits $(CLI_TOOLS)

#: make check         all suites of one build; benchmarks, fuzz targets and the soak only have to compile
check: programs $(BENCHES) $(FUZZERS:$(B)/%=$(B)/tests/%.o) $(B)/world $(B)/soak-models
	@tests/with-total $(MAKE) -k layers format unit cli golden-check edits-run EDITS=20

#: make quick         what to run before each commit: layers, format, unit tests, the main ways of the command line
quick: programs
	@tests/with-total $(MAKE) -k layers format unit cli TEST_TAG=quick

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
	@tests/run-tests 'unit tests ($(config))' $(TESTS)

#: make cli           the tests of the command line
cli: all $(B)/golden/compare $(CLI_TOOLS)
	@SHEETBAKE=$(B)/sheetbake tests/run-tests 'command line ($(config))' $(CLI_TESTS)

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

# Both builds side by side, each with its suites; the output of a suite comes when it ends. A test runs in one of them: unit
# tests and marked files of tests of the command line in that with sanitizers. Quick tests of the latter run in both. CI runs
# all in the release build as well.
RELEASE_TESTS = $(shell grep -L '^# bats file_tags=asan' $(CLI_TESTS))
test-run:
	@tests/with-total $(MAKE) -k -j$(JOBS) --output-sync=target release-suites asan-suites WERROR=-Werror
release-suites: all $(B)/golden/compare $(B)/edits $(CLI_TOOLS) $(BENCHES) $(B)/soak-models
	@$(MAKE) -k layers format cli golden-check edits-run EDITS=20 CLI_TESTS="$(RELEASE_TESTS)"
	@$(MAKE) cli TEST_TAG=quick
asan-suites:
	@$(MAKE) programs fixed build/asan/world config=asan CC=clang
	@WORLD_ASSETS= $(MAKE) -k unit cli golden-check fuzz-fixed fuzz-whole-run config=asan CC=clang RUNS=30 FIRST=1

# -- Longer runs: NAME-run is tests/NAME/run with the program, what else it needs, and ARGUMENTS ------------------------

EDITS   ?= 2000
SEED    ?= 1
SEEDS   ?= 3
FIRST   ?= 1
KILLS   ?= 200
SHEETS  ?= 10000
RUNS    ?= 2000
FUZZ_SECONDS ?= 60

LONGER := edits-run jitter-run kill-run soak-run bench-run browser-run engines-run gltf-run fbx-run processors-run recipes-run schema-run slurm-run
$(LONGER): %-run: $(B)/sheetbake
	@tests/$*/run $^ $(ARGUMENTS)
edits-run:  ARGUMENTS = $(EDITS) $(SEED)
edits-run:  $(B)/edits
schema-run: | programs
recipes-run: | recipe-tests
jitter-run: ARGUMENTS = $(SEEDS) $(FIRST) $(CLI_TESTS)
jitter-run: $(B)/jitter.so | all $(B)/golden/compare $(CLI_TOOLS)
fbx-run:    $(B)/fbx/joints
kill-run:   ARGUMENTS = $(KILLS)
soak-run:   ARGUMENTS = $(SHEETS)
soak-run:   $(B)/soak-models
bench-run:  ARGUMENTS = $(PARTS)
bench-run:  | $(BENCHES)
#: make kill-test     kill whole runs at random moments (KILLS=200)
kill-test: kill-run

recipe-tests runner-run: all $(B)/golden/compare $(CLI_TOOLS)
recipe-tests:
	@SHEETBAKE=$(B)/sheetbake tests/run-tests recipes $(RECIPE_TESTS)
runner-run:
	@tests/run-tests 'the runner of tests' $(RUNNER_TESTS)

# A make within one that has jobs shares them.
JOBS_HERE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
fuzzers: $(FUZZERS)
fuzz-run:
	@$(MAKE) -j$(JOBS) config=fuzz fuzzers
	@tests/fuzz/run build/fuzz/fuzz $(FUZZ_SECONDS)
#: make fuzz-fixed    call each fuzz target with its corpus, tests/bad, and changes of them that are the same in each run
fixed: $(FIXED)
fuzz-fixed:
	@$(MAKE) $(JOBS_HERE) config=asan CC=clang fixed
	@tests/fuzz/run build/asan/fixed
fuzz-whole-run:
	@$(MAKE) $(JOBS_HERE) config=asan CC=clang build/asan/sheetbake build/asan/world
	@tests/fuzz/whole/run build/asan/sheetbake build/asan/world $(RUNS) $(FIRST)

assets-run: $(B)/sheetbake
	@tests/with-total tests/run-assets $< $(B) jobs/ufoai.yaml jobs/ufoai-soldiers.yaml jobs/icons.yaml jobs/cube2.yaml jobs/openarena.yaml jobs/assimp.yaml

demo-run: $(B)/sheetbake
	@$< render jobs/demo.yaml
	@$< gallery -q jobs/demo.yaml
	@echo "To see them, open this page in a browser:" && echo "    $(CURDIR)/out/demo/index.html"

.PHONY: programs cli-tools check quick layers picture-of-src format unit cli golden-check golden coverage test-run \
        release-suites asan-suites recipe-tests runner-run $(LONGER) kill-test fuzzers fuzz-run fixed fuzz-fixed fuzz-whole-run assets-run demo-run
