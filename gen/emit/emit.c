#include "tcplan/emit.h"

#include <assert.h>
#include <stdlib.h>

#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/emit/joined.h"
#include "gen/emit/parts.h"
#include "gen/emit/strides.h"
#include "gen/providers/provider_code.h"
#include "gen/space/baseline.h"
#include "tcplan/version.h"

/** Appends a label and a text, which it frees; marks `out` as failed if the text is NULL. */
static void add_text(struct strbuf *out, const char *label, char *text, const char *end) {
    if (text) {
        strbuf_add(out, "%s%s%s", label, text, end);
    } else {
        out->failed = true;
    }
    free(text);
}

/** Returns the step between elements that are adjacent along dimension `d`. */
static int64_t dimension_stride(const struct tcplan_problem *problem,
                                const struct tcplan_tensor *tensor, int d) {
    const bool column_major = problem->contraction->order == TCPLAN_COLUMN_MAJOR;
    int64_t stride = 1;
    if (tensor->strided) return tensor->stride[d];
    for (int other = column_major ? 0 : d + 1; other < (column_major ? d : tensor->rank); other++) {
        const int64_t extent = problem->extent[tensor->dims[other]];
        stride *= extent > 0 ? extent : 1;
    }
    return stride;
}

/** Adds the extent of an index as a number or as the name of its argument. */
static void add_extent(struct strbuf *out, const struct emitter *emitter, int index) {
    if (emitter->takes_extents) {
        strbuf_add(out, "n_%s", emitter->problem->contraction->index[index].name);
    } else {
        strbuf_add(out, "%lld", (long long)emitter->problem->extent[index]);
    }
}

/** Adds a line about a tensor, such as `A = T[a,i]: 4 x 5, strides 1, 4`. */
static void add_tensor(struct strbuf *out, const struct emitter *emitter,
                       enum tcplan_operand operand) {
    const struct tcplan_problem *problem = emitter->problem;
    const struct tcplan_contraction *contraction = problem->contraction;
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    strbuf_add(out, "  %s = %s", emit_operand(emitter, operand), tensor->name);
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s%s", d > 0 ? "," : "[", contraction->index[tensor->dims[d]].name);
    strbuf_add(out, tensor->rank > 0 ? "]: " : ": one element");
    for (int d = 0; d < tensor->rank; d++) {
        strbuf_add(out, "%s", d > 0 ? " x " : "");
        add_extent(out, emitter, tensor->dims[d]);
    }
    for (int d = 0; d < tensor->rank && !emitter->takes_extents; d++) {
        strbuf_add(out, "%s%lld", d > 0 ? ", " : ", strides ",
                   (long long)dimension_stride(problem, tensor, d));
    }
    for (int d = 0; d < tensor->rank && emit_takes_strides(emitter, operand); d++) {
        strbuf_add(out, d > 0 ? ", " : ", strides ");
        emit_dimension_stride(out, emitter, operand, d);
    }
    strbuf_add(out, "\n");
}

static const char *order_text(enum tcplan_order order) {
    return order == TCPLAN_COLUMN_MAJOR ? "column-major: the first index is contiguous"
                                        : "row-major: the last index is contiguous";
}

void emit_facts(struct strbuf *out, const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    const struct tcplan_contraction *contraction = problem->contraction;
    add_text(out, "contraction: ", tcplan_contraction_text(contraction), "\n");
    strbuf_add(out, emitter->takes_extents ? "sizes: arguments; planned for " : "sizes: ");
    emit_sizes(out, problem);
    strbuf_add(out, "\ntype: %s\nstorage: %s\n", emit_type(problem->dtype),
               order_text(contraction->order));
    add_text(out, "algorithm: ",
             tcplan_algorithm_name(&emitter->nest->algorithm, contraction, problem->dtype), "\n\n");
}

/** Returns whether the addend and the result may be the same array, because their layouts are equal
 * (in calls with equal strides, if strides are arguments). */
static bool may_be_result(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    if (emit_takes_strides(emitter, TCPLAN_ADDEND) != emit_takes_strides(emitter, TCPLAN_C))
        return false;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->extent[i] > 1 &&
            problem->stride_elems[TCPLAN_ADDEND][i] != problem->stride_elems[TCPLAN_C][i])
            return false;
    }
    return true;
}

