#include "render/cpu.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void add(char *out, size_t size, const char *format, ...)
{
    size_t length = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + length, size - length, format, args);
    va_end(args);
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

enum { EAX, EBX, ECX, EDX };

/* What the system has to save of a task for the feature to be of use: bits of XCR0. */
enum { NO_STATE = 0, AVX_STATE = 0x6, AVX512_STATE = 0xe6 };

static const struct feature {
    const char *name;
    unsigned leaf, reg, bit, state;
} features[] = {
    {"sse2", 1, EDX, 26, NO_STATE},          {"sse3", 1, ECX, 0, NO_STATE},
    {"ssse3", 1, ECX, 9, NO_STATE},          {"sse4.1", 1, ECX, 19, NO_STATE},
    {"sse4.2", 1, ECX, 20, NO_STATE},        {"popcnt", 1, ECX, 23, NO_STATE},
    {"avx", 1, ECX, 28, AVX_STATE},          {"f16c", 1, ECX, 29, AVX_STATE},
    {"fma", 1, ECX, 12, AVX_STATE},          {"avx2", 7, EBX, 5, AVX_STATE},
    {"xop", 0x80000001, ECX, 11, AVX_STATE}, {"avx512f", 7, EBX, 16, AVX512_STATE},
    {"avx512dq", 7, EBX, 17, AVX512_STATE},  {"avx512ifma", 7, EBX, 21, AVX512_STATE},
    {"avx512cd", 7, EBX, 28, AVX512_STATE},  {"avx512bw", 7, EBX, 30, AVX512_STATE},
    {"avx512vl", 7, EBX, 31, AVX512_STATE},  {"avx512vbmi", 7, ECX, 1, AVX512_STATE},
};

static bool leaf_of(unsigned leaf, unsigned regs[4])
{
    return __get_cpuid_count(leaf, 0, &regs[EAX], &regs[EBX], &regs[ECX], &regs[EDX]);
}

static uint32_t saved_state(void)
{
    unsigned regs[4], low, high;
    if (!leaf_of(1, regs) || !(regs[ECX] >> 27 & 1)) /* the system uses XSAVE */
        return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

void cpu_describe(char *out, size_t size)
{
    unsigned regs[4] = {0};
    uint32_t state = saved_state();
    leaf_of(0, regs);
    snprintf(out, size, "%.4s%.4s%.4s", (const char *)&regs[EBX], (const char *)&regs[EDX],
             (const char *)&regs[ECX]);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const struct feature *feature = &features[i];
        if (leaf_of(feature->leaf, regs) && regs[feature->reg] >> feature->bit & 1 &&
            (state & feature->state) == feature->state)
            add(out, size, " %s", feature->name);
    }
}

#else

#include <sys/auxv.h>
#include <sys/utsname.h>

/* The first "CPU implementer : 0x41" of ARM, or what other machines call their maker. */
static void add_maker(char *out, size_t size)
{
    static const char *const keys[] = {"CPU implementer", "vendor_id", "mvendorid", "cpu\t"};
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[256];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *colon = strchr(line, ':');
            if (!found && colon && !strncmp(line, keys[i], strlen(keys[i]))) {
                add(out, size, " %.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
                found = true;
            }
        }
    if (file)
        fclose(file);
}

void cpu_describe(char *out, size_t size)
{
    struct utsname name;
    snprintf(out, size, "%s", uname(&name) == 0 ? name.machine : "unknown");
    add_maker(out, size);
    add(out, size, " %lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

#endif
