/*
 * Emits C for a plan: tables of pairs and of fused sectors, loops over these tables, and a
 * function of the dense emitter for each shape of pairs and for the product of each sector. The
 * emitted code does not need tcplan. Its size grows with the structure, not with the extents of
 * blocks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/product.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "blocks/emit.h"
#include "gen/emit/interface.h"
#include "gen/emit/template_text.h"
#include "gen/providers/provider_code.h"
#include "gen/space/baseline.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"
#include "tcplan/version.h"

/* Maximum number of functions for dense products in a file; beyond it, compilers take minutes. */
enum { MOST_PRODUCTS = 4096 };

/** Emits a function that computes a product by a given algorithm. */
static enum tcplan_status emit_function_of(char **out, const char *function,
                                           const struct tcplan_product *product,
                                           const struct tcplan_algorithm *algorithm, int threads,
                                           struct tcplan_error *error) {
    const char *files[TCPLAN_PROVIDER_FILES];
    struct tcplan_nest *nest = NULL;
    tcplan_provider_files(files);
    const struct tcplan_emit_options options = {
        .function = function, .threads = threads, .blas_files = files};
    enum tcplan_status status = tcplan_nest_build(&nest, product->contraction, algorithm, error);
    if (status == TCPLAN_OK) status = tcplan_emit_c(out, nest, &product->problem, &options, error);
    tcplan_nest_free(nest);
    return status;
}

/** Emits a function for a product. Some algorithms have no code for the product's scalar factors:
 * libxsmm supports only beta 0 and 1. The function then calls the BLAS instead of the library; if
 * that is impossible too, another algorithm is used. */
static enum tcplan_status emit_near(char **out, const char *function,
                                    const struct tcplan_product *product,
                                    const struct tcplan_algorithm *algorithm, int threads,
                                    struct tcplan_error *error) {
    struct tcplan_algorithm other = *algorithm;
    struct tcplan_enumerator enumerator;
    enum tcplan_status status = emit_function_of(out, function, product, algorithm, threads, error);
    if (status != TCPLAN_NOT_APPLICABLE && status != TCPLAN_INVALID) return status;
    other.provider = TCPLAN_PROVIDER_BLAS;
    enum tcplan_status again = emit_function_of(out, function, product, &other, threads, NULL);
    if (again != TCPLAN_OK && baseline_of(&other, &product->problem))
        again = emit_function_of(out, function, product, &other, threads, NULL);
    tcplan_enumerator_init(&enumerator, product->contraction);
    while ((again == TCPLAN_NOT_APPLICABLE || again == TCPLAN_INVALID) &&
           tcplan_enumerator_next(&enumerator, &other))
        again = emit_function_of(out, function, product, &other, threads, NULL);
    if (again == TCPLAN_NO_MEMORY) return error_no_memory(error);
    return again == TCPLAN_OK ? TCPLAN_OK : status;
}

enum tcplan_status block_write_product(struct block_writing *writing, struct strbuf *name,
                                       const struct tcplan_product *product,
                                       const struct tcplan_algorithm *algorithm, int threads,
                                       struct tcplan_error *error) {
    struct strbuf function = {0};
    char *text = NULL;
    if (writing->product_count == MOST_PRODUCTS)
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "the blocks have too many shapes: more than %d functions", MOST_PRODUCTS);
    strbuf_add(&function, "%s_product%d", writing->function, writing->product_count + 1);
    if (function.failed) return error_no_memory(error);
    enum tcplan_status status = emit_near(&text, function.text, product, algorithm, threads, error);
    if (status == TCPLAN_OK)
        status = emit_joined_add(&writing->products, text, function.text, error);
    if (status == TCPLAN_OK) {
        writing->product_count++;
        strbuf_add(name, "%s", function.text);
    }
    free(text);
    strbuf_free(&function);
    return status;
}

/* The following functions write the comment at the top of the file. */

static void add_sections(struct strbuf *out, const struct tcplan_block_product *product) {
    enum { MOST_SHOWN = 12 };
    strbuf_add(out, "sections:");
    for (int i = 0; i < product->contraction->index_count; i++) {
        const struct block_sections *index = &product->index[i];
        strbuf_add(out, " %s=", product->contraction->index[i].name);
        for (int s = 0; s < index->count && s < MOST_SHOWN; s++)
            strbuf_add(out, "%s%" PRId64, s > 0 ? "+" : "", index->extent[s]);
        if (index->count > MOST_SHOWN)
            strbuf_add(out, "+... (%d, together %" PRId64 ")", index->count, index->total);
    }
    strbuf_add(out, "\n");
}