/** Appends a sentence about the addend: which tensors it may overlap, or that it is not read. */
static void add_addend(struct strbuf *out, const struct emitter *emitter) {
    const char *const *name = emitter->operand;
    if (scalar_is(emitter->problem->beta, 0)) {
        strbuf_add(out, ".\n%s is not read because beta is 0, and may be NULL",
                   name[TCPLAN_ADDEND]);
    } else if (may_be_result(emitter)) {
        strbuf_add(
            out,
            ".\n%s may overlap these. It may also be %s itself%s; otherwise the two must not overlap",
            name[TCPLAN_ADDEND], name[TCPLAN_C],
            emit_takes_strides(emitter, TCPLAN_C) ? ", with the same strides" : "");
    } else {
        strbuf_add(out,
                   ".\n%s may overlap these. It must not overlap %s, because its layout is "
                   "different",
                   name[TCPLAN_ADDEND], name[TCPLAN_C]);
    }
}

static const char *lie_text(const struct emitter *emitter) {
    if (!contraction_is_strided(emitter->problem->contraction)) return "The tensors are dense";
    if (emitter->takes_extents) return "Strided tensors have these strides; the others are dense";
    return "Pointers are to the elements whose indices are all 0. The tensors have these strides";
}

void emit_layout(struct strbuf *out, const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    const char *const *name = emitter->operand;
    const bool has_addend = tcplan_contraction_has_addend(problem->contraction);
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, tensor);
    if (emit_only_scales(emitter)) {
        strbuf_add(out, "%s: the function computes %s := beta %s, and reads neither %s nor %s.\n",
                   scalar_is(problem->alpha, 0) ? "alpha is 0" : "There is nothing to multiply",
                   name[TCPLAN_C], name[has_addend ? TCPLAN_ADDEND : TCPLAN_C], name[TCPLAN_A],
                   name[TCPLAN_B]);
    }
    strbuf_add(out, "%s; %s must not overlap %s or %s, which may overlap each other",
               lie_text(emitter), name[TCPLAN_C], name[TCPLAN_A], name[TCPLAN_B]);
    if (has_addend) add_addend(out, emitter);
    strbuf_add(out, ":\n\n");
    for (int t = 0; t < count; t++) add_tensor(out, emitter, tensor[t]);
}

static bool has_temporaries(const struct emitter *emitter) {
    const struct tcplan_nest *nest = emitter->nest;
    const bool any = nest_has_temporary(nest, TCPLAN_A) || nest_has_temporary(nest, TCPLAN_B) ||
                     nest_has_temporary(nest, TCPLAN_C);
    return any && !emit_only_scales(emitter);
}

/** Returns whether the kernel sums over the steps of a tile. */
static bool sums_steps(const struct emitter *emitter) {
    return (emitter->nest->algorithm.group[TCPLAN_R] &
            ~indexset_below(emitter->problem->contraction->index_count)) != 0;
}

/** Appends a sentence that says which extents and strides the function rejects. */
static void add_arguments(struct strbuf *out, const struct emitter *emitter) {
    const char *summed =
        sums_steps(emitter)
            ? ",\nor if the length of the steps that the kernel sums over does not divide an extent"
            : "";
    strbuf_add(out, "Takes the extents, in the order in which the formula first names the indices");
    if (!contraction_is_strided(emitter->problem->contraction)) {
        strbuf_add(out,
                   ". Returns 0; EINVAL if one is\nnegative, or if they are too large for the "
                   "integers of the BLAS or for memory%s",
                   summed);
        return;
    }
    strbuf_add(
        out,
        "; after a tensor,\nits strides in elements, one for each dimension. Returns 0; EINVAL if "
        "an extent is negative, if a stride\nis less than the next smaller one times its extent "
        "(a 1 above must be 1),%s\nor if they are too large for the integers of the BLAS or for "
        "memory%s",
        !emit_only_scales(emitter) && emit_has_fused(emitter)
            ? " if fused indices do not\ncontinue each other,"
            : "",
        summed);
}

static const struct provider_code *provider_of(const struct emitter *emitter) {
    return provider_code_of(emit_find_kernel(emitter->nest)->provider);
}

