/* Writes the pairs of blocks in emitted C: a table of the shapes of pairs, and a table of runs of
 * consecutive pairs of one shape. The functions of the dense emitter compute a shape; or a gemm
 * does, whose arguments are in the table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/plan.h"
#include "api/product.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "blocks/emit.h"
#include "gen/emit/text.h"
#include "gen/providers/provider.h"
#include "gen/providers/provider_code.h"

/* Maximum number of shapes with functions of their own. Further shapes use a gemm of the BLAS with
 * arguments from the table, if possible. */
enum { MOST_OWN_SHAPES = 256 };

/** Consecutive pairs of a class that add to the same block of the result. */
struct written_run {
    int class;
    int32_t result;
    int64_t first, count; /* number of the first pair, and number of pairs */
    int share;
    bool later, sums;
    bool is_wide; /* whether all threads together multiply each pair */
};

/** Callback that receives the runs in the order of execution; returns false if memory runs out. */
typedef bool run_fn(struct block_writing *writing, const struct written_run *run);

struct use_of_runs {
    run_fn *run;
};

static bool can_sum(const struct block_writing *writing, int class) {
    return writing->tables->classes[class]->has_sums && scalar_is(writing->alpha, 1);
}

/** Calls a function of runs for those of a block of the result. */
static bool each_run_of(struct block_writing *writing, const struct block_task *task, int share,
                        void *context) {
    const struct block_pairs *pairs = writing->tables->product->pairs;
    const struct use_of_runs *use = context;
    if (task->way == PART_FUSED) return true;
    const int64_t begin = pairs->first[task->number], end = pairs->first[task->number + 1];
    const bool is_wide = writing->is_together && share == 0;
    for (int64_t p = begin, next; p < end; p = next) {
        struct written_run run = {
            .class = pairs->pair[p].class, .result = task->number, .first = p, .share = share};
        for (next = p; next < end && pairs->pair[next].class == run.class; next++) {
        }
        run.sums = task->way == PART_SUMS && !is_wide && can_sum(writing, run.class);
        run.is_wide = is_wide && writing->tables->classes[run.class]->wide;
        if (run.sums && next - p > EMIT_SUM_PAIRS) next = p + EMIT_SUM_PAIRS;
        run.count = next - p;
        run.later = p > begin;
        if (!use->run(writing, &run)) return false;
    }
    return true;
}

static bool each_run(struct block_writing *writing, run_fn *run) {
    struct use_of_runs use = {run};
    return block_each_task(writing, each_run_of, &use);
}

/** Returns whether the block is multiplied by beta before the first sum is added: code of sums
 * supports only beta 0 and 1. */
static bool scales_first(const struct block_writing *writing, const struct written_run *run) {
    return run->sums && !run->later && !scalar_is(writing->tables_beta, 0) &&
           !scalar_is(writing->tables_beta, 1);
}

/* Shapes. */

static bool number_shape(struct block_writing *writing, const struct written_run *run) {
    int *number = &writing->shape_of[2 * run->class + run->is_wide];
    if (*number < 0) *number = writing->shape_count++;
    writing->has_sums = writing->has_sums || run->sums;
    writing->run_count++;
    writing->share[run->share].runs++;
    writing->share[run->share].pairs += run->count;
    return true;
}

/** Returns whether the table of shapes can hold the gemm of a class. CBLAS can conjugate only
 * matrices that it transposes. */
static bool is_table_gemm(const struct pair_class *class) {
    if (!class->has_gemm) return false;
    const struct blas_call *call = &class->gemm->call;
    return !(call->conjugated[0] && !call->transposed[0]) &&
           !(call->conjugated[1] && !call->transposed[1]) && call->ld[0] > 0 && call->ld[1] > 0;
}

/** Appends the name of the function that computes the pairs of a class: for the first pair of a
 * block, or for later pairs. Appends `NULL` if the class uses a gemm of the table. `is_wide`: all
 * threads compute the function. */
static enum tcplan_status add_function(struct block_writing *writing, struct strbuf *name,
                                       int number, bool is_wide, struct tcplan_scalar beta,
                                       struct tcplan_error *error) {
    const struct tcplan_block_plan *plan = writing->tables;
    const struct pair_class *class = plan->classes[number];
    const struct tcplan_plan *dense = is_wide ? class->wide : class->plan;
    const int threads = is_wide ? writing->threads : 1;
    struct tcplan_algorithm algorithm = plan_chosen(dense)->algorithm;
    struct tcplan_product *product = NULL;
    if (class->is_gemm && !is_wide) {
        struct blas_call call = class->gemm->call;
        call.alpha = writing->alpha;
        call.beta = beta;
        algorithm = class->gemm->algorithm;
        algorithm.provider = blas_call_provider_has(&call, plan->product->dtype, class->provider)
                                 ? class->provider
                                 : TCPLAN_PROVIDER_BLAS;
        if (is_table_gemm(class) && (algorithm.provider == TCPLAN_PROVIDER_BLAS ||
                                     writing->product_count >= 2 * MOST_OWN_SHAPES)) {
            strbuf_add(name, "NULL");
            return TCPLAN_OK;
        }
    }
    enum tcplan_status status = pairwise_product(&product, plan, number, beta, error);
    if (status != TCPLAN_OK) return status;
    product->problem.heuristics = dense->product->problem.heuristics;
    status = block_write_product(writing, name, product, &algorithm, threads, error);
    tcplan_product_free(product);
    if (status != TCPLAN_NOT_APPLICABLE || is_wide || !is_table_gemm(class)) return status;
    strbuf_add(name, "NULL");
    return TCPLAN_OK;
}

