#include <stdlib.h>

#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/emit/arguments.h"
#include "gen/emit/extents.h"
#include "gen/emit/parts.h"
#include "gen/emit/strides.h"
#include "gen/providers/provider.h"
#include "gen/providers/provider_code.h"

/** Begins the loops over the dimensions of a box, the last dimension outermost; a divided dimension
 * runs over the thread's part. */
static void begin_runs(struct emitter *emitter, const struct copy_shape *shape,
                       const struct copy_box *box) {
    const int divided = emit_divided_dimension(emitter, shape, box);
    for (int r = shape->rank - 1; r >= 0; r--) {
        emit_indent(emitter);
        strbuf_add(emitter->out, "for (ptrdiff_t j%d = ", r);
        if (r == divided) {
            emit_part_begin(emitter, box->extent[r], "thread");
        } else {
            strbuf_add(emitter->out, "0");
        }
        strbuf_add(emitter->out, "; j%d < ", r);
        if (r == divided) {
            emit_part_begin(emitter, box->extent[r], "(thread + 1)");
        } else {
            emit_shape_extent(emitter, shape, r, box->extent[r]);
        }
        strbuf_add(emitter->out, "; j%d++) {\n", r);
        emitter->level++;
    }
}

/** Prints the current element of a slice in the loops of begin_runs(): of the result, or of the
 * addend. */
static void add_run_element(const struct emitter *emitter, struct tcplan_slice slice,
                            const struct copy_shape *shape, const struct copy_box *box) {
    const bool is_source = slice.operand == TCPLAN_ADDEND;
    const int64_t first = is_source ? box->from : box->to;
    emit_slice_name(emitter, slice);
    strbuf_add(emitter->out, "[");
    bool any = emit_offset(emitter, slice, emit_fixed_indices(emitter, slice), "");
    for (int r = shape->rank - 1; r >= 0; r--) {
        if (!emit_shape_step(emitter, slice, &shape->dimension[r], is_source, any ? " + " : ""))
            continue;
        strbuf_add(emitter->out, "j%d", r);
        any = true;
    }
    if (any && first != 0)
        strbuf_add(emitter->out, " %c %lld", first < 0 ? '-' : '+', llabs(first));
    if (!any) strbuf_add(emitter->out, "%lld", (long long)first);
    strbuf_add(emitter->out, "]");
}

/** Begins the loops over a box, and prints the element on the left of the assignment. */
static void begin_box(struct emitter *emitter, struct tcplan_slice slice,
                      const struct copy_shape *shape, const struct copy_box *box) {
    begin_runs(emitter, shape, box);
    emit_indent(emitter);
    add_run_element(emitter, slice, shape, box);
}

static void end_box(struct emitter *emitter, const struct copy_shape *shape) {
    strbuf_add(emitter->out, ";\n");
    for (int r = 0; r < shape->rank; r++) emit_end(emitter);
}

/** Adds ` = beta * C[...]`, or ` = beta * conj(C[...])`. */
static void add_assigned(const struct emitter *emitter, struct tcplan_slice from,
                         struct tcplan_scalar beta, bool conjugated, const struct copy_shape *shape,
                         const struct copy_box *box) {
    const bool conjugates = scalar_conjugates(conjugated, emitter->problem->dtype);
    strbuf_add(emitter->out, " = ");
    emit_times(emitter, beta);
    emit_begin_conjugate(emitter, conjugates);
    add_run_element(emitter, from, shape, box);
    emit_end_conjugate(emitter, conjugates);
}

static void add_copied_box(struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box, const void *node) {
    const struct tcplan_copy *copy = node;
    begin_box(emitter, copy->to, shape, box);
    add_assigned(emitter, copy->from, tcplan_problem_scalar(emitter->problem, copy->update.alpha),
                 copy->conjugated, shape, box);
    end_box(emitter, shape);
}

static void add_scaled_box(struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box, const void *node) {
    const struct tcplan_scale *scale = node;
    const struct tcplan_scalar beta = tcplan_problem_scalar(emitter->problem, scale->beta);
    emit_begin_by_one(emitter, shape, box);
    begin_box(emitter, scale->slice, shape, box);
    if (scalar_conjugates(scale->conjugated, emitter->problem->dtype) && !scalar_is(beta, 0)) {
        add_assigned(emitter, scale->slice, beta, true, shape, box);
    } else {
        strbuf_add(emitter->out, scalar_is(beta, 0) ? " = " : " *= ");
        emit_constant(emitter->out, emitter->problem->dtype, beta);
    }
    end_box(emitter, shape);
    emit_end_by_one(emitter, shape, box);
}