void emit_returns(struct strbuf *out, const struct emitter *emitter) {
    const char *result = emit_operand(emitter, TCPLAN_C);
    if (emitter->takes_extents) {
        add_arguments(out, emitter);
    } else {
        strbuf_add(out, "Returns 0");
    }
    if (has_temporaries(emitter))
        strbuf_add(out, emitter->takes_extents ? "; ENOMEM" : ", or ENOMEM");
    if (has_temporaries(emitter)) strbuf_add(out, " when a temporary cannot be allocated");
    if (emitter->takes_extents || has_temporaries(emitter)) {
        strbuf_add(out,
                   emitter->takes_extents ? ".\nOn failure, %s is unchanged"
                                          : "; %s is then untouched",
                   result);
    }
    const char *failure = provider_of(emitter)->failure;
    if (failure) strbuf_add(out, failure, result);
    strbuf_add(out, ".\n");
}

static void add_threads(struct strbuf *out, const struct emitter *emitter) {
    strbuf_add(
        out,
        "\nUp to %d threads share the parallel loop; the calling thread runs the iterations that "
        "no other takes in time.",
        emitter->threads);
    if (emit_calls_cblas(emitter->nest)) {
        strbuf_add(
            out,
            " The BLAS should run on one thread\nmeanwhile: for OpenBLAS the function sets this "
            "for the whole process until it returns.");
    }
    strbuf_add(out, "\n");
}

/** Returns the file that a provider was opened from; NULL if it is unknown, or the provider was
 * linked. */
static const char *file_of(const struct emitter *emitter,
                           const struct tcplan_emit_options *options) {
    const enum tcplan_provider provider = emit_find_kernel(emitter->nest)->provider;
    return provider >= TCPLAN_PROVIDER_FILE_1 && options->blas_files
               ? options->blas_files[provider - TCPLAN_PROVIDER_FILE_1]
               : NULL;
}

static int planned_threads(const struct emitter *emitter) {
    return emitter->threads > 1 ? emitter->threads : 1;
}

/** Adds the comment at the top of the file. */
static void add_header(const struct emitter *emitter, const struct tcplan_emit_options *options) {
    const struct provider_code *provider = provider_of(emitter);
    struct strbuf text = {0};
    emit_facts(&text, emitter);
    add_text(&text, "", tcplan_nest_text(emitter->nest, emitter->problem, emitter->problem->dtype),
             "\n");
    emit_layout(&text, emitter);
    if (emit_is_shared(emitter)) {
        add_threads(&text, emitter);
    } else if (emit_calls_cblas(emitter->nest) && !emit_only_scales(emitter)) {
        strbuf_add(&text, "\nPlanned for %d thread%s of the BLAS.\n", planned_threads(emitter),
                   planned_threads(emitter) == 1 ? "" : "s");
    }
    if (provider->remark) strbuf_add(&text, "\n%s\n", provider->remark);
    strbuf_add(&text, "\n");
    emit_returns(&text, emitter);
    if (!emit_only_scales(emitter) && emit_keeps_memory(emitter)) {
        strbuf_add(
            &text,
            "The memory of large temporaries is reused by the next call; tcplan_release_memory() "
            "frees it.\n");
    }
    strbuf_add(&text, "\nEmitted by tcplan %s.\nlink: ", TCPLAN_VERSION_STRING);
    const bool is_own = emit_is_own(emitter->nest);
    const bool has_library = !is_own && provider->emit_link;
    if (has_library) provider->emit_link(&text, file_of(emitter, options));
    strbuf_add(&text, "%s%s", has_library ? "" : "-lm", emit_is_shared(emitter) ? " -pthread" : "");
    strbuf_add(&text, "%s\n", options->with_main && has_library ? " -lm" : "");
    if (!is_own && options->blas_advice) strbuf_add(&text, "warning: %s\n", options->blas_advice);
    char *comment = strbuf_finish(&text);
    if (comment) {
        emit_comment(emitter->out, comment);
    } else {
        emitter->out->failed = true;
    }
    free(comment);
}

void emit_blas_threads(struct strbuf *out) {
    strbuf_add(out, "/* Functions of OpenBLAS; NULL if another BLAS is linked. */\n"
                    "int openblas_get_num_threads(void);\n"
                    "void openblas_set_num_threads(int);\n"
                    "#pragma weak openblas_get_num_threads\n"
                    "#pragma weak openblas_set_num_threads\n\n");
}