/** Appends the arguments of a gemm to a row of the table. */
static void add_gemm(struct strbuf *out, const struct blas_call *call) {
    strbuf_add(out, ", %d, %d, %d, {%d, %d, %d}, {", call->m, call->n, call->k, call->ld[0],
               call->ld[1], call->ld[2]);
    for (int f = 0; f < 2; f++)
        strbuf_add(out, "%s%s", f > 0 ? ", " : "",
                   call->conjugated[f]   ? "CblasConjTrans"
                   : call->transposed[f] ? "CblasTrans"
                                         : "CblasNoTrans");
    strbuf_add(out, "}, %d", call->first == TCPLAN_B);
}

/** Appends the table of shapes, in the order of their numbers. `class_of` has the place of each in
 * `writing->shape_of`. */
static enum tcplan_status add_shapes(struct block_writing *writing, struct strbuf *out,
                                     const int class_of[], struct tcplan_error *error) {
    const struct tcplan_scalar one = {1, 0};
    enum tcplan_status status = TCPLAN_OK;
    struct strbuf *name = base_alloc_zero(2 * (size_t)writing->shape_count, sizeof *name);
    if (!name) return error_no_memory(error);
    for (int n = 0; n < 2 * writing->shape_count && status == TCPLAN_OK; n++) {
        const bool later = n % 2 == 1;
        if (later && scalar_is(writing->tables_beta, 1))
            strbuf_add(&name[n], "%s", name[n - 1].text);
        else
            status = add_function(writing, &name[n], class_of[n / 2] / 2, class_of[n / 2] % 2 == 1,
                                  later ? one : writing->tables_beta, error);
        if (status == TCPLAN_OK && name[n].text && strcmp(name[n].text, "NULL") == 0)
            writing->has_gemms = true;
    }
    for (int n = 0; n < writing->shape_count && status == TCPLAN_OK; n++) {
        const struct pair_class *class = writing->tables->classes[class_of[n] / 2];
        strbuf_add(out, "    {{%s, %s}", name[2 * n].text, name[2 * n + 1].text);
        if (class->has_gemm && (writing->has_gemms || writing->has_sums))
            add_gemm(out, &class->gemm->call);
        else if (writing->has_gemms || writing->has_sums)
            strbuf_add(out, ", 0, 0, 0, {0, 0, 0}, {0, 0}, 0");
        strbuf_add(out, "},\n");
    }
    for (int n = 0; n < 2 * writing->shape_count; n++) strbuf_free(&name[n]);
    base_free(name);
    return status;
}

/** Sets the template's value for the table of shapes, with the functions for their products. */
static enum tcplan_status write_shapes(struct block_writing *writing, struct tcplan_error *error) {
    const int classes = writing->tables->product->pairs->class_count;
    int *class_of = base_alloc((size_t)writing->shape_count * sizeof *class_of);
    struct strbuf shapes = {0};
    if (!class_of) return error_no_memory(error);
    for (int c = 0; c < 2 * classes; c++)
        if (writing->shape_of[c] >= 0) class_of[writing->shape_of[c]] = c;
    const enum tcplan_status status = add_shapes(writing, &shapes, class_of, error);
    struct strbuf *out = template_value(&writing->values, "shapes");
    if (shapes.text) strbuf_append(out, shapes.text, shapes.length);
    out->failed = out->failed || shapes.failed;
    strbuf_free(&shapes);
    base_free(class_of);
    return status;
}

/* The other tables. */

static bool add_run(struct block_writing *writing, const struct written_run *run) {
    strbuf_add(&writing->values.text, "    {%d, %d, %" PRId64 ", %d, %d},\n",
               writing->shape_of[2 * run->class + run->is_wide], (int)run->result, run->count,
               run->later || scales_first(writing, run), run->sums);
    return true;
}

/** Adds the pairs of a run to the table, several on each line. */
static bool add_pairs(struct block_writing *writing, const struct written_run *run) {
    enum { IN_LINE = 8 };
    const struct block_pair *pair = &writing->tables->product->pairs->pair[run->first];
    for (int64_t n = 0; n < run->count; n++)
        strbuf_add(&writing->values.text, "%s{%d, %d},%s", n % IN_LINE == 0 ? "    " : " ",
                   (int)pair[n].a, (int)pair[n].b,
                   n % IN_LINE == IN_LINE - 1 || n + 1 == run->count ? "\n" : "");
    return true;
}

