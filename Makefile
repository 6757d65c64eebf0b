# Builds sheetbake: see `make help`, which prints the lines that start with "#:".
#: make               build build/release/sheetbake; also: config=debug|asan|fuzz|cover, CC=clang, WERROR=-Werror, V=1
config  ?= release
PREFIX  ?= /usr/local
VERSION := $(shell sed -n '1,/^\#\# /s/^\#\# \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md)
B       := build/$(config)

# Debian packages: what the program opens and calls while it runs, to build it, to test it. It is linked with libraries
# of others, too: $(B)/packages has all that it needs to run.
RUN_PACKAGES    = libosmesa6 libegl1 libgl1-mesa-dri libassimp$(ASSIMP) git
BUILD_PACKAGES := gcc g++ libc6-dev pkg-config libgl-dev libegl-dev libosmesa6-dev libpng-dev zlib1g-dev libdeflate-dev libyaml-dev \
                  libcglm-dev libseccomp-dev libturbojpeg0-dev libwebp-dev libjansson-dev libxxhash-dev \
                  libstb-dev libmeshoptimizer-dev libdraco-dev libassimp-dev
TEST_PACKAGES  := libcmocka-dev bats clang clang-format libclang-rt-dev llvm groff-base imagemagick jq libxml2-utils procps \
                  ninja-build unzip webp zip
ASSET_PACKAGES := ufoai-data cube2-data openarena-data openarena-081-players assimp-testmodels
DEB_PACKAGES   := build-essential debhelper dpkg-dev lintian
CHROOT_PACKAGES := debootstrap jq yq buildah
SLURM_PACKAGES := slurm-wlm munge
PROCESSORS_PACKAGES := qemu-user

# Says nothing where pkg-config is missing: then this make only installs packages, and calls another make.
PKG_CONFIG := command -v pkg-config >/dev/null && pkg-config
# The number in the names of assimp's library and package, which is that of its version.
ASSIMP := $(or $(firstword $(subst ., ,$(shell $(PKG_CONFIG) --modversion assimp 2>/dev/null))),5)
JOBS       := $(shell nproc)
MAKEFLAGS  += --no-print-directory
unexport CDPATH # with CDPATH set, cd prints the folder

LIBRARIES := libpng zlib libdeflate yaml-0.1 libturbojpeg libwebp libwebpmux jansson libxxhash libseccomp
# Flags that `make CFLAGS=...` must not drop. Without contraction, processors with FMA compute what the others do.
MUST := -std=gnu11 -D_GNU_SOURCE -DCGLM_ALL_UNALIGNED -Isrc -MMD -MP -fno-math-errno -ffp-contract=off \
        -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-warning-option -Wno-format-truncation $(WERROR) \
        -include src/base/banned.h -DSHEETBAKE_VERSION='"$(VERSION)"' $(shell $(PKG_CONFIG) --cflags $(LIBRARIES))
LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)) -lmeshoptimizer -ldl -lm
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# _FORTIFY_SOURCE is 2, as in Debian's own flags: another value gives a warning for each file there.
# Of the flags that not every compiler and processor has, those that the compiler takes.
HARDENING := $(if $(filter release,$(config)),$(shell for flag in -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero; do \
    echo | $(CC) -Werror $$flag -x c -c -o /dev/null - 2>/dev/null && echo $$flag; done))
