#include "job/config.h"

/* The assembler takes the file in as it is; the path counts from where make runs. */
__asm__(".section .rodata\n"
        ".global config_defaults_start\n"
        ".global config_defaults_end\n"
        "config_defaults_start:\n"
        ".incbin \"config/defaults.yaml\"\n"
        "config_defaults_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const uint8_t config_defaults_start[], config_defaults_end[];

struct bytes config_built_in(void)
{
    return (struct bytes){config_defaults_start, (size_t)(config_defaults_end - config_defaults_start)};
}
