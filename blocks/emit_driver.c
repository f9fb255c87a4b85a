/* Writes the driver of emitted C. It contains the sections and the section numbers of all blocks,
 * from which it computes elements of the result without the tables of the function. */
#include <inttypes.h>
#include <math.h>

#include "ast/scalar.h"
#include "base/decimal.h"
#include "blocks/emit.h"
#include "gen/emit/template_text.h"
#include "gen/emit/text.h"

enum { CHECK_SECONDS = 1, IN_LINE = 16 };

/** Adds a number to a list in the emitted text, with line breaks. For an empty list, adds one
 * number, because C has no empty arrays. */
static void add_int(struct strbuf *out, int64_t place, int64_t count, int64_t number) {
    strbuf_add(out, "%s%" PRId64 ",%s", place % IN_LINE == 0 ? "    " : " ", number,
               place % IN_LINE == IN_LINE - 1 || place + 1 >= count ? "\n" : "");
}

static void set_sections(struct template_values *values, const struct block_writing *writing) {
    const struct tcplan_block_product *product = writing->plan->product;
    const int count = product->contraction->index_count;
    struct strbuf *out = template_value(values, "section_lists");
    for (int i = 0; i < count || i == 0; i++) {
        const struct block_sections *index = &product->index[i];
        strbuf_add(out, "static const int %s_extents_%d[] = {\n", writing->function, i);
        for (int s = 0; s < index->count; s++) add_int(out, s, index->count, index->extent[s]);
        if (index->count == 0) strbuf_add(out, "    1,\n");
        strbuf_add(out, "};\n");
    }
    template_value(values, "section_names");
    for (int i = 0; i < count || i == 0; i++)
        strbuf_add(out, "    %s_extents_%d,\n", writing->function, i);
    strbuf_add(template_value(values, "index_count"), "%d", count > 0 ? count : 1);
}

/** Adds the lists that describe a tensor's blocks. */
static void add_lists(struct strbuf *out, const struct block_writing *writing, int t) {
    const struct tcplan_block_product *product = writing->plan->product;
    const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
    const struct block_list *list = &product->tensor[t];
    const int64_t numbers = list->count * tensor->rank;
    strbuf_add(out, "static const int %s_index_%c[] = {\n", writing->function, "ABC"[t]);
    for (int d = 0; d < tensor->rank; d++) add_int(out, d, tensor->rank, tensor->dims[d]);
    if (tensor->rank == 0) strbuf_add(out, "    0,\n");
    strbuf_add(out, "};\nstatic const int %s_at_%c[] = {\n", writing->function, "ABC"[t]);
    for (int64_t n = 0; n < numbers; n++) add_int(out, n, numbers, list->at[n]);
    if (numbers == 0) strbuf_add(out, "    0,\n");
    strbuf_add(out, "};\n");
    if (!list->stride || numbers == 0) return;
    strbuf_add(out, "static const ptrdiff_t %s_strides_%c[] = {\n", writing->function, "ABC"[t]);
    for (int64_t n = 0; n < numbers; n++) add_int(out, n, numbers, list->stride[n]);
    strbuf_add(out, "};\n");
}

static void set_tensors(struct template_values *values, const struct block_writing *writing) {
    static const char *const elements[] = {"elements_A", "elements_B", "elements_C"};
    static const char *const bytes[] = {"bytes_A", "bytes_B", "bytes_C"};
    static const char *const blocks[] = {"blocks_A", "blocks_B", "blocks_C"};
    static const char *const factors[] = {"factor_A", "factor_B"};
    const struct tcplan_block_product *product = writing->plan->product;
    struct strbuf *out = template_value(values, "tensor_lists");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) add_lists(out, writing, t);
    template_value(values, "tensors");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t numbers = product->tensor[t].count * product->contraction->tensor[t].rank;
        const bool strided = product->tensor[t].stride && numbers > 0;
        strbuf_add(out, "    {%d, %" PRId64 ", %s_index_%c, %s_at_%c, ",
                   product->contraction->tensor[t].rank, product->tensor[t].count,
                   writing->function, "ABC"[t], writing -> function, "ABC"[t]);
        if (strided) strbuf_add(out, "%s_strides_%c", writing->function, "ABC"[t]);
        strbuf_add(out, "%s, %s_offset_%c},\n", strided ? "" : "NULL", writing->function, "ABC"[t]);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t count = block_buffer_elements(product, (enum tcplan_operand)t, NULL);
        strbuf_add(template_value(values, elements[t]), "%" PRId64, count);
        strbuf_add(template_value(values, bytes[t]), "%" PRId64,
                   (count > 0 ? count : 1) * (int64_t)tcplan_dtype_bytes(product->dtype));
        strbuf_add(template_value(values, blocks[t]), "%" PRId64, product->tensor[t].count);
        if (t == TCPLAN_C) break;
        strbuf_add(template_value(values, factors[t]),
                   scalar_conjugates(product->contraction->tensor[t].conjugated, product->dtype)
                       ? "conj(*%c)"
                       : "*%c",
                   "AB"[t]);
    }
}