MODE_release := -O2 -g -fPIE -fstack-protector-strong $(HARDENING) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
LINK_release := -pie -Wl,-z,relro,-z,now -Wl,--export-dynamic-symbol=posix_memalign
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g1 $(SANITIZE) -DSANDBOX_OF_COMMANDS=SANDBOX_OFF
MODE_fuzz    := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
MODE_cover   := -O0 -g --coverage -DSANDBOX_COUNTERS='"$(abspath $(B))"'
ifeq ($(config),fuzz)
CC := clang
endif
# Models packed with Draco are read where its library and a compiler for its C++ are. Sanitizers are those of one compiler.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),g++)
endif
WITH_DRACO := $(shell $(PKG_CONFIG) --exists draco && command -v $(CXX) >/dev/null && echo yes)
ifeq ($(WITH_DRACO),yes)
MUST += -DWITH_DRACO
# The programs are linked as C, without the runtime that vptr wants.
MUST_CXX := -std=c++17 -ffp-contract=off -fno-sanitize=vptr -Isrc -MMD -MP -Wall -Wextra $(WERROR) -DWITH_DRACO
LIBS += $(shell $(PKG_CONFIG) --libs draco) -lstdc++
endif
# Names what is missing, instead of the compiler's errors.
IS_READY := $(shell command -v $(firstword $(CC)) >/dev/null && $(PKG_CONFIG) --exists $(LIBRARIES) assimp cglm stb osmesa egl && echo yes)
ADVICE    = a compiler or a library is missing: `make deps` installs what is missing of $(BUILD_PACKAGES)
COMPILE   = $(if $(IS_READY),,$(error $(ADVICE)))$(CC) $(MUST) $(MODE_$(config)) $(CPPFLAGS) $(CFLAGS)
LINK      = $(CC) $(MODE_$(config)) $(LINK_$(config)) $(CFLAGS) $(LDFLAGS)