void block_add_list(struct strbuf *out, const struct tcplan_block_product *product,
                    enum tcplan_operand operand) {
    enum { MOST_SHOWN = 8 };
    const int64_t count = product->tensor[operand].count;
    const int rank = product->contraction->tensor[operand].rank;
    strbuf_add(out, ": %" PRId64 " blocks, %" PRId64 " elements:", count,
               block_buffer_elements(product, operand, NULL));
    for (int64_t b = 0; b < count && b < MOST_SHOWN; b++) {
        for (int d = 0; d < rank; d++)
            strbuf_add(out, "%s%d", d > 0 ? "," : " (", (int)structure_at(product, operand, b)[d]);
        strbuf_add(out, "%s", rank > 0 ? ")" : " ()");
    }
    strbuf_add(out, count > MOST_SHOWN ? " ...\n" : "\n");
}

/** Adds the description of each argument: the blocks of a tensor in the order of its list. */
static void add_arguments(struct strbuf *out, const struct tcplan_block_product *product) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
        strbuf_add(out, "  %c = %s[", "ABC"[t], tensor -> name);
        for (int d = 0; d < tensor->rank; d++)
            strbuf_add(out, "%s%s", d > 0 ? "," : "",
                       product->contraction->index[tensor->dims[d]].name);
        strbuf_add(out, "]");
        block_add_list(out, product, (enum tcplan_operand)t);
    }
}

static bool may_fail(const struct block_writing *writing) {
    return writing->workspace_elements > 0 ||
           (writing->products.functions.text &&
            strstr(writing->products.functions.text, "return ENOMEM"));
}

static bool keeps_memory(const struct block_writing *writing) {
    return emit_memory_stays((double)writing->workspace_elements *
                             (double)tcplan_dtype_bytes(writing->plan->product->dtype)) ||
           (writing->products.functions.text &&
            strstr(writing->products.functions.text, "pool_take("));
}

/** Adds how many threads compute the product. */
static void add_threads(struct strbuf *out, const struct block_writing *writing) {
    if (writing->threads > 1)
        strbuf_add(out,
                   "Up to %d threads share the blocks; the calling thread computes those that no "
                   "other takes in time.\n",
                   writing->threads);
    if (writing->threads > 1 && block_limits_blas(writing))
        strbuf_add(out, "The BLAS should run on one thread meanwhile: for OpenBLAS the function "
                        "sets this for the whole\nprocess until it returns.\n");
    if (writing->is_together && writing->share[0].sectors + writing->share[0].runs > 0 &&
        block_calls_cblas(writing))
        strbuf_add(out, "Large blocks are planned for %d threads of the BLAS.\n", writing->threads);
    if (writing->threads == 1 && writing->has_gemms)
        strbuf_add(out, "Planned for 1 thread of the BLAS.\n");
}

void block_add_facts(struct strbuf *out, const struct tcplan_block_plan *plan,
                     const char *function) {
    const struct tcplan_block_product *product = plan->product;
    char *text = tcplan_contraction_text(product->contraction);
    strbuf_add(out, "block-sparse contraction: %s\n", text ? text : "");
    out->failed = out->failed || !text;
    free(text);
    add_sections(out, product);
    strbuf_add(out, "type: %s\nstorage of blocks: %s\nway: %s, %" PRId64 " pairs of blocks\n\n",
               emit_type(product->dtype),
               product->contraction->order == TCPLAN_COLUMN_MAJOR
                   ? "column-major: the first index is contiguous"
                   : "row-major: the last index is contiguous",
               tcplan_block_plan_way(plan), product->pairs->count);
    strbuf_add(out,
               "%s() takes an array of pointers to blocks for each tensor; each points to the "
               "element whose indices are\nall 0. %s_buffers() takes one buffer for each tensor, "
               "with its blocks one after the other.\nBlocks of C must not overlap other blocks. "
               "The blocks, with their section numbers, in this order:\n\n",
               function, function);
    add_arguments(out, product);
}

/** Returns the comment at the top of a file; with `code`, the comment also names the libraries to
 * link. */
static char *facts_of(const struct block_writing *writing, bool code) {
    struct strbuf out = {0};
    block_add_facts(&out, writing->plan, writing->function);
    strbuf_add(&out, "\nReturns 0, or ENOMEM when an allocation fails%s.\n",
               may_fail(writing) ? "; some blocks of C may have been computed" : "");
    if (keeps_memory(writing))
        strbuf_add(&out, "The memory of large temporaries is reused by the next call; "
                         "tcplan_release_memory() frees it.\n");
    add_threads(&out, writing);
    strbuf_add(&out, "\nEmitted by tcplan %s.\n", TCPLAN_VERSION_STRING);
    if (code) emit_joined_link(&out, &writing->products);
    return strbuf_finish(&out);
}

