#include "gen/emitted/numbers.h"

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

void emitted_add_type(struct strbuf *out, const struct emitted_numbers *numbers, int elems) {
    strbuf_add(out, "kernel_%c%d", numbers->letter, elems * numbers->parts);
}

void emitted_add_number(struct strbuf *out, const struct emitted_numbers *numbers, double value) {
    emit_constant(out, numbers->real, (struct tcplan_scalar){value, 0});
}

void emitted_add_alternating(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             double even, double odd) {
    strbuf_add(out, "(");
    emitted_add_type(out, numbers, elems);
    strbuf_add(out, "){");
    for (int n = 0; n < elems * numbers->parts; n++) {
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
