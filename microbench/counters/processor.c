#include "microbench/counters/processor.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Event numbers from the manufacturers' manuals, as in tools/perf/pmu-events of the Linux tree.
 * Intel and AMD: event | unit mask << 8. */

/** For Broadwell and later; a fused multiply-add counts twice. */
static const struct processor_event fp_arith[] = {
    {"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE", 0x01c7, 1, 64},
    {"FP_ARITH_INST_RETIRED.SCALAR_SINGLE", 0x02c7, 1, 64},
    {"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE", 0x04c7, 2, 128},
    {"FP_ARITH_INST_RETIRED.128B_PACKED_SINGLE", 0x08c7, 4, 128},
    {"FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", 0x10c7, 4, 256},
    {"FP_ARITH_INST_RETIRED.256B_PACKED_SINGLE", 0x20c7, 8, 256},
    {"FP_ARITH_INST_RETIRED.512B_PACKED_DOUBLE", 0x40c7, 8, 512},
    {"FP_ARITH_INST_RETIRED.512B_PACKED_SINGLE", 0x80c7, 16, 512},
};

/** Events of Sandy and Ivy Bridge. */
static const struct processor_event fp_comp_ops[] = {
    {"FP_COMP_OPS_EXE.SSE_SCALAR_DOUBLE", 0x8010, 1, 64},
    {"FP_COMP_OPS_EXE.SSE_SCALAR_SINGLE", 0x2010, 1, 64},
    {"FP_COMP_OPS_EXE.SSE_PACKED_DOUBLE", 0x1010, 2, 128},
    {"FP_COMP_OPS_EXE.SSE_PACKED_SINGLE", 0x4010, 4, 128},
    {"SIMD_FP_256.PACKED_DOUBLE", 0x0211, 4, 256},
    {"SIMD_FP_256.PACKED_SINGLE", 0x0111, 8, 256},
    {0},
};

/** For AMD from Zen on: operations of all vector widths; a fused multiply-add counts twice. */
static const struct processor_event fp_ret[] = {{"fp_ret_sse_avx_ops.all", 0xff03, 1, 0}, {0}};
static const struct processor_event fp_ret_zen4[] = {{"fp_ret_sse_avx_ops.all", 0x1f03, 1, 0}, {0}};

/** ARM: SVE operations count once per 128 bits of the vectors. */
static const struct processor_event sve_128[] = {
    {"FP_SCALE_OPS_SPEC", 0x80c0, 1, 128}, {"FP_FIXED_OPS_SPEC", 0x80c1, 1, 0}, {0}};
static const struct processor_event sve_256[] = {
    {"FP_SCALE_OPS_SPEC", 0x80c0, 2, 256}, {"FP_FIXED_OPS_SPEC", 0x80c1, 1, 0}, {0}};
static const struct processor_event sve_512[] = {
    {"FP_SCALE_OPS_SPEC", 0x80c0, 4, 512}, {"FP_FIXED_OPS_SPEC", 0x80c1, 1, 0}, {0}};

static const char executed[] =
    "instructions count at every attempt, even while they wait for memory, so the count is too high";
static const char speculative[] = "operations of mispredicted branches count as well";

/** A range of models of a processor family, both ends included. */
struct line {
    const char *vendor;
    int family;
    int first, last;
    struct processor_events events;
};