/** Sets the values of the template's code that checks results. */
static void set_check(struct template_values *values, const struct block_writing *writing) {
    const struct tcplan_block_product *product = writing->plan->product;
    const bool is_complex = tcplan_dtype_is_complex(product->dtype);
    const bool is_single = product->dtype == TCPLAN_FLOAT || product->dtype == TCPLAN_FLOAT_COMPLEX;
    const enum tcplan_dtype wide = is_complex ? TCPLAN_DOUBLE_COMPLEX : TCPLAN_DOUBLE;
    const int64_t results = product->tensor[TCPLAN_C].count;
    double longest = 1;
    for (int i = 0; i < product->contraction->index_count; i++)
        if (!(product->contraction->tensor[TCPLAN_C].indices >> i & 1U))
            longest *= (double)product->index[i].total;
    struct strbuf *out = template_value(values, "wide");
    strbuf_add(out, "%s", emit_type(wide));
    strbuf_add(template_value(values, "magnitude"), is_complex ? "cabs" : "fabs");
    emit_constant(template_value(values, "alpha"), wide, writing->alpha);
    decimal_print(template_value(values, "alpha_size"),
                  hypot(writing->alpha.re, writing->alpha.im));
    template_value(values, "beta_before");
    if (scalar_is(writing->beta, 0)) {
        strbuf_add(out, "0.0 * (before ? 1 : 0)");
    } else {
        emit_constant(out, wide, writing->beta);
        strbuf_add(out, " * before[place]");
    }
    strbuf_add(template_value(values, "check_seconds"), "%d", CHECK_SECONDS);
    /* a step without a common divisor with the number of blocks visits every block */
    int64_t step = results / 3 + 1;
    for (int64_t a = step, b = results; results > 1;) {
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) break;
        a = ++step;
        b = results;
    }
    strbuf_add(template_value(values, "check_step"), "%" PRId64, step);
    strbuf_add(template_value(values, "allowed"), "%.3g",
               ldexp((16 + longest) * (is_complex ? 4 : 1), is_single ? -23 : -52));
}

/** Sets the values of the template's code that times the function. */
static void set_timing(struct template_values *values, const struct block_writing *writing) {
    const struct tcplan_block_product *product = writing->plan->product;
    struct strbuf *out = template_value(values, "refill");
    if (hypot(writing->beta.re, writing->beta.im) > 1)
        strbuf_add(out, "    memset(C, 0, sizeof *C); /* beta makes C grow from call to call */\n");
    template_value(values, "flops");
    decimal_print(out, product->pairs->flops);
    strbuf_add(template_value(values, "set_threads"),
               "    if (openblas_set_num_threads) openblas_set_num_threads(%d);\n",
               writing->plan->threads);
}

/** Sets all values that the templates of a product's driver need. */
static void set_values(struct template_values *values, const struct block_writing *writing) {
    const enum tcplan_dtype dtype = writing->plan->product->dtype;
    const bool row_major = writing->plan->product->contraction->order == TCPLAN_ROW_MAJOR;
    strbuf_add(template_value(values, "function"), "%s", writing->function);
    strbuf_add(template_value(values, "element"), "%s", emit_type(dtype));
    strbuf_add(template_value(values, "dense_dimension"), row_major ? "tensor->rank - 1 - n" : "n");
    strbuf_add(template_value(values, "parameters"),
               "const %s *const A[], const %s *const B[], %s *const C[]", emit_type(dtype),
               emit_type(dtype), emit_type(dtype));
    strbuf_add(template_value(values, "arguments"), "A, B, C");
    set_sections(values, writing);
    set_tensors(values, writing);
    set_check(values, writing);
    set_timing(values, writing);
}

void block_write_check(struct strbuf *out, const struct block_writing *writing) {
    struct template_values values = {0};
    set_values(&values, writing);
    template_add(out, &values, block_check_text);
    template_free(&values);
}

void block_write_values(struct strbuf *out, const struct template_values *values,
                        enum tcplan_dtype dtype) {
    template_add_before(out, values, block_values_text, "fill;");
    template_add(out, values,
                 tcplan_dtype_is_complex(dtype) ? driver_fill_complex_text : driver_fill_real_text);
    template_add_behind(out, values, block_values_text, "fill;");
}

void block_write_driver(struct strbuf *out, const struct block_writing *writing) {
    struct template_values values = {0};
    set_values(&values, writing);
    block_write_values(out, &values, writing->plan->product->dtype);
    strbuf_add(out, "\n");
    template_add(out, &values, block_check_text);
    strbuf_add(out, "\n");
    template_add(out, &values, block_time_text);
    strbuf_add(out, "\n");
    template_add(out, &values, block_driver_text);
    template_free(&values);
}