static void add_scale(struct emitter *emitter, const struct tcplan_scale *scale) {
    struct tcplan_scale part = *scale;
    const int panels = emit_begin_panels(emitter, &part.slice);
    const struct copy_shape shape =
        emit_shape_of(emitter, &(struct tcplan_copy){.to = part.slice, .from = part.slice});
    emit_boxes(emitter, &shape, add_scaled_box, &part);
    for (int p = 0; p < panels; p++) emit_end(emitter);
}

static void add_body(struct emitter *emitter, const struct tcplan_node *node,
                     const struct emit_call *call);

/** Prints `double *const B_copy = B_copies + 512 * thread;`: each thread has its own part of the
 * temporary, which begins at a page. */
static void add_private_temporaries(const struct emitter *emitter, const struct sharing *sharing) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!nest_has_temporary(emitter->nest, operand) || !sharing->is_private[t]) continue;
        emit_indent(emitter);
        strbuf_add(emitter->out, "%s *const %s_copy = %s_copies + ",
                   emit_type(emitter->problem->dtype), emit_operand(emitter, operand),
                   emit_operand(emitter, operand));
        emit_thread_elems(emitter, operand);
        strbuf_add(emitter->out, " * thread;\n");
    }
    if (sharing->is_private[TCPLAN_C] && emit_has_ends(emitter)) emit_ends_of_thread(emitter);
}

/** Orders the kernel's non-temporal stores before later accesses. Functions with extents as
 * arguments call the BLAS instead, and need no fence. */
static void add_kernel_fence(const struct emitter *emitter, const struct emit_call *call) {
    if (!call->blas.streamed || emitter->takes_extents) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "KERNEL_FENCE();\n");
}

/** Emits a parallel loop: each thread executes consecutive iterations, and orders its own
 * non-temporal stores. */
static void add_shared_loop(struct emitter *emitter, const struct tcplan_loop *loop,
                            const struct sharing *sharing, const struct emit_call *call) {
    const struct tcplan_algorithm *algorithm = &emitter->nest->algorithm;
    emit_for_thread(emitter, sharing->threads);
    add_private_temporaries(emitter, sharing);
    if (algorithm->collapsed) {
        emit_for_outer_share(emitter, loop->index, algorithm->loop[algorithm->parallel + 1],
                             *sharing);
    } else {
        emit_for_share(emitter, loop->index, *sharing);
    }
    emitter->is_within = true;
    add_body(emitter, loop->body, call);
    emitter->is_within = false;
    emit_end(emitter);
    if (sharing->is_private[TCPLAN_C] && emit_has_ends(emitter)) emit_ends_write(emitter);
    if (emit_has_copy(loop->body)) emit_copy_fence(emitter);
    add_kernel_fence(emitter, call);
    emit_end(emitter);
}

/** Returns whether the kernel in a parallel loop may be a BLAS call, which could use threads of its
 * own. */
static bool takes_blas_threads(const struct emitter *emitter) {
    return emit_sharing(emitter).threads > 1 && emit_calls_cblas(emitter->nest);
}

/** Returns whether the provider's kernel may be unavailable at run time. The BLAS is called
 * then. */
static bool asks_for_kernel(const struct emitter *emitter, const struct emit_call *call) {
    return takes_blas_threads(emitter) && provider_code_of(call->blas.provider)->emit_condition &&
           !emitter->takes_extents;
}

static void add_blas_threads(const struct emitter *emitter, const struct emit_call *call) {
    strbuf_add(emitter->out, "    const int blas_threads = ");
    if (asks_for_kernel(emitter, call)) {
        strbuf_add(emitter->out, "!");
        provider_code_of(call->blas.provider)->emit_condition(emitter, call);
        strbuf_add(emitter->out, " && ");
    }
    strbuf_add(
        emitter->out,
        "openblas_get_num_threads ? openblas_get_num_threads() : 1;\n    if (blas_threads > 1) "
        "openblas_set_num_threads(1); /* the loop already uses the threads */\n");
}

static void add_loop(struct emitter *emitter, const struct tcplan_loop *loop,
                     const struct emit_call *call) {
    const struct sharing sharing = emit_sharing(emitter);
    const struct tcplan_algorithm *algorithm = &emitter->nest->algorithm;
    const bool is_shared = loop->parallel && sharing.threads > 1;
    const bool is_inner = is_shared && loop->index != algorithm->loop[algorithm->parallel];
    if (is_shared && !is_inner) {
        add_shared_loop(emitter, loop, &sharing, call);
        return;
    }
    if (is_inner) {
        emit_for_inner_share(emitter, algorithm->loop[algorithm->parallel], loop->index);
    } else {
        emit_for(emitter, loop->index);
    }
    add_body(emitter, loop->body, call);
    emit_end(emitter);
}

/** Returns how many threads divide a copy or scaling outside of the parallel loop; 0: one thread
 * executes it. */
