# Sheets as a step of a build with GNU make. See docs/recipes/README.md, section make and ninja. `include` it, or
#
#     make -f docs/recipes/sprites.mk LISTS="jobs/orcs.yaml jobs/trees.yaml"
SHEETBAKE ?= sheetbake
LISTS     ?= jobs/demo.yaml
STAMP     ?= build/sprites.stamp

sprites: $(STAMP)

# One call for all lists, because it uses all CPUs.
$(STAMP): $(LISTS)
	@mkdir -p $(@D)
	$(SHEETBAKE) render --quiet --strict --depfile $@.d $(LISTS) && touch $@

-include $(STAMP).d
.PHONY: sprites
