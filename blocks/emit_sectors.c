/* Writes the fused sectors in emitted C: a table of the copies of blocks between the caller's
 * memory and packed matrices, and a table of sectors with the product of their matrices. */
#include <inttypes.h>

#include "api/plan.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "blocks/emit.h"
#include "gen/emit/text.h"

struct progress_of_tables;

/** Callback that receives each fused sector of the plan. */
typedef void sector_fn(struct block_writing *writing, const struct fused_part *part,
                       struct progress_of_tables *progress);

/** Next free numbers in the tables of copies, of their shapes, and of dimensions. */
struct progress_of_tables {
    int64_t copies, shapes, dimensions;
    sector_fn *use;
    int share; /**< share of the current sector */
    enum tcplan_status status;
    struct tcplan_error *error;
};

static bool use_sector(struct block_writing *writing, const struct block_task *task, int share,
                       void *context) {
    struct progress_of_tables *progress = context;
    progress->share = share;
    if (task->way == PART_FUSED)
        progress->use(writing, &writing->tables->fused[task->number], progress);
    return true;
}

static void each_sector(struct block_writing *writing, sector_fn *use,
                        struct progress_of_tables *progress) {
    progress->use = use;
    block_each_task(writing, use_sector, progress);
}

static void add_copies(struct block_writing *writing, const struct fused_part *part,
                       struct progress_of_tables *progress) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *packed = &part->tensor[t];
        for (int64_t n = 0; n < (packed->in_place ? 1 : packed->count); n++)
            strbuf_add(&writing->values.text, "    {%d, %" PRId64 ", %" PRId64 "},\n",
                       (int)packed->block[n].block, progress->shapes + packed->block[n].shape,
                       packed->block[n].offset);
        progress->shapes += packed->in_place ? 1 : packed->copy_count;
    }
}

static void add_dimensions(struct block_writing *writing, const struct fused_part *part,
                           struct progress_of_tables *progress) {
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(writing->tables->product->dtype);
    (void)progress;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *packed = &part->tensor[t];
        for (int c = 0; c < packed->copy_count && !packed->in_place; c++) {
            const struct strided *copy = &packed->copy[c];
            strbuf_add(&writing->values.text, "   ");
            for (int d = 0; d < copy->rank; d++)
                strbuf_add(&writing->values.text, " {%" PRId64 ", %td, %td},", copy->extent[d],
                           copy->to_bytes[d] / bytes, copy->from_bytes[d] / bytes);
            strbuf_add(&writing->values.text, "\n");
        }
        if (packed->in_place) strbuf_add(&writing->values.text, "    {1, 1, 1}, /* in place */\n");
    }
}

static void add_copied(struct block_writing *writing, const struct fused_part *part,
                       struct progress_of_tables *progress) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *packed = &part->tensor[t];
        for (int c = 0; c < (packed->in_place ? 1 : packed->copy_count); c++) {
            const int rank = packed->in_place ? 1 : packed->copy[c].rank;
            strbuf_add(&writing->values.text, "    {%d, %" PRId64 "},\n", rank,
                       progress->dimensions);
            progress->dimensions += rank;
        }
    }
}

/** Enlarges the workspace: that of all threads together, or those of single threads. */
static void provide(struct block_writing *writing, int64_t elements, int share) {
    if (share > 0) {
        if (elements > writing->thread_elements) writing->thread_elements = elements;
        elements = writing->thread_elements * writing->threads;
    }
    if (elements > writing->workspace_elements) writing->workspace_elements = elements;
}

/** Adds the row of a sector to the table, and emits its product as a function. */
static void add_sector(struct block_writing *writing, const struct fused_part *part,
                       struct progress_of_tables *progress) {
    struct strbuf name = {0};
    const int threads = part->threads > 1 ? writing->threads : 1;
    if (progress->status == TCPLAN_OK)
        progress->status =
            block_write_product(writing, &name, part->plan->product,
                                &plan_chosen(part->plan)->algorithm, threads, progress->error);
    strbuf_add(&writing->values.text, "    {%s,\n     {", name.text ? name.text : "");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct packed_tensor *packed = &part->tensor[t];
        const int64_t count = packed->in_place ? 1 : packed->count;
        strbuf_add(&writing->values.text, "%s{%" PRId64 ", %" PRId64 ", %" PRId64 ", %d, %d",
                   t > 0 ? ", " : "", packed->elements, progress->copies, count, packed->in_place,
                   packed->is_full);
        strbuf_add(&writing->values.text, writing->threads > 1 ? ", %d}" : "}", threads);
        progress->copies += count;
    }
    strbuf_add(&writing->values.text, "}},\n");
    strbuf_free(&name);
    writing->sector_count++;
    writing->share[progress->share].sectors++;
    provide(writing, part->workspace_elements, progress->share);
}

enum tcplan_status block_write_sectors(struct block_writing *writing, struct tcplan_error *error) {
    const enum tcplan_dtype dtype = writing->tables->product->dtype;
    struct progress_of_tables progress = {.error = error};
    struct template_values *values = &writing->values;
    template_value(values, "copies");
    each_sector(writing, add_copies, &progress);
    template_value(values, "dimensions");
    each_sector(writing, add_dimensions, &progress);
    template_value(values, "copied");
    each_sector(writing, add_copied, &progress);
    template_value(values, "sectors");
    each_sector(writing, add_sector, &progress);
    strbuf_add(template_value(values, "copy"), "copy_%c", tcplan_dtype_letter(dtype));
    struct strbuf *out = template_value(values, "unpacking");
    if (scalar_is(writing->tables_beta, 0)) {
        strbuf_add(out, "0, 0");
    } else {
        strbuf_add(out, "COPY_%c_ACCUMULATE, ", tcplan_dtype_letter(dtype) - 'a' + 'A');
        emit_constant(out, dtype, writing->tables_beta);
    }
    return progress.status;
}