static void add_comment(struct strbuf *out, const struct block_writing *writing, bool code) {
    char *facts = facts_of(writing, code);
    if (facts) emit_comment(out, facts);
    out->failed = out->failed || !facts;
    free(facts);
}

/* The emitted function. */

/** Adds the offsets, within one buffer, at which the blocks of each tensor begin. */
static bool write_offsets(struct block_writing *writing) {
    static const char *const names[] = {"offset_A", "offset_B", "offset_C"};
    static const char *const counts[] = {"blocks_A", "blocks_B", "blocks_C"};
    const struct tcplan_block_product *product = writing->plan->product;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t count = product->tensor[t].count;
        int64_t *offset = base_alloc_zero((size_t)count + 1, sizeof *offset);
        if (!offset) return false;
        block_buffer_elements(product, (enum tcplan_operand)t, offset);
        strbuf_add(template_value(&writing->values, counts[t]), "%" PRId64, count);
        template_value(&writing->values, names[t]);
        for (int64_t b = 0; b < count || b == 0; b++)
            strbuf_add(&writing->values.text, "%s%" PRId64 ",%s", b % 8 == 0 ? "    " : " ",
                       offset[b], b % 8 == 7 || b + 1 >= count ? "\n" : "");
        base_free(offset);
    }
    return true;
}

/** Adds the statements that allocate and free the matrices of sectors. */
static void write_workspace(struct block_writing *writing) {
    const enum tcplan_dtype dtype = writing->plan->product->dtype;
    const int64_t bytes =
        (writing->workspace_elements * (int64_t)tcplan_dtype_bytes(dtype) + 63) / 64 * 64;
    const bool stays = emit_memory_stays((double)bytes);
    struct strbuf *out = template_value(&writing->values, "begin");
    if (bytes > 0 && stays)
        strbuf_add(out, "    %s *workspace = pool_take(%d, %" PRId64 ");\n", emit_type(dtype),
                   EMIT_WORKSPACE_BLOCK, bytes);
    if (bytes > 0 && !stays)
        strbuf_add(out, "    %s *workspace = aligned_alloc(64, %" PRId64 ");\n", emit_type(dtype),
                   bytes);
    if (bytes > 0) strbuf_add(out, "    if (!workspace) return ENOMEM;\n");
    if (writing->run_count == 0 && writing->sector_count == 0)
        strbuf_add(out, "    (void)A, (void)B, (void)C;\n");
    template_value(&writing->values, "end");
    if (bytes > 0 && stays)
        strbuf_add(out, "    pool_give(%d, workspace);\n", EMIT_WORKSPACE_BLOCK);
    if (bytes > 0 && !stays) strbuf_add(out, "    free(workspace);\n");
}

/** Adds the statements of the function. */
static void write_function(struct block_writing *writing) {
    const enum tcplan_dtype dtype = writing->plan->product->dtype;
    struct template_values *values = &writing->values;
    write_workspace(writing);
    struct strbuf *out = template_value(values, "scale");
    if (writing->scaled_count > 0)
        strbuf_add(out,
                   "    for (size_t n = 0; n < sizeof %s_scaled / sizeof *%s_scaled; n++)\n"
                   "        %s_scale(C[%s_scaled[n].block], %s_scaled[n].rank, "
                   "%s_scaled[n].dimension);\n",
                   writing->function, writing->function, writing->function, writing->function,
                   writing->function, writing->function);
    template_value(values, "run");
    if (writing->tables != writing->plan)
        strbuf_add(out, "    status = %s_run_packed(A, B, C, workspace);\n", writing->function);
    else
        block_add_run(out, writing, "A, B, C",
                      writing->workspace_elements > 0 ? "workspace" : "NULL");
    strbuf_add(template_value(values, "function"), "%s", writing->function);
    strbuf_add(template_value(values, "element"), "%s", emit_type(dtype));
    strbuf_add(template_value(values, "scaled_rank"), "%d", TCPLAN_MAX_RANK);
    template_value(values, "scaled_element");
    if (scalar_is(writing->beta, 0)) {
        strbuf_add(out, "0");
    } else {
        emit_constant(out, dtype, writing->beta);
        strbuf_add(out, " * *c");
    }
}

