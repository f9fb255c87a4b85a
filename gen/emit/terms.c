#include "gen/emit/terms.h"

#include <inttypes.h>

#include "ast/scalar.h"
#include "gen/emit/parts.h"
#include "gen/emit/runtime.h"
#include "gen/emit/runtime_text.h"
#include "gen/emit/text.h"
#include "gen/emitted/emitted.h"

/** Appends the definitions that gen/runtime/terms.h expects of a type. */
static void add_type(struct strbuf *out, enum tcplan_dtype dtype) {
    const bool is_single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    struct strbuf text = {0};
    strbuf_add(&text,
               "typedef %s terms_number;\ntypedef kernel_%s terms_vector;\n"
               "enum { TERMS_PARTS = %d };\n"
               "#define TERMS_STREAM(to, x) KERNEL_PAST_%s(to, x)\n"
               "#define TERMS_SWAP(x) KERNEL_SWAP_%s(x)\n"
               "#define TERMS_PAIR(a, b) ((terms_vector){a, b, a, b%s})\n",
               is_single ? "float" : "double", is_single ? "s8" : "d4",
               tcplan_dtype_is_complex(dtype) ? 2 : 1, is_single ? "s8" : "d4",
               is_single ? "s8" : "d4", is_single ? ", a, b, a, b" : "");
    out->failed = out->failed || text.failed;
    if (text.text) emit_runtime_of(out, dtype, "terms_", text.text);
    strbuf_free(&text);
}

static void add_functions(struct strbuf *out, enum tcplan_dtype dtype) {
    struct strbuf text = {0};
    emit_runtime_of(&text, dtype, "terms_",
                    "#ifndef TERMS_KERNELS /* emitted files may be concatenated */\n"
                    "#define TERMS_KERNELS\n\n");
    add_type(&text, dtype);
    emit_runtime_of(&text, dtype, "terms_", terms_text);
    strbuf_add(&text, "\n#endif\n\n");
    emitted_add_common(out);
    emitted_add_kernels(out, &text);
}

static void add_numbers(struct strbuf *out, const char *member, const int64_t number[], int count,
                        int parts) {
    strbuf_add(out, ".%s = {", member);
    for (int d = 0; d < count; d++)
        strbuf_add(out, "%s%" PRId64, d > 0 ? ", " : "", number[d] * parts);
    strbuf_add(out, "}");
}

static void add_sum(struct strbuf *out, const struct terms_shape *shape) {
    const int parts = tcplan_dtype_is_complex(shape->dtype) ? 2 : 1;
    strbuf_add(out,
               "    const struct terms_%c_sum sum = {\n        .rank = %d, .count = %d, "
               ".streamed = %d,\n        ",
               tcplan_dtype_letter(shape->dtype), shape->rank, shape->count, shape->streamed);
    add_numbers(out, "extent", shape->extent, shape->rank, 1);
    strbuf_add(out, ",\n        ");
    add_numbers(out, "step", shape->step, shape->rank, parts);
    strbuf_add(out, ",\n        .term = {\n");
    for (int t = 0; t < shape->count; t++) {
        const char *cast = parts == 2 ? shape->dtype == TCPLAN_FLOAT_COMPLEX
                                            ? "(const float *)(const void *)"
                                            : "(const double *)(const void *)"
                                      : "";
        strbuf_add(
            out, "            {.from = %sfrom%d, .factor = {%.17g, %.17g}, .conjugated = %d, ",
            cast, t, shape->term[t].factor.re, shape->term[t].factor.im, shape->term[t].conjugated);
        add_numbers(out, "step", shape->term[t].step, shape->rank, parts);
        strbuf_add(out, "},\n");
    }
    strbuf_add(out, "        },\n    };\n");
}

/** Appends the function in which each of `threads` threads computes a part of the planes. */
static void add_team(struct strbuf *out, const char *name, char letter, int threads) {
    emit_team_functions(out);
    strbuf_add(out,
               "struct %s_shared {\n    const struct terms_%c_sum *sum;\n    void *to;\n};\n\n"
               "static void %s_team(struct team_member *member, void *context) {\n"
               "    const struct %s_shared *shared = context;\n"
               "    const ptrdiff_t planes = terms_%c_planes(shared->sum);\n"
               "    for (ptrdiff_t p = -1; (p = team_next(member, %d, p)) >= 0;)\n"
               "        terms_%c_compute(shared->sum, shared->to, planes * p / %d, "
               "planes * (p + 1) / %d);\n}\n\n",
               name, letter, name, name, letter, threads, letter, threads, threads);
}

void emit_terms(struct strbuf *out, const char *name, const struct terms_shape *shape,
                int threads) {
    const char *type = emit_type(shape->dtype);
    const char letter = tcplan_dtype_letter(shape->dtype);
    add_functions(out, shape->dtype);
    if (threads > 1) add_team(out, name, letter, threads);
    strbuf_add(out, "static int %s(", name);
    for (int t = 0; t < shape->count; t++) strbuf_add(out, "const %s *from%d, ", type, t);
    strbuf_add(out, "%s *to) {\n", type);
    add_sum(out, shape);
    if (threads > 1) {
        strbuf_add(
            out, "    struct %s_shared shared = {&sum, to};\n    team_run(%d, %s_team, &shared);\n",
            name, threads, name);
    } else {
        strbuf_add(out, "    terms_%c_compute(&sum, (void *)to, 0, terms_%c_planes(&sum));\n",
                   letter, letter);
    }
    strbuf_add(out, "    return 0;\n}\n\n");
}
