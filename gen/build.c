#include "ast/algorithm.h"
#include "ast/refine.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/build_parts.h"

struct tcplan_kernel_call build_call(const struct tcplan_nest *nest) {
    struct tcplan_kernel_call call = {.kernel = nest->algorithm.kernel, .provider = nest->algorithm.choices.provider};
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        call.group[role] = algorithm_group(&nest->algorithm, contraction_source(nest->contraction), (enum tcplan_role)role);
        call.role[role] = (int8_t)(call.group[role].count > 0 ? call.group[role].index[0] : -1);
    }
    return call;
}

/** Where the parts of a nest of the `blas` space go: numbers of loops around them. */
struct placement {
    const struct tcplan_nest *nest;
    const struct tcplan_contraction *contraction;
    const struct tcplan_algorithm *algorithm;
    int copy_depth[TCPLAN_OPERANDS]; /* -1: no copy */
    bool read_result;                /* the result's temporary is filled from the result first */
    int scale_depth;                 /* -1: nothing to scale */
    bool scale_temporary;
    bool kernel_uses_beta;
};

static bool is_one(struct tcplan_scalar s) {
    return s.re == 1 && s.im == 0;
}

static bool is_zero(struct tcplan_scalar s) {
    return s.re == 0 && s.im == 0;
}

/** Loops outside the first contracted one; all of them where no loop is contracted. */
static int depth_of_first_contracted(const struct tcplan_contraction *contraction, const struct tcplan_algorithm *algorithm) {
    int depth = 0;
    while (depth < algorithm->loop_count && contraction->index[algorithm->loop[depth]].kind != TCPLAN_CONTRACTED) depth++;
    return depth;
}

static bool kernel_has_beta(enum tcplan_kernel kernel) {
    return kernel == TCPLAN_DOT || kernel == TCPLAN_GEMV || kernel == TCPLAN_GEMM;
}

static void place_beta(struct placement *place) {
    const struct tcplan_scalar beta = place->contraction->beta;
    const int first_contracted = depth_of_first_contracted(place->contraction, place->algorithm);
    const bool through_temporary = place->copy_depth[TCPLAN_C] >= 0;
    /* Contracted loops around the temporary make it accumulate over several visits to the same slice. */
    const bool revisited = through_temporary && first_contracted < place->copy_depth[TCPLAN_C];
    place->read_result = through_temporary && (revisited || !is_zero(beta));
    if (is_one(beta)) return;
    place->kernel_uses_beta = first_contracted == place->algorithm->loop_count && kernel_has_beta(place->algorithm->kernel);
    if (place->kernel_uses_beta) return;
    place->scale_depth = first_contracted;
    place->scale_temporary = through_temporary && !revisited;
}

static struct placement place_parts(const struct tcplan_nest *nest) {
    const struct tcplan_contraction *contraction = nest->contraction;
    const struct tcplan_algorithm *algorithm = &nest->algorithm;
    struct placement place = {.nest = nest, .contraction = contraction, .algorithm = algorithm, .scale_depth = -1};
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        bool copied = algorithm_needs_copy(algorithm, contraction, (enum tcplan_operand)operand);
        place.copy_depth[operand] = copied ? algorithm_copy_depth(algorithm, contraction, (enum tcplan_operand)operand) : -1;
    }
    place_beta(&place);
    return place;
}

static struct tcplan_slice slice_of(const struct placement *place, enum tcplan_operand operand, bool temporary) {
    return (struct tcplan_slice){
        .operand = operand, .temporary = temporary, .span = algorithm_span(place->algorithm, place->contraction, operand)};
}

static const struct tcplan_node *add_kernel(struct arena *arena, const struct placement *place, const struct tcplan_node *rest) {
    struct tcplan_kernel_call call = build_call(place->nest);
    call.uses_beta = place->kernel_uses_beta;
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        call.slice[operand] = slice_of(place, (enum tcplan_operand)operand, place->copy_depth[operand] >= 0);
    }
    return node_kernel(arena, call, rest);
}

