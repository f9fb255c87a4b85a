/* Emits the way `packed`: tables of the copies of blocks. The pairs and sectors are those of the
 * inner plan. */
#include <inttypes.h>

#include "ast/scalar.h"
#include "blocks/emit.h"
#include "gen/emit/text.h"

/** Adds the dimensions of a copy to their table, and its row to the table of shapes. */
static void add_shape(struct strbuf *shapes, struct strbuf *dimensions, const struct strided *copy,
                      int *first) {
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(copy->dtype);
    strbuf_add(shapes, "    {%d, %d},\n", copy->rank, *first);
    strbuf_add(dimensions, "   ");
    for (int d = 0; d < copy->rank; d++)
        strbuf_add(dimensions, " {%" PRId64 ", %td, %td},", copy->extent[d],
                   copy->to_bytes[d] / bytes, copy->from_bytes[d] / bytes);
    strbuf_add(dimensions, "\n");
    *first += copy->rank;
}

/** Adds the tables of shapes. `first_shape` receives the number of each tensor's first shape. */
static void write_shapes(struct block_writing *writing, int first_shape[TCPLAN_OPERANDS]) {
    const struct packed_plan *packed = &writing->plan->packed;
    struct strbuf shapes = {0}, dimensions = {0};
    int count = 0, first = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *tensor = &packed->tensor[t];
        first_shape[t] = count;
        for (int s = 0; s < tensor->copy_count; s++, count++)
            add_shape(&shapes, &dimensions, &tensor->copy[s], &first);
    }
    struct strbuf *out = template_value(&writing->values, "packed_shapes");
    strbuf_add(out, "%s", shapes.text ? shapes.text : "");
    template_value(&writing->values, "packed_dimensions");
    strbuf_add(out, "%s", dimensions.text ? dimensions.text : "");
    out->failed = out->failed || shapes.failed || dimensions.failed;
    strbuf_free(&shapes);
    strbuf_free(&dimensions);
}

void block_write_packed(struct block_writing *writing) {
    static const char *const counts[] = {"packed_A", "packed_B", "packed_C"};
    const struct packed_plan *packed = &writing->plan->packed;
    const enum tcplan_dtype dtype = writing->plan->product->dtype;
    int first_shape[TCPLAN_OPERANDS];
    int64_t place = 0;
    struct strbuf workspace = {0};
    write_shapes(writing, first_shape);
    struct strbuf *out = template_value(&writing->values, "packed");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *tensor = &packed->tensor[t];
        for (int64_t n = 0; n < tensor->count; n++)
            strbuf_add(out, "    {%d, %d, %" PRId64 "},\n", (int)tensor->block[n].block,
                       tensor->in_place ? -1 : first_shape[t] + (int)tensor->block[n].shape,
                       place + tensor->block[n].offset);
        place += tensor->elements;
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        strbuf_add(template_value(&writing->values, counts[t]), "%" PRId64,
                   packed->tensor[t].count);
    strbuf_add(&workspace, "workspace + %" PRId64, packed->workspace_elements);
    block_add_run(template_value(&writing->values, "run_copies"), writing, "a, b, c",
                  workspace.text ? workspace.text : "");
    out->failed = out->failed || workspace.failed;
    strbuf_free(&workspace);
    writing->workspace_elements += packed->workspace_elements;
    template_value(&writing->values, "copying_back");
    if (scalar_is(writing->beta, 0)) {
        strbuf_add(out, "0, 0");
    } else {
        strbuf_add(out, "COPY_%c_ACCUMULATE, ", tcplan_dtype_letter(dtype) - 'a' + 'A');
        emit_constant(out, dtype, writing->beta);
    }
}