static int threads_dividing(const struct emitter *emitter, const struct tcplan_node *node) {
    const int threads = emit_sharing(emitter).threads;
    if (emitter->is_within || threads == 1) return 0;
    if (node->kind == TCPLAN_NODE_COPY) return emit_is_large(emitter, &node->copy) ? threads : 0;
    return emit_is_large(emitter,
                         &(struct tcplan_copy){.to = node->scale.slice, .from = node->scale.slice})
               ? threads
               : 0;
}

/** Emits a copy or a scaling. Outside of the parallel loop, all threads divide it, or one thread
 * executes it while the others wait. */
static void add_block(struct emitter *emitter, const struct tcplan_node *node) {
    const bool is_section = emit_sharing(emitter).threads > 1 && !emitter->is_within;
    emitter->dividing = threads_dividing(emitter, node);
    if (is_section) emit_for_thread(emitter, emitter->dividing > 0 ? emitter->dividing : 1);
    if (node->kind == TCPLAN_NODE_COPY) {
        emit_copy(emitter, &node->copy);
    } else {
        add_scale(emitter, &node->scale);
    }
    if (is_section) emit_end(emitter);
    emitter->dividing = 0;
}

static void add_body(struct emitter *emitter, const struct tcplan_node *node,
                     const struct emit_call *call) {
    for (; node; node = node->next) {
        switch (node->kind) {
        case TCPLAN_NODE_LOOP: add_loop(emitter, &node->loop, call); break;
        case TCPLAN_NODE_COPY:
        case TCPLAN_NODE_SCALE: add_block(emitter, node); break;
        case TCPLAN_NODE_KERNEL: emit_kernel(emitter, call); break;
        case TCPLAN_NODE_STEPS:
        case TCPLAN_NODE_CALL:
        case TCPLAN_NODE_AGAIN: break; /* only in blocked algorithms, see routines/blocked/emit */
        }
    }
}

static const struct tcplan_kernel_call *kernel_within(const struct tcplan_node *node) {
    const struct tcplan_kernel_call *found = NULL;
    for (; node && !found; node = node->next) {
        if (node->kind == TCPLAN_NODE_KERNEL) found = &node->kernel;
        if (node->kind == TCPLAN_NODE_LOOP) found = kernel_within(node->loop.body);
    }
    return found;
}

const struct tcplan_kernel_call *emit_find_kernel(const struct tcplan_nest *nest) {
    return kernel_within(nest->body);
}

static void add_signature(const struct emitter *emitter, const char *linkage) {
    strbuf_add(emitter->out, "%s", linkage);
    emit_prototype(emitter->out, emitter, emit_type(emitter->problem->dtype));
    strbuf_add(emitter->out, " {\n");
}

static enum tcplan_status lower_kernel(struct emit_call *call, const struct emitter *emitter,
                                       struct tcplan_error *error) {
    *call = (struct emit_call){.node = emit_find_kernel(emitter->nest)};
    enum tcplan_status status =
        blas_call_lower(&call->blas, emitter->nest, call->node, emitter->refined,
                        (struct blas_call_place){0}, error);
    return status == TCPLAN_OK
               ? blas_call_check(&call->blas, emitter->problem->dtype, call->blas.provider, error)
               : status;
}

bool emit_only_scales(const struct emitter *emitter) {
    if (emitter->takes_extents) return scalar_is(emitter->problem->alpha, 0);
    return tcplan_problem_only_scales(emitter->problem);
}

/** Returns whether C := beta C has no effect. */
static bool keeps_result(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    if (!emitter->takes_extents) return problem_keeps_result(problem);
    if (tcplan_contraction_has_addend(problem->contraction)) return false;
    return scalar_is(problem->beta, 1) &&
           !scalar_conjugates(problem->contraction->tensor[TCPLAN_C].conjugated, problem->dtype);
}

/** Returns whether D := beta C reads the addend. */
static bool copies_addend(const struct emitter *emitter) {
    const struct tcplan_problem *problem = emitter->problem;
    return tcplan_contraction_has_addend(problem->contraction) && !keeps_result(emitter) &&
           !scalar_is(problem->beta, 0);
}

/** Emits D := beta C as nested loops instead of calls of copy functions. */
static void add_plain_copy(struct emitter *emitter, struct tcplan_slice result) {
    const struct tcplan_slice addend = {.operand = TCPLAN_ADDEND, .span = result.span};
    const bool conjugated = emitter->problem->contraction->tensor[TCPLAN_ADDEND].conjugated;
    const struct tcplan_copy copy = {.to = result,
                                     .from = addend,
                                     .update = {.alpha = emitter->problem->beta},
                                     .conjugated = conjugated};
    const struct copy_shape shape = emit_shape_of(emitter, &copy);
    emit_boxes(emitter, &shape, add_copied_box, &copy);
}

/** Emits C := beta C, or D := beta C if there is an addend. */
static void add_whole_scale(struct emitter *emitter) {
    const struct tcplan_slice result = {.operand = TCPLAN_C,
                                        .span = emitter->refined->refinement->indices[TCPLAN_C]};
    const bool conjugated = emitter->problem->contraction->tensor[TCPLAN_C].conjugated;
    if (keeps_result(emitter)) return;
    if (copies_addend(emitter)) {
        add_plain_copy(emitter, result);
    } else {
        add_scale(emitter, &(struct tcplan_scale){.slice = result,
                                                  .beta = emitter->problem->beta,
                                                  .conjugated = conjugated});
    }
}

static void add_unread(const struct emitter *emitter, enum tcplan_operand operand) {
    strbuf_add(emitter->out, "    (void)%s;\n", emit_operand(emitter, operand));
}

/** Emits the function of a problem without products, for which C is only scaled. */
static void add_scaling(struct emitter *emitter, const char *linkage) {
    add_signature(emitter, linkage);
    emitter->level = 1;
    add_unread(emitter, TCPLAN_A);
    add_unread(emitter, TCPLAN_B);
    if (tcplan_contraction_has_addend(emitter->problem->contraction) && !copies_addend(emitter))
        add_unread(emitter, TCPLAN_ADDEND);
    if (keeps_result(emitter)) add_unread(emitter, TCPLAN_C);
    if (emitter->takes_extents) emit_sign_check(emitter);
    emit_stride_checks(emitter);
    add_whole_scale(emitter);
    strbuf_add(emitter->out, "    return 0;\n}\n");
}

/** Emits the function that the threads of a parallel loop run. */
static void add_team_function(struct emitter *emitter, const struct emit_call *call) {
    emit_begin_team_function(emitter);
    emitter->level = 1;
    emit_kernel_setup(emitter, call);
    add_body(emitter, emitter->nest->body, call);
    strbuf_add(emitter->out, "}\n\n");
}

static void add_function(struct emitter *emitter, const struct emit_call *call,
                         const char *linkage) {
    const struct provider_code *provider = provider_code_of(call->blas.provider);
    const bool is_shared = emit_sharing(emitter).threads > 1;
    if (provider->emit_functions && !emit_is_own(emitter->nest))
        provider->emit_functions(emitter, call);
    if (is_shared) add_team_function(emitter, call);
    add_signature(emitter, linkage);
    emitter->level = 1;
    if (tcplan_contraction_has_addend(emitter->problem->contraction) &&
        contraction_added(emitter->problem->contraction) != TCPLAN_ADDEND)
        add_unread(emitter, TCPLAN_ADDEND);
    if (emitter->takes_extents) emit_extent_checks(emitter, call, add_whole_scale);
    if (!is_shared || asks_for_kernel(emitter, call)) emit_kernel_setup(emitter, call);
    emit_allocations(emitter);
    if (takes_blas_threads(emitter)) add_blas_threads(emitter, call);
    if (is_shared) {
        emit_team_run(emitter);
    } else {
        add_body(emitter, emitter->nest->body, call);
    }
    if (takes_blas_threads(emitter)) {
        strbuf_add(emitter->out,
                   "    if (blas_threads > 1) openblas_set_num_threads(blas_threads);\n");
    }
    if (emit_has_ends(emitter) && !emit_sharing(emitter).is_private[TCPLAN_C])
        emit_ends_write(emitter);
    if (emit_has_copy(emitter->nest->body)) emit_copy_fence(emitter);
    add_kernel_fence(emitter, call);
    emit_releases(emitter, "    ");
    strbuf_add(emitter->out, "    return 0;\n}\n");
}

bool emit_is_shared(const struct emitter *emitter) {
    if (emit_only_scales(emitter)) return false;
    const struct refined_problem refined =
        problem_refine(emitter->problem, emitter->nest->refinement);
    struct emitter inside = *emitter;
    inside.refined = &refined;
    return emit_sharing(&inside).threads > 1;
}

enum tcplan_status emit_function(const struct emitter *emitter, const char *linkage,
                                 struct tcplan_error *error) {
    const struct refined_problem refined =
        problem_refine(emitter->problem, emitter->nest->refinement);
    struct emitter inside = *emitter;
    struct emit_call call;
    enum tcplan_status status =
        emitter->takes_extents ? emit_check_strides(emitter->problem, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    if (tcplan_nest_workspace_bytes(emitter->nest, emitter->problem, emitter->threads) >
        PTRDIFF_MAX - SHARING_PAGE_BYTES) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "the temporaries of %d thread%s exceed the address space",
                         emitter->threads, emitter->threads == 1 ? "" : "s");
    }
    inside.refined = &refined;
    if (emit_only_scales(emitter)) {
        add_scaling(&inside, linkage);
        return TCPLAN_OK;
    }
    status = lower_kernel(&call, &inside, error);
    if (status == TCPLAN_OK) add_function(&inside, &call, linkage);
    return status;
}