static void add_includes(const struct emitter *emitter, const struct tcplan_emit_options *options) {
    struct strbuf *out = emitter->out;
    const bool with_main = options->with_main;
    const bool temporaries = has_temporaries(emitter);
    const struct provider_code *provider = provider_of(emitter);
    const bool calls = !emit_is_own(emitter->nest) && !emit_only_scales(emitter);
    if (calls && provider->includes_first) provider->emit_include(out);
    if (tcplan_dtype_is_complex(emitter->problem->dtype)) strbuf_add(out, "#include <complex.h>\n");
    if (temporaries || emitter->takes_extents) strbuf_add(out, "#include <errno.h>\n");
    if (with_main) strbuf_add(out, "#include <math.h>\n");
    strbuf_add(out, "#include <stddef.h>\n");
    if (with_main || emitter->takes_extents) strbuf_add(out, "#include <stdint.h>\n");
    if (with_main) strbuf_add(out, "#include <stdio.h>\n");
    if (with_main || temporaries) strbuf_add(out, "#include <stdlib.h>\n");
    if (with_main) strbuf_add(out, "#include <time.h>\n");
    strbuf_add(out, "\n");
    if (calls && !provider->includes_first) {
        provider->emit_include(out);
        strbuf_add(out, "\n");
    }
    if (options->header) strbuf_add(out, "#include \"%s\"\n\n", options->header);
}

static enum tcplan_status add_file(struct emitter *emitter,
                                   const struct tcplan_emit_options *options,
                                   struct tcplan_error *error) {
    add_header(emitter, options);
    add_includes(emitter, options);
    if (emit_calls_cblas(emitter->nest) && (emit_is_shared(emitter) || options->with_main))
        emit_blas_threads(emitter->out);
    if (!emit_only_scales(emitter) && emit_has_copy(emitter->nest->body))
        emit_copy_kernels(emitter);
    if (!emit_only_scales(emitter) && emit_keeps_memory(emitter))
        emit_memory_functions(emitter->out);
    if (emit_is_shared(emitter)) emit_team_functions(emitter->out);
    if (!emit_only_scales(emitter)) emit_kernel_functions(emitter);
    enum tcplan_status status = emit_function(emitter, "", error);
    return status == TCPLAN_OK && options->with_main ? emit_main(emitter, error) : status;
}

/** Emits a function with extents as arguments for a kernel that has fixed extents. Uses a BLAS
 * kernel instead or, if a BLAS cannot take the operands of this algorithm, the baseline. */
static enum tcplan_status emit_with_blas(char **out, const struct tcplan_nest *nest,
                                         const struct tcplan_problem *problem,
                                         const struct tcplan_emit_options *options,
                                         struct tcplan_error *error) {
    struct tcplan_algorithm algorithm = nest->algorithm;
    struct tcplan_nest *plain;
    algorithm.provider = TCPLAN_PROVIDER_BLAS;
    if (!provider_has_kernel(algorithm.provider, algorithm.kernel)) {
        return error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "the kernel is written for given extents, and no BLAS has an equivalent; omit "
            "--extents runtime");
    }
    enum tcplan_status status = tcplan_nest_build(&plain, nest->contraction, &algorithm, error);
    if (status == TCPLAN_INVALID && baseline_of(&algorithm, problem))
        status = tcplan_nest_build(&plain, nest->contraction, &algorithm, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_emit_c(out, plain, problem, options, error);
    tcplan_nest_free(plain);
    return status;
}

enum tcplan_status tcplan_emit_c(char **out, const struct tcplan_nest *nest,
                                 const struct tcplan_problem *problem,
                                 const struct tcplan_emit_options *options,
                                 struct tcplan_error *error) {
    static const struct tcplan_emit_options defaults;
    assert(nest->contraction == problem->contraction);
    if (!options) options = &defaults;
    const bool needs_extents =
        !emit_is_own(nest) && provider_code_of(nest->algorithm.provider)->needs_extents;
    if (options->takes_extents && needs_extents)
        return emit_with_blas(out, nest, problem, options, error);
    const char *function = options->function ? options->function : "contract";
    enum tcplan_status status = emit_check_name(function, error);
    if (status != TCPLAN_OK) return status;
    struct strbuf text = {0};
    struct emitter emitter = {.out = &text,
                              .nest = nest,
                              .problem = problem,
                              .function = function,
                              .threads = options->threads,
                              .takes_extents = options->takes_extents};
    emit_name_operands(&emitter);
    status = add_file(&emitter, options, error);
    emit_drop_repeats(&text);
    return strbuf_give(&text, out, status, error);
}