static const struct line table[] = {
    {"GenuineIntel", 6, 0x2a, 0x2a, {fp_comp_ops, executed}}, /* Sandy Bridge */
    {"GenuineIntel", 6, 0x2d, 0x2d, {fp_comp_ops, executed}},
    {"GenuineIntel", 6, 0x3a, 0x3a, {fp_comp_ops, executed}}, /* Ivy Bridge */
    {"GenuineIntel", 6, 0x3e, 0x3e, {fp_comp_ops, executed}},
    {"GenuineIntel", 6, 0x3d, 0x3d, {fp_arith, NULL}}, /* Broadwell; Haswell has no such events */
    {"GenuineIntel", 6, 0x47, 0x47, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0x4e, 0x4f, {fp_arith, NULL}}, /* Skylake; Broadwell servers */
    {"GenuineIntel", 6, 0x55, 0x56, {fp_arith, NULL}}, /* Skylake and Cascade Lake servers;
                                                          Broadwell-DE */
    {"GenuineIntel", 6, 0x5e, 0x5e, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0x66, 0x66, {fp_arith, NULL}}, /* Cannon Lake */
    {"GenuineIntel", 6, 0x6a, 0x6a, {fp_arith, NULL}}, /* Ice Lake servers */
    {"GenuineIntel", 6, 0x6c, 0x6c, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0x7d, 0x7e, {fp_arith, NULL}}, /* Ice Lake */
    {"GenuineIntel", 6, 0x8c, 0x8f, {fp_arith, NULL}}, /* Tiger Lake, Kaby Lake, Sapphire Rapids */
    {"GenuineIntel", 6, 0x97, 0x97, {fp_arith, NULL}}, /* Alder Lake, the fast cores */
    {"GenuineIntel", 6, 0x9a, 0x9a, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0x9e, 0x9e, {fp_arith, NULL}}, /* Kaby and Coffee Lake */
    {"GenuineIntel", 6, 0xa5, 0xa8, {fp_arith, NULL}}, /* Comet and Rocket Lake */
    {"GenuineIntel", 6, 0xad, 0xae, {fp_arith, NULL}}, /* Granite Rapids */
    {"GenuineIntel", 6, 0xb7, 0xb7, {fp_arith, NULL}}, /* Raptor Lake */
    {"GenuineIntel", 6, 0xba, 0xba, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0xbf, 0xbf, {fp_arith, NULL}},
    {"GenuineIntel", 6, 0xcf, 0xcf, {fp_arith, NULL}},       /* Emerald Rapids */
    {"AuthenticAMD", 0x17, 0x00, 0xff, {fp_ret, NULL}},      /* Zen, Zen 2 */
    {"AuthenticAMD", 0x19, 0x00, 0x0f, {fp_ret, NULL}},      /* Zen 3 */
    {"AuthenticAMD", 0x19, 0x10, 0x1f, {fp_ret_zen4, NULL}}, /* Zen 4 servers */
    {"AuthenticAMD", 0x19, 0x20, 0x5f, {fp_ret, NULL}},
    {"AuthenticAMD", 0x19, 0x60, 0xaf, {fp_ret_zen4, NULL}},
    {"AuthenticAMD", 0x1a, 0x00, 0xff, {fp_ret_zen4, NULL}}, /* Zen 5 */
    {"0x41", 0, 0xd40, 0xd40, {sve_256, speculative}},       /* Neoverse V1 */
    {"0x41", 0, 0xd49, 0xd49, {sve_128, speculative}},       /* Neoverse N2 */
    {"0x41", 0, 0xd4f, 0xd4f, {sve_128, speculative}},       /* Neoverse V2 */
    {"0x46", 0, 0x001, 0x001, {sve_512, speculative}},       /* A64FX */
};

/** Returns the text after `name` and a colon in the first line with that name; NULL if there is
 * none. */
static const char *find(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, name, length) != 0) continue;
        const char *colon = line + length + strspn(line + length, "\t ");
        if (*colon == ':') return colon + 1 + strspn(colon + 1, "\t ");
    }
    return NULL;
}

static int number(const char *text) {
    return text ? (int)strtol(text, NULL, 0) : 0;
}

struct processor processor_read(const char *cpuinfo) {
    struct processor out = {0};
    const char *vendor = find(cpuinfo, "vendor_id"),
               *implementer = find(cpuinfo, "CPU implementer");
    const char *name = vendor ? vendor : implementer;
    if (name) snprintf(out.vendor, sizeof out.vendor, "%.*s", (int)strcspn(name, " \t\n"), name);
    out.family = number(find(cpuinfo, "cpu family"));
    out.model = number(vendor ? find(cpuinfo, "model") : find(cpuinfo, "CPU part"));
    return out;
}

const struct processor_events *processor_flops(const struct processor *processor) {
    for (size_t l = 0; l < sizeof table / sizeof *table; l++) {
        const struct line *line = &table[l];
        const bool is_same =
            strcmp(line->vendor, processor->vendor) == 0 && line->family == processor->family;
        if (is_same && processor->model >= line->first && processor->model <= line->last)
            return &line->events;
    }
    return NULL;
}