Q   := $(if $(V),,@)
SAY := @$(if $(V),:,echo " ")

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:%.c=$(B)/%.o) $(if $(WITH_DRACO),$(B)/src/format/draco.o)
SAMPLES := $(patsubst %.c,$(B)/%.o,$(wildcard tools/samples/*.c))
GUIDES  := $(B)/manual/page $(B)/manual/completion

all: $(B)/sheetbake $(B)/sheetbake.1 $(B)/sheetbake.bash $(B)/packages

include tests/tests.mk

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(SAY) CC $<
	$(Q)$(COMPILE) -c -o $@ $<

$(B)/%.o: %.cc Makefile
	@mkdir -p $(@D)
	$(SAY) CXX $<
	$(Q)$(CXX) $(MODE_$(config)) $(MUST_CXX) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(B)/libsheetbake.a: $(OBJECTS)
	@rm -f $@
	$(SAY) AR $@
	$(Q)$(AR) rcs $@ $^

# Every program is linked of the objects that it names and of the library.
$(B)/sheetbake: $(B)/src/main.o
$(B)/samples: $(SAMPLES)
$(GUIDES): $(B)/%: $(B)/%.o
$(B)/sheetbake $(B)/samples $(GUIDES) $(TEST_PROGRAMS): $(B)/libsheetbake.a
	@mkdir -p $(@D)
	$(SAY) LINK $@
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# The Debian packages that the program needs to run: those that its libraries are from, and RUN_PACKAGES. Who keeps the
# program keeps this file with it, so there is no other list.
$(B)/packages: $(B)/sheetbake
	$(SAY) MAKE $@
	$(Q){ printf '%s\n' $(RUN_PACKAGES); ! command -v dpkg-query >/dev/null || ldd $< | sed -n 's/.* => \([^ ]*\).*/\1/p' | \
	    xargs readlink -f | sed 's|.*/\(.*/.*\)|*/\1|' | xargs dpkg-query -S | sed 's/:.*//'; } | sort -u >$@

# libassimp is loaded by the program itself, for the few that need it: only its headers and its name count here.
$(B)/src/format/assimp_import.o $(B)/src/render/identity.o: MUST += -DASSIMP_LIBRARY='"libassimp.so.$(ASSIMP)"' -DASSIMP_PACKAGE='"libassimp$(ASSIMP)"'
$(B)/src/format/assimp_import.o: MUST += -DASSIMP_VERSION='"$(basename $(shell $(PKG_CONFIG) --modversion assimp))"'
# libjpeg-turbo does not tell its version at run time.
$(B)/src/cli/commands.o: MUST += -DTURBOJPEG_VERSION='"$(shell $(PKG_CONFIG) --modversion libturbojpeg)"'
# The shipped config, the docs of job lists and the pages are built in.
$(B)/src/job/source.o: config/defaults.yaml
$(B)/src/job/schema.o: docs/jobs.md
$(B)/src/page/metadata.o: $(wildcard src/page/templates/*)
$(B)/pages/%.html: src/review/page/assemble $(wildcard src/review/page/*)
	$(SAY) MAKE $@
	$(Q)mkdir -p $(@D) && $< $* >$@
$(B)/src/review/html.o: $(B)/pages/diff.html $(B)/pages/gallery.html
$(B)/src/review/html.o: MUST += -Wa,-I$(B)

# The manual page and the completion of bash, from the tables of options.
$(B)/sheetbake.1: $(B)/manual/page
$(B)/sheetbake.bash: $(B)/manual/completion
$(B)/sheetbake.%: manual/sheetbake.%.in
	$(SAY) MAKE $@
	$(Q)$(filter $(GUIDES),$^) <$< >$@

#: make samples       make jobs/assets anew; a unit test proves that this changes nothing
samples: $(B)/samples
	$(SAY) MAKE jobs/assets/models
	$(Q)$< jobs/assets

#: make pictures      draw the pictures of docs/ anew
pictures: $(B)/sheetbake
	$(Q)$< render -q docs/pictures/pictures.yaml
	$(Q)$< thumb -q --views front,left,back,top,three_quarter --size 180 -o docs/pictures/views.png jobs/assets/models/pip/pip.glb
	$(Q)$< render -q -o $(B)/showcases jobs/unit.yaml jobs/hero.yaml && cp $(B)/showcases/*.preview@*.png docs/pictures
	$(Q)tests/cookbook $(B)/cookbook && for list in $(B)/cookbook/*.yaml; do $< render -q -o docs/pictures/cookbook $$list || exit; done
	$(Q)for folder in docs/pictures docs/pictures/cookbook; do (cd $$folder && rm -f *.json *.tres *.sheetbake .sheetbake.lock); done
	$(Q)for team in red:'#d02020' blue:'#3060ff'; do convert docs/pictures/team.png \( -size 192x192 xc:white \
	    \( docs/pictures/team.teamcolor.png -channel RGB -fill "$${team#*:}" -colorize 100 +channel \) -composite -alpha off \) \
	    -compose multiply -channel RGB -composite -strip docs/pictures/team-$${team%%:*}.png; done
	$(Q)convert docs/pictures/directions.png -background none -splice 0x24+0+96 -font DejaVu-Sans -pointsize 15 -fill gray50 \
	    -gravity south -draw "text -336,5 '0: S' text -240,5 '1: SW' text -144,5 '2: W' text -48,5 '3: NW' text 48,5 '4: N' \
	    text 144,5 '5: NE' text 240,5 '6: E' text 336,5 '7: SE'" -strip docs/pictures/directions.png

# -- Install what is missing, then do it (the targets of tests/tests.mk without "test-", with "-run") --------------------

#: make demo          render jobs/demo.yaml into out/demo, and a page that shows it
#: make test          all suites: two compilers, sanitizers, broken files; none of it depends on chance
#: make test-assets   render all of the real game models, that `make assets` installs
#: make test-edits    make 2,000 random changes to small worlds (EDITS=2000 SEED=1)
#: make test-jitter   test the command line with random pauses in the program (SEEDS=3 FIRST=1)
#: make test-browser  load sheets with the engines of the web in headless Chromium
#: make test-engines  read what the exporters wrote as engines do, where there is npm
#: make test-gltf     compare our reader of glTF with Khronos' validator and three.js, where there is npm
#: make test-fbx      compare poses of FBX files with those of three.js, where there is npm
#: make test-processors  compare pictures with those of emulated processors (qemu-user)
#: make test-slurm    render real models with a Slurm array, on a cluster of this machine alone
#: make test-recipes  run docs/recipes, and check its YAML files against published schemas, where there is npm
#: make test-runner   test what runs the tests and adds them up
#: make test-schema   compare what `sheetbake schema` says of job lists with what the program takes (ajv of npm)
#: make fuzz          fuzz each parser with random files (FUZZ_SECONDS=60)
#: make fuzz-whole    render 2,000 small worlds of broken files (RUNS=2000 FIRST=1)
#: make soak          render 10,000 sheets while workers are killed (SHEETS=10000)
#: make bench         measure speed and memory (PARTS="diffs pages")
INSTALL_AND_RUN := demo test $(addprefix test-,assets edits jitter browser engines gltf fbx processors slurm recipes runner schema) fuzz fuzz-whole soak bench
$(INSTALL_AND_RUN): | deps
	$(if $(filter test fuzz%,$@),,@$(MAKE) -j$(JOBS) all)
	@$(MAKE) $(@:test-%=%)-run
test bench fuzz fuzz-whole soak test-jitter test-edits test-schema test-recipes test-runner: | test-deps
bench fuzz-whole test-assets test-slurm: | assets
test-slurm: | slurm-deps
test-processors: | processors-deps

#: make deps          install what a build needs
deps:       PACKAGES := $(BUILD_PACKAGES) $(RUN_PACKAGES)
test-deps:  PACKAGES := $(TEST_PACKAGES)
assets:     PACKAGES := $(ASSET_PACKAGES)
slurm-deps: PACKAGES := $(SLURM_PACKAGES)
processors-deps: PACKAGES := $(PROCESSORS_PACKAGES)
deb-deps:   PACKAGES := $(BUILD_PACKAGES) $(DEB_PACKAGES)
chroot-deps: PACKAGES := $(CHROOT_PACKAGES)
deps test-deps assets slurm-deps deb-deps chroot-deps:
	@tests/install-packages $(PACKAGES)
test-deps assets slurm-deps: | deps

# -- Install ---------------------------------------------------------------------------------------------------------

#: make install       into PREFIX=/usr/local, below DESTDIR; make install-strip, make uninstall
SHARE   := $(DESTDIR)$(PREFIX)/share
PROGRAM := $(DESTDIR)$(PREFIX)/bin/sheetbake
install: all
	install $(STRIP) -D -m 755 $(B)/sheetbake $(PROGRAM)
	install -D -m 644 -t $(SHARE)/man/man1 $(B)/sheetbake.1
	install -D -m 644 $(B)/sheetbake.bash $(SHARE)/bash-completion/completions/sheetbake
	install -D -m 644 -t $(SHARE)/sheetbake config/defaults.yaml $(B)/packages
	install -D -m 644 -t $(SHARE)/thumbnailers config/sheetbake.thumbnailer
	install -D -m 644 -t $(SHARE)/mime/packages config/sheetbake.xml
	install -D -m 644 -t $(SHARE)/doc/sheetbake README.md CHANGELOG.md LICENSE
	install -D -m 644 -t $(SHARE)/doc/sheetbake/docs docs/*.md
	install -D -m 644 -t $(SHARE)/doc/sheetbake/docs/pictures docs/pictures/*.png docs/pictures/*.svg
	install -D -m 644 -t $(SHARE)/doc/sheetbake/docs/pictures/cookbook docs/pictures/cookbook/*.png
	install -D -m 644 -t $(SHARE)/doc/sheetbake/docs/recipes docs/recipes/*
	install -D -m 644 -t $(SHARE)/doc/sheetbake/docs/design docs/design/*
install-strip: STRIP := -s
install-strip: install
uninstall:
	rm -f $(PROGRAM) $(SHARE)/man/man1/sheetbake.1 $(SHARE)/bash-completion/completions/sheetbake
	rm -f $(SHARE)/thumbnailers/sheetbake.thumbnailer $(SHARE)/mime/packages/sheetbake.xml
	rm -rf $(SHARE)/sheetbake $(SHARE)/doc/sheetbake

#: make deb           make a Debian package of what is committed, in build/deb
DEB := build/deb/sheetbake-$(VERSION)
DEB_VERSION := $(VERSION)$(shell . /etc/os-release 2>/dev/null && [ "$$ID" = debian ] && echo "$${VERSION_ID:++deb$$VERSION_ID}")
deb: | deb-deps
	@rm -rf build/deb && mkdir -p $(DEB)
	@git archive HEAD | tar -x -C $(DEB) && mv $(DEB)/config/debian $(DEB)/debian
	@printf '%s %s\n' @BUILD_PACKAGES@ '$(filter-out gcc g++ libc6-dev,$(BUILD_PACKAGES))' @RUN_PACKAGES@ '$(RUN_PACKAGES)' | \
	    sed 's/ /, /g; s/, /|/; s/.*/s|&|/' | sed -i -f - $(DEB)/debian/control
	@printf 'sheetbake (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' '$(DEB_VERSION)' \
	    "$$(sed -n 's/^Maintainer: //p' $(DEB)/debian/control)" "$$(git log -1 --format=%aD)" >$(DEB)/debian/changelog
	@cd $(DEB) && dpkg-buildpackage -us -uc -b
	@lintian --fail-on error,warning build/deb/*.changes

# The program with all of its libraries: see tools/relocatable. Mesa's and assimp's are opened while it runs.
NAME   := sheetbake-$(VERSION)
WITH_LIBRARIES := $(NAME)-linux-$(shell uname -m)
OPENED  = $(shell $(PKG_CONFIG) --variable=libdir osmesa)/libOSMesa.so.8 $(shell $(PKG_CONFIG) --variable=libdir assimp)/libassimp.so.$(ASSIMP)
$(B)/launch: tools/relocatable/launch.c
	$(SAY) LINK $@
	$(Q)$(CC) -static -O2 -Wall -Wextra $(WERROR) -D_GNU_SOURCE -o $@ $<
relocatable: all $(B)/launch
	@rm -rf $(B)/$(WITH_LIBRARIES)
	@$(MAKE) -s install-strip DESTDIR=$(B)/$(WITH_LIBRARIES) PREFIX=
	@tools/relocatable/pack $(B)/launch $(B)/$(WITH_LIBRARIES) $(OPENED)

#: make source        make a tarball of the sources that are committed, in build/dist
#: make tarball       make a tarball of the program with all of its libraries, which runs on any Linux, in build/dist
source:
	@mkdir -p build/dist
	@git archive --prefix=$(NAME)/ HEAD | gzip -9n >build/dist/$(NAME).tar.gz
tarball: relocatable
	@mkdir -p build/dist
	@tar -C $(B) --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(git log -1 --format=%ct) \
	    -c $(WITH_LIBRARIES) | gzip -9n >build/dist/$(WITH_LIBRARIES).tar.gz

#: make dist          as root: these, the tarball from Debian 12, and packages for Debian 12 and 13, of what is committed
dist: source | chroot-deps
	@tools/relocatable/build-on bookworm 'deb tarball'
	@tools/relocatable/build-on trixie deb
	@$(MAKE) checksums
checksums:
	@cd build/dist && sha256sum *.tar.gz *.deb >SHA256SUMS && cat SHA256SUMS

#: make test-dist     as root: run the tarball of `make dist` on new Debians, 12 and 13, and where there is nothing
TARBALL ?= $(wildcard build/dist/$(WITH_LIBRARIES).tar.gz)
test-dist: $(B)/sheetbake | chroot-deps
	@tests/with-total tests/dist/run $< '$(TARBALL)' $(RELEASES)

#: make test-chroot   as root: run the recipes, the README's and the Dockerfile's commands on new Debians, 12 and 13
RELEASES ?= bookworm trixie
test-chroot: | chroot-deps
	@tests/with-total $(MAKE) -k $(RELEASES:%=chroot-%) # PARTS="github gitlab"
chroot-%:
	@tests/chroot/run $* $(PARTS)

#: make clean         remove build/
clean:
	rm -rf build

help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

-include $(shell find build/$(config) -name '*.d' 2>/dev/null)
.PHONY: all samples pictures $(INSTALL_AND_RUN) deps test-deps assets slurm-deps deb-deps install install-strip uninstall deb chroot-deps relocatable source tarball dist checksums \
        test-dist test-chroot clean help
.SECONDARY:
.DELETE_ON_ERROR:
