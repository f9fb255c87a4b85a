#include "cli/render/algorithms/row.h"

#include <stdio.h>
#include <stdlib.h>

/** Adds a copy. A result that is copied in and out at one place counts once. */
static void add_copy(struct row *row, enum tcplan_operand operand, const char *inside) {
    const char *name = row->contraction->tensor[operand].name;
    for (int c = 0; c < row->copy_count; c++) {
        if (row->copy[c].operand == name) return;
    }
    const struct tcplan_operand_copy copy = row->nest->algorithm.copy[operand];
    row->copy[row->copy_count++] = (struct row_copy){.operand = name,
                                                     .inside = inside,
                                                     .transposed = copy.transposed,
                                                     .streamed = copy.streamed};
}

static void find_copies(struct row *row, const struct tcplan_node *node, const char *inside) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY) add_copy(row, node->copy.to.operand, inside);
        if (node->kind == TCPLAN_NODE_LOOP)
            find_copies(row, node->loop.body, tcplan_nest_index_name(row->nest, node->loop.index));
    }
}

bool row_make(struct row *out, const struct tcplan_algorithm *algorithm,
              const struct tcplan_contraction *contraction, enum tcplan_dtype dtype) {
    *out = (struct row){.contraction = contraction,
                        .dtype = dtype,
                        .loop_count = algorithm->loop_count,
                        .model_seconds = -1};
    out->name = tcplan_algorithm_name(algorithm, contraction, dtype);
    if (!out->name) return false;
    if (tcplan_nest_build(&out->nest, contraction, algorithm, NULL) != TCPLAN_OK) {
        row_free(out);
        return false;
    }
    snprintf(out->kernel, sizeof out->kernel, "%c%s", tcplan_dtype_letter(dtype),
             tcplan_kernel_name(algorithm->kernel, dtype));
    out->provider = tcplan_algorithm_provider_name(algorithm);
    for (int l = 0; l < out->loop_count; l++)
        out->loop[l] = tcplan_nest_index_name(out->nest, algorithm->loop[l]);
    find_copies(out, out->nest->body, NULL);
    return true;
}

void row_free(struct row *row) {
    tcplan_nest_free(row->nest);
    free(row->name);
    row->nest = NULL;
    row->name = NULL;
}

struct field_value row_copies(const struct row *row) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s", "");
    for (int c = 0; c < row->copy_count; c++)
        strbuf_add(&text, "%s%s@%s", c > 0 ? " " : "", row->copy[c].operand,
                   row->copy[c].inside ? row->copy[c].inside : "");
    struct field_value value = field_owned(strbuf_finish(&text));
    value.known = true;
    return value;
}

/* clang-format off */

#define COPY(F, T) \
    F(T, operand, TEXT, field_text(r->operand), "copied tensor", ALWAYS) \
    F(T, inside, TEXT, field_text(r->inside), "loop that carries the copy; absent: outside all loops") \
    F(T, transposed, FLAG, field_if(r->transposed, field_flag(true)), "whether the copy is transposed") \
    F(T, streamed, FLAG, field_if(r->streamed, field_flag(true)), "whether non-temporal stores write it")

/* clang-format on */

FIELD_TABLE_SHARED(row_copy, row_copy, COPY);
