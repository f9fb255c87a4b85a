#include "gen/emitted/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#include "gen/emit/text.h"
#include "gen/emitted/tile.h"

const struct emitted_set_text emitted_set_text[EMITTED_SETS] = {
    [EMITTED_PLAIN] = {"plain", "KERNEL_PLAIN", "1"},
    [EMITTED_AVX2] = {"avx2", "KERNEL_AVX2",
                      "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")"},
    [EMITTED_AVX512] = {"avx512", "KERNEL_AVX512",
                        "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"fma\")"},
};

struct emitted_numbers emitted_numbers_of(enum tcplan_dtype dtype) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    const enum tcplan_dtype real = is_single ? TCPLAN_FLOAT : TCPLAN_DOUBLE;
    return (struct emitted_numbers){.real = real,
                                    .letter = is_single ? 's' : 'd',
                                    .type = emit_type(real),
                                    .parts = emitted_reals(dtype)};
}

static bool is_masked(const struct emitted_numbers *numbers, int elems) {
    return emitted_lanes(numbers, elems) != elems * numbers->parts;
}

int emitted_lanes(const struct emitted_numbers *numbers, int elems) {
    const bool has_type = (elems & (elems - 1)) == 0;
    return has_type ? elems * numbers->parts : emitted_vector_elems(numbers->real, EMITTED_AVX512);
}

void emitted_add_type(struct strbuf *out, const struct emitted_numbers *numbers, int elems) {
    strbuf_add(out, "kernel_%c%d", numbers->letter, emitted_lanes(numbers, elems));
}

/** Returns a mask with a bit for each real number. */
static unsigned mask_of(const struct emitted_numbers *numbers, int elems) {
    return (1U << elems * numbers->parts) - 1;
}

/** Prints `*(const kernel_d4 *)(` or, if elements are masked, `KERNEL_LOAD_d8(`. */
static void begin_access(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                         const char *macro, const char *qualifier) {
    if (is_masked(numbers, elems)) {
        strbuf_add(out, "%s_%c%d(", macro, numbers->letter, emitted_lanes(numbers, elems));
        return;
    }
    strbuf_add(out, "*(%s", qualifier);
    emitted_add_type(out, numbers, elems);
    strbuf_add(out, " *)(");
}

void emitted_begin_load(struct strbuf *out, const struct emitted_numbers *numbers, int elems) {
    begin_access(out, numbers, elems, "KERNEL_LOAD", "const ");
}

void emitted_end_load(struct strbuf *out, const struct emitted_numbers *numbers, int elems) {
    if (is_masked(numbers, elems)) strbuf_add(out, ", 0x%x", mask_of(numbers, elems));
    strbuf_add(out, ")");
}

void emitted_begin_store(struct strbuf *out, const struct emitted_numbers *numbers, int elems) {
    begin_access(out, numbers, elems, "KERNEL_STORE", "");
}

void emitted_end_store(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                       const char *value) {
    if (is_masked(numbers, elems)) {
        strbuf_add(out, ", 0x%x, %s);\n", mask_of(numbers, elems), value);
    } else {
        strbuf_add(out, ") = %s;\n", value);
    }
}

void emitted_add_number(struct strbuf *out, const struct emitted_numbers *numbers, double value) {
    emit_constant(out, numbers->real, (struct tcplan_scalar){value, 0});
}

void emitted_add_alternating(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             double even, double odd) {
    strbuf_add(out, "(");
    emitted_add_type(out, numbers, elems);
    strbuf_add(out, "){");
    for (int n = 0; n < emitted_lanes(numbers, elems); n++) {
        strbuf_add(out, n > 0 ? ", " : "");
        emitted_add_number(out, numbers, n % 2 == 0 ? even : odd);
    }
    strbuf_add(out, "}");
}

void emitted_add_term(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times) {
    const int64_t step = elems * numbers->parts;
    if (step == 0) return;
    strbuf_add(out, "%c ", step < 0 ? '-' : '+');
    if (llabs(step) != 1) strbuf_add(out, "%lld * ", llabs(step));
    strbuf_add(out, "%s", times);
}

void emitted_add_step(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times) {
    if (elems != 0) strbuf_add(out, " ");
    emitted_add_term(out, numbers, elems, times);
}

void emitted_add_offset(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                        int more) {
    const int64_t offset = elems * numbers->parts + more;
    if (offset != 0) strbuf_add(out, " %c %lld", offset < 0 ? '-' : '+', llabs(offset));
}

void emitted_add_mix(struct strbuf *out, const struct emitted_numbers *numbers, int lanes,
                     const char *x, const char *y, const int from[]) {
    strbuf_add(out, "KERNEL_MIX_%c%d(%s, %s", numbers->letter, lanes, x, y);
    for (int n = 0; n < lanes; n++) strbuf_add(out, ", %d", from[n]);
    strbuf_add(out, ")");
}

void emitted_add_exchanged(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                           int row, int distance, const char *x, const char *y) {
    const int parts = numbers->parts, lanes = elems * parts;
    int from[32];
    for (int n = 0; n < lanes; n++) {
        const int column = n / parts;
        const int elem = (row & distance) != 0 ? column | distance : column & ~distance;
        from[n] = elem * parts + n % parts + ((column & distance) != 0 ? lanes : 0);
    }
    emitted_add_mix(out, numbers, lanes, x, y, from);
}

void emitted_begin_transpose(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             int vector, const char *at) {
    strbuf_add(out, "    const ");
    emitted_add_type(out, numbers, elems);
    strbuf_add(out, " t0_%d = *(const ", vector);
    emitted_add_type(out, numbers, elems);
    strbuf_add(out, " *)(%s)", at);
}

/** Emits the vectors of one stage of a transposition, in which off-diagonal blocks have been
 * exchanged. */
static void add_stage(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                      int stage, int distance) {
    for (int e = 0; e < elems; e++) {
        char x[32], y[32];
        snprintf(x, sizeof x, "t%d_%d", stage, e & ~distance);
        snprintf(y, sizeof y, "t%d_%d", stage, e | distance);
        strbuf_add(out, "    const ");
        emitted_add_type(out, numbers, elems);
        strbuf_add(out, " t%d_%d = ", stage + 1, e);
        emitted_add_exchanged(out, numbers, elems, e, distance, x, y);
        strbuf_add(out, ";\n");
    }
}

void emitted_add_transpose(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                           const char *to, const char *step) {
    int stage = 0;
    for (int distance = elems / 2; distance >= 1; distance /= 2)
        add_stage(out, numbers, elems, stage++, distance);
    for (int e = 0; e < elems; e++) {
        strbuf_add(out, "    *(");
        emitted_add_type(out, numbers, elems);
        strbuf_add(out, " *)(%s + %s * %d) = t%d_%d;\n", to, step, e, stage, e);
    }
}