static const struct tcplan_node *add_copy_in(struct arena *arena, const struct placement *place, enum tcplan_operand operand,
                                             const struct tcplan_node *rest) {
    return node_copy(arena, (struct tcplan_copy){.to = slice_of(place, operand, true), .from = slice_of(place, operand, false)}, rest);
}

static const struct tcplan_node *add_copy_back(struct arena *arena, const struct placement *place) {
    struct tcplan_copy copy = {.to = slice_of(place, TCPLAN_C, false), .from = slice_of(place, TCPLAN_C, true)};
    return node_copy(arena, copy, NULL);
}

static const struct tcplan_node *add_scale(struct arena *arena, const struct placement *place, const struct tcplan_node *rest) {
    struct tcplan_scale scale = {.slice = slice_of(place, TCPLAN_C, place->scale_temporary)};
    if (!place->scale_temporary) {
        scale.slice.span = place->contraction->tensor[TCPLAN_C].indices;
        for (int l = 0; l < place->scale_depth; l++) scale.slice.span &= ~indexset_of(place->algorithm->loop[l]);
    }
    return node_scale(arena, scale, rest);
}

static const struct tcplan_node *add_body(struct arena *arena, const struct placement *place, int depth);

static const struct tcplan_node *add_loop(struct arena *arena, const struct placement *place, int depth, const struct tcplan_node *rest) {
    const struct tcplan_node *body = add_body(arena, place, depth + 1);
    return body ? node_loop(arena, place->algorithm->loop[depth], body, rest) : NULL;
}

/** The body inside `depth` loops: copies in, scaling, the next loop or the kernel, the copy back. NULL when memory is out. */
static const struct tcplan_node *add_body(struct arena *arena, const struct placement *place, int depth) {
    const bool innermost = depth == place->algorithm->loop_count;
    const bool copies_back = place->copy_depth[TCPLAN_C] == depth;
    const struct tcplan_node *after = copies_back ? add_copy_back(arena, place) : NULL;
    if (copies_back && !after) return NULL;
    const struct tcplan_node *inside = innermost ? add_kernel(arena, place, after) : add_loop(arena, place, depth, after);
    if (inside && place->scale_depth == depth) inside = add_scale(arena, place, inside);
    if (inside && copies_back && place->read_result) inside = add_copy_in(arena, place, TCPLAN_C, inside);
    if (inside && place->copy_depth[TCPLAN_B] == depth) inside = add_copy_in(arena, place, TCPLAN_B, inside);
    if (inside && place->copy_depth[TCPLAN_A] == depth) inside = add_copy_in(arena, place, TCPLAN_A, inside);
    return inside;
}

/** The body of a nest of the `blas` space. */
static const struct tcplan_node *build_by_rules(struct nest_storage *storage) {
    struct tcplan_nest *nest = &storage->nest;
    const struct placement place = place_parts(nest);
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        if (place.copy_depth[operand] < 0) continue;
        nest->temporary_span[operand] = algorithm_span(&nest->algorithm, nest->contraction, (enum tcplan_operand)operand);
    }
    return add_body(&storage->arena, &place, 0);
}

enum tcplan_status tcplan_nest_build(struct tcplan_nest **out, const struct tcplan_contraction *contraction,
                                     const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    enum tcplan_status status = algorithm_check(algorithm, contraction, error);
    if (status != TCPLAN_OK) return status;
    struct nest_storage *storage = nest_new(contraction, algorithm);
    if (!storage) return error_no_memory(error);
    struct tcplan_nest *nest = &storage->nest;
    if (algorithm->choices.made) nest->contraction = contraction_refine(&storage->arena, contraction, algorithm);
    if (nest->contraction) nest->body = algorithm->choices.made ? build_choices(storage) : build_by_rules(storage);
    if (!nest->body) {
        tcplan_nest_free(nest);
        return error_no_memory(error);
    }
    *out = nest;
    return TCPLAN_OK;
}