/** Adds a block to the table of blocks that must be scaled, with the dimensions of its elements. */
static void add_scaled(struct block_writing *writing, int64_t c) {
    const struct tcplan_block_product *product = writing->plan->product;
    const int rank = product->contraction->tensor[TCPLAN_C].rank;
    const ptrdiff_t bytes = (ptrdiff_t)tcplan_dtype_bytes(product->dtype);
    int64_t extent[TCPLAN_MAX_RANK], stride[TCPLAN_MAX_RANK];
    tcplan_block_product_shape(product, TCPLAN_C, c, extent, stride);
    const struct strided block = block_copy(rank, extent, stride, stride, product->dtype);
    strbuf_add(&writing->values.text, "    {%" PRId64 ", %d, {", c, block.rank);
    for (int d = 0; d < block.rank; d++)
        strbuf_add(&writing->values.text, "%s{%" PRId64 ", %td}", d > 0 ? ", " : "",
                   block.extent[d], block.to_bytes[d] / bytes);
    strbuf_add(&writing->values.text, "}},\n");
    writing->scaled_count++;
}

static bool add_scaled_first(struct block_writing *writing, const struct written_run *run) {
    const struct packed_block *used = writing->plan->packed.tensor[TCPLAN_C].block;
    if (scales_first(writing, run))
        add_scaled(writing,
                   writing->tables == writing->plan ? run->result : used[run->result].block);
    return true;
}

static void write_scaled(struct block_writing *writing) {
    const struct block_pairs *pairs = writing->plan->product->pairs;
    template_value(&writing->values, "scaled");
    each_run(writing, add_scaled_first);
    if (scalar_is(writing->beta, 1)) return;
    for (int64_t c = 0; c < writing->plan->product->tensor[TCPLAN_C].count; c++)
        if (pairs->first[c + 1] == pairs->first[c]) add_scaled(writing, c);
}

/** Adds the code that calls a gemm of the table, for shapes without functions. */
static void write_gemm(struct block_writing *writing) {
    const enum tcplan_dtype dtype = writing->tables->product->dtype;
    const bool is_complex = tcplan_dtype_is_complex(dtype);
    struct strbuf *out = template_value(&writing->values, "gemm");
    if (!writing->has_gemms) return;
    strbuf_add(out, "    static const %s alpha = ", emit_type(dtype));
    emit_constant(out, dtype, writing->alpha);
    strbuf_add(out, ", beta[2] = {");
    emit_constant(out, dtype, writing->tables_beta);
    strbuf_add(out,
               ", 1};\n"
               "    if (!shape->product[later]) {\n"
               "        cblas_%cgemm(CblasColMajor, (enum CBLAS_TRANSPOSE)shape->transposed[0],\n"
               "                    (enum CBLAS_TRANSPOSE)shape->transposed[1], shape->m, "
               "shape->n, shape->k,\n"
               "                    %salpha, shape->exchanged ? b : a, shape->lead[0],\n"
               "                    shape->exchanged ? a : b, shape->lead[1], %sbeta[later], c,\n"
               "                    shape->lead[2]);\n"
               "        return 0;\n    }\n",
               tcplan_dtype_letter(dtype), is_complex ? "&" : "", is_complex ? "&" : "");
}

/** Adds the code that computes sums by libxsmm. */
static void write_sums(struct block_writing *writing) {
    struct template_values *values = &writing->values;
    const bool reads = !scalar_is(writing->tables_beta, 0);
    strbuf_add(template_value(values, "letter"), "%c",
               tcplan_dtype_letter(writing->tables->product->dtype));
    strbuf_add(template_value(values, "shape_count"), "%d", writing->shape_count);
    strbuf_add(template_value(values, "most_pairs"), "%d", EMIT_SUM_PAIRS);
    struct strbuf *out = template_value(values, "try_sum");
    if (writing->has_sums)
        strbuf_add(out,
                   "        if (%s_runs[r].sums && %s_sum(shape, %s, pair, count, A, B, c)) "
                   "{\n            pair += count;\n            continue;\n        }\n",
                   writing->function, writing->function, reads ? "1" : "later");
    strbuf_add(template_value(values, "shape_members"),
               writing->has_gemms || writing->has_sums
                   ? "    int m, n, k, lead[3], transposed[2], exchanged;\n"
                   : "");
    strbuf_add(template_value(values, "about_gemms"),
               writing->has_gemms ? " NULL: a gemm of the BLAS." : "");
}

enum tcplan_status block_write_pairs(struct block_writing *writing, struct tcplan_error *error) {
    const int classes = writing->tables->product->pairs->class_count;
    enum tcplan_status status = TCPLAN_OK;
    writing->shape_of = base_alloc((2 * (size_t)classes + 1) * sizeof *writing->shape_of);
    if (!writing->shape_of) return error_no_memory(error);
    for (int c = 0; c < 2 * classes; c++) writing->shape_of[c] = -1;
    each_run(writing, number_shape);
    write_scaled(writing);
    if (writing->run_count == 0) return TCPLAN_OK;
    status = write_shapes(writing, error);
    if (status != TCPLAN_OK) return status;
    template_value(&writing->values, "runs");
    each_run(writing, add_run);
    template_value(&writing->values, "pairs");
    each_run(writing, add_pairs);
    write_gemm(writing);
    write_sums(writing);
    return TCPLAN_OK;
}