void block_add_includes(struct strbuf *out, enum tcplan_dtype dtype, bool with_main) {
    if (tcplan_dtype_is_complex(dtype)) strbuf_add(out, "#include <complex.h>\n");
    strbuf_add(out, "#include <errno.h>\n");
    if (with_main) strbuf_add(out, "#include <math.h>\n");
    strbuf_add(out, "#include <stddef.h>\n");
    if (with_main) strbuf_add(out, "#include <stdio.h>\n");
    strbuf_add(out, "#include <stdlib.h>\n#include <string.h>\n");
    if (with_main) strbuf_add(out, "#include <time.h>\n");
}

static void add_includes(struct strbuf *out, const struct block_writing *writing, bool with_main,
                         const char *header) {
    block_add_includes(out, writing->plan->product->dtype, with_main);
    if (writing->has_sums) {
        provider_code_libxsmm.emit_include(out);
    } else if (writing->has_gemms) {
        strbuf_add(out, "#include <cblas.h>\n");
    }
    strbuf_add(out, "\n");
    if (header) strbuf_add(out, "#include \"%s\"\n\n", header);
    if ((with_main && !writing->is_part) || block_limits_blas(writing)) emit_blas_threads(out);
}

/** Adds the libraries that the tables call directly to the list of libraries to link. */
static void add_links(struct block_writing *writing) {
    struct strbuf links = {0};
    if (writing->has_sums)
        provider_code_libxsmm.emit_link(&links, NULL);
    else if (writing->has_gemms)
        provider_code_openblas.emit_link(&links, NULL);
    if (links.text) emit_joined_add_links(&writing->products, links.text);
    emit_joined_add_links(&writing->products, "-lm");
    if (writing->threads > 1) emit_joined_add_links(&writing->products, "-pthread");
    strbuf_free(&links);
}

static void add_driver(struct strbuf *out, const struct block_writing *writing) {
    if (writing->guard) strbuf_add(out, "#ifdef %s\n", writing->guard);
    block_write_driver(out, writing);
    if (writing->guard) strbuf_add(out, "#endif\n");
}

static void add_text(struct strbuf *out, struct block_writing *writing, bool with_main,
                     const char *header) {
    const struct template_values *values = &writing->values;
    const struct strbuf *products = &writing->products.functions;
    const double bytes = (double)writing->workspace_elements *
                         (double)tcplan_dtype_bytes(writing->plan->product->dtype);
    add_links(writing);
    if (writing->is_part) {
        strbuf_add(out, "/*\n * ");
        emit_joined_link(out, &writing->products);
        strbuf_add(out, " */\n");
    } else {
        add_comment(out, writing, true);
    }
    add_includes(out, writing, with_main, header);
    if (emit_memory_stays(bytes)) emit_memory_functions(out);
    const bool is_packed = writing->tables != writing->plan;
    if (writing->sector_count > 0 || is_packed)
        emit_copy_kernels_of(out, writing->plan->product->dtype);
    if (writing->threads > 1) emit_team_functions(out);
    if (products->text) strbuf_append(out, products->text, products->length);
    if (writing->threads > 1) {
        template_add(out, values, block_divide_text);
        strbuf_add(out, "\n");
    }
    if (writing->run_count > 0 || writing->sector_count > 0) {
        strbuf_add(out,
                   "/* A product of two blocks, or of packed matrices. */\n"
                   "typedef int %s_product(const %s *a, const %s *b, %s *c);\n\n",
                   writing->function, emit_type(writing->plan->product->dtype),
                   emit_type(writing->plan->product->dtype),
                   emit_type(writing->plan->product->dtype));
        template_add(out, values, block_shares_text);
        strbuf_add(out, "\n");
    }
    if (writing->sector_count > 0) template_add(out, values, block_fused_text);
    if (writing->run_count > 0) {
        template_add_before(out, values, block_pairs_text, "sum;");
        if (writing->has_sums) template_add(out, values, block_sum_text);
        template_add_behind(out, values, block_pairs_text, "sum;");
    }
    if (writing->is_shared) {
        template_add(out, values, block_team_text);
        strbuf_add(out, "\n");
    }
    if (is_packed) template_add(out, values, block_packed_text);
    if (writing->scaled_count > 0) template_add(out, values, block_scale_text);
    template_add(out, values, block_function_text);
    strbuf_add(out, "\n");
    if (!writing->is_part) template_add(out, values, block_buffers_text);
    if (with_main && !writing->is_part) strbuf_add(out, "\n");
    if (with_main && writing->is_part)
        block_write_check(out, writing);
    else if (with_main)
        add_driver(out, writing);
}

static enum tcplan_status write_all(char **out, struct block_writing *writing, bool with_main,
                                    const char *header, struct tcplan_error *error) {
    struct strbuf text = {0};
    enum tcplan_status status = TCPLAN_OK;
    if (writing->plan->product->pairs->count > 0) {
        status = block_write_sectors(writing, error);
    }
    if (status == TCPLAN_OK) status = block_write_pairs(writing, error);
    if (status == TCPLAN_OK && !write_offsets(writing)) status = error_no_memory(error);
    if (status != TCPLAN_OK) return status;
    block_write_divided(writing);
    block_write_shares(writing);
    if (writing->tables != writing->plan) block_write_packed(writing);
    write_function(writing);
    template_value(&writing->values, "sum");
    if (writing->values.text.failed) return error_no_memory(error);
    add_text(&text, writing, with_main, header);
    emit_drop_repeats(&text);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}

/** Checks the arguments, and initialises the state of the writer. */
static enum tcplan_status begin(struct block_writing *out, const struct tcplan_block_plan *plan,
                                const char *function, struct tcplan_error *error) {
    if (!plan) return error_set(error, TCPLAN_INVALID, "expected a plan, found NULL");
    const struct tcplan_contraction *contraction = plan->product->contraction;
    const enum tcplan_dtype dtype = plan->product->dtype;
    const bool is_packed = plan->chosen == WAY_PACKED;
    const struct tcplan_block_plan *tables = is_packed ? plan->packed.inner : plan;
    *out = (struct block_writing){.plan = plan,
                                  .tables = tables,
                                  .function = function ? function : "contract",
                                  .alpha = scalar_round(contraction->alpha, dtype),
                                  .beta = scalar_round(contraction->beta, dtype),
                                  .tables_beta =
                                      scalar_round(tables->product->contraction->beta, dtype)};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (block_buffer_elements(plan->product, (enum tcplan_operand)t, NULL) < 0)
            return error_set(error, TCPLAN_OVERFLOW,
                             "a tensor has too many elements in its blocks");
    }
    return emit_check_name(out->function, error);
}

static enum tcplan_status emit(char **out, const struct tcplan_block_plan *plan,
                               const struct tcplan_block_emit_options *options, bool is_part,
                               const char *guard, struct tcplan_error *error) {
    struct block_writing writing = {0};
    enum tcplan_status status = begin(&writing, plan, options->function, error);
    writing.is_part = is_part;
    writing.guard = guard;
    if (status == TCPLAN_OK) status = block_shares_begin(&writing, error);
    if (status == TCPLAN_OK)
        status = write_all(out, &writing, options->with_main, options->header, error);
    base_free(writing.shape_of);
    base_free(writing.share);
    emit_joined_free(&writing.products);
    template_free(&writing.values);
    return status;
}

enum tcplan_status tcplan_block_plan_emit(char **out, const struct tcplan_block_plan *plan,
                                          const struct tcplan_block_emit_options *options,
                                          struct tcplan_error *error) {
    static const struct tcplan_block_emit_options none = {0};
    return emit(out, plan, options ? options : &none, false, NULL, error);
}

enum tcplan_status block_emit_guarded(char **out, const struct tcplan_block_plan *plan,
                                      const struct tcplan_block_emit_options *options,
                                      const char *guard, struct tcplan_error *error) {
    return emit(out, plan, options, false, guard, error);
}

enum tcplan_status block_emit_part(char **out, const struct tcplan_block_plan *plan,
                                   const char *function, bool checks, struct tcplan_error *error) {
    const struct tcplan_block_emit_options options = {.function = function, .with_main = checks};
    return emit(out, plan, &options, true, NULL, error);
}

void block_add_prototypes(struct strbuf *out, const char *function, const char *type) {
    strbuf_add(out,
               "int %s(const %s *const A[], const %s *const B[], %s *const C[]);\n"
               "int %s_buffers(const %s *A, const %s *B, %s *C);\n",
               function, type, type, type, function, type, type, type);
}

enum tcplan_status tcplan_block_plan_emit_header(char **out, const struct tcplan_block_plan *plan,
                                                 const char *function, struct tcplan_error *error) {
    struct block_writing writing;
    struct strbuf text = {0}, type = {0};
    const enum tcplan_status status = begin(&writing, plan, function, error);
    if (status != TCPLAN_OK) return status;
    add_comment(&text, &writing, false);
    emit_header_begin(&text, &type, writing.function, plan->product->dtype, "");
    if (type.text) block_add_prototypes(&text, writing.function, type.text);
    emit_header_end(&text);
    strbuf_free(&type);
    return strbuf_give(&text, out, TCPLAN_OK, error);
}
