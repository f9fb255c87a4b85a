#include "network/tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "network/network.h"
#include "network/search/fused.h"
#include "network/sharing.h"
#include "network/text.h"
#include "tcplan/strides.h"

/* Tensors. */

bool tree_is_sliced(const struct tcplan_tree *tree, int index) {
    for (int s = 0; s < tree->sliced_count; s++) {
        if (tree->sliced[s] == index) return true;
    }
    return false;
}

struct tree_tensor tree_tensor_of(const struct tcplan_tree *tree, int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor == TCPLAN_TREE_ONE) return (struct tree_tensor){.rank = 0};
    if (tensor < network->operand_count) {
        const struct tcplan_network_operand *operand = &network->operand[tensor];
        return (struct tree_tensor){.rank = operand->rank,
                                    .dims = operand->dims,
                                    .conjugated = operand->conjugated,
                                    .is_whole = true,
                                    .name = operand->name};
    }
    assert(tensor - network->operand_count < tree->step_count);
    const struct tcplan_tree_step *step = &tree->step[tensor - network->operand_count];
    return (struct tree_tensor){
        .rank = step->rank,
        .dims = step->dims,
        .is_whole = step->last,
        .name = step->last ? tcplan_network_target(network, step->term)->name : NULL};
}

int tcplan_tree_tensor(uint16_t dims[TCPLAN_MAX_RANK], const struct tcplan_tree *tree, int tensor) {
    const struct tree_tensor all = tree_tensor_of(tree, tensor);
    int rank = 0;
    for (int d = 0; d < all.rank; d++) {
        if (tree_is_sliced(tree, all.dims[d])) continue;
        if (dims) dims[rank] = all.dims[d];
        rank++;
    }
    return rank;
}

static double elements_of(const struct tcplan_tree *tree, int tensor) {
    uint16_t dims[TCPLAN_MAX_RANK];
    double elements = 1;
    const int rank = tcplan_tree_tensor(dims, tree, tensor);
    for (int d = 0; d < rank; d++) elements *= (double)tree->extent[dims[d]];
    return elements;
}

/** Returns whether a name is the prefix followed by other characters. If the character after the
 * prefix repeats the prefix's letter, only the next longer prefix can match the name. */
static bool is_like(const char *name, const char *prefix) {
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] != '\0' && name[length] != prefix[0];
}

/** Chooses a prefix for the names of intermediates with which no tensor's name begins. */
static void choose_prefix(struct tcplan_tree *tree) {
    const struct tcplan_network *network = tree->network;
    bool taken = true;
    for (int length = 1; taken; length++) {
        memset(tree->prefix, 'T', (size_t)length);
        tree->prefix[length] = '\0';
        /* The longest prefix is used without a check. */
        if (length + 1 == (int)sizeof tree->prefix) return;
        taken = is_like(network->result.name, tree->prefix);
        for (int t = 0; t < network->tensor_count; t++)
            taken = taken || is_like(network->operand[network->tensor[t]].name, tree->prefix);
        for (int s = 0; s < network->sum_count; s++)
            taken = taken || is_like(network->sum[s].name, tree->prefix);
    }
}

/* Making. */

/** State of making a tree. */
struct maker {
    struct tcplan_tree *tree;
    int *uses; /* for each index, how many tensors of the term that are not multiplied yet have it
                */
    bool *in_result;        /* for each index, whether the result or sum of the term has it */
    unsigned char *is_left; /* for each tensor, whether no step has read it so far */
    struct tcplan_error *error;
};

static enum tcplan_status refuse(const struct maker *maker, int step, const char *why) {
    return error_set(maker->error, TCPLAN_INVALID,
                     "step %d of the order does not apply to this expression: %s", step + 1, why);
}

/** Adds `change` to the use counts of all indices of a tensor. */
static void count_uses(struct maker *maker, int tensor, int change) {
    const struct tree_tensor all = tree_tensor_of(maker->tree, tensor);
    for (int d = 0; d < all.rank; d++) {
        bool again = false;
        for (int e = 0; e < d; e++) again = again || all.dims[e] == all.dims[d];
        if (!again) maker->uses[all.dims[d]] += change;
        assert(maker->uses[all.dims[d]] >= 0);
    }
}

static int term_of(const struct tcplan_tree *tree, int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor >= network->operand_count) return tree->step[tensor - network->operand_count].term;
    int term = 0;
    while (tensor >= network->term[term].first + network->term[term].count) term++;
    assert(term < network->term_count && tensor >= network->term[term].first);
    return term;
}

/** Appends an index to the result of a step if the result lacks it, and later steps or the term's
 * result need it. Returns false if the result would have too many indices. */
static bool add_index(struct maker *maker, struct tcplan_tree_step *step, int index) {
    if (maker->uses[index] == 0 && !maker->in_result[index]) return true;
    for (int d = 0; d < step->rank; d++) {
        if (step->dims[d] == index) return true;
    }
    if (step->rank == TCPLAN_MAX_RANK) return false;
    step->dims[step->rank++] = (uint16_t)index;
    return true;
}

/** Finds the indices of a step's result that later steps or the term's result need: first those of
 * the left tensor, then those of the right one. */
static bool find_dims(struct maker *maker, struct tcplan_tree_step *step) {
    const struct tcplan_network_operand *result =
        tcplan_network_target(maker->tree->network, step->term);
    if (step->last) {
        step->rank = result->rank;
        memcpy(step->dims, result->dims, (size_t)result->rank * sizeof *step->dims);
        return true;
    }
    for (int side = 0; side < 2; side++) {
        const struct tree_tensor all = tree_tensor_of(maker->tree, side ? step->right : step->left);
        for (int d = 0; d < all.rank; d++) {
            if (!add_index(maker, step, all.dims[d])) return false;
        }
    }
    return true;
}

/** Removes a tensor from those that are not multiplied yet; returns false if a step has already
 * read it. */
static bool take(struct maker *maker, int tensor, int step) {
    if (tensor < 0 || tensor >= maker->tree->network->operand_count + step ||
        !maker->is_left[tensor])
        return false;
    maker->is_left[tensor] = 0;
    count_uses(maker, tensor, -1);
    return true;
}

/**
 * Makes step `s`, which multiplies a pair of tensors.
 *
 * @param left_over  for each term, the number of its remaining tensors
 */
static enum tcplan_status make_step(struct maker *maker, int s, const int pair[2], int *left_over) {
    struct tcplan_tree *tree = maker->tree;
    struct tcplan_tree_step *step = &tree->step[s];
    const bool single = pair[1] == TCPLAN_TREE_ONE;
    step->left = pair[0];
    step->right = pair[1];
    if (!take(maker, pair[0], s) || (!single && !take(maker, pair[1], s)))
        return refuse(maker, s, "it uses a tensor that does not exist or was used before");
    if (!single && term_of(tree, pair[1]) != step->term)
        return refuse(maker, s, "it multiplies tensors of different terms");
    if (single && tree->network->term[step->term].count != 1)
        return refuse(maker, s, "it has only one tensor");
    left_over[step->term] -= single ? 0 : 1;
    assert(left_over[step->term] >= 1); /* Both tensors were in the list of remaining tensors, so at
                                           least one is left. */
    step->last = left_over[step->term] == 1;
    if (!find_dims(maker, step)) {
        return error_set(maker->error, TCPLAN_INVALID,
                         "step %d has a result of more than %d indices", s + 1, TCPLAN_MAX_RANK);
    }
    step->same = -1;
    step->joined = -1;
    maker->is_left[tree->network->operand_count + s] = !step->last;
    if (!step->last) count_uses(maker, tree->network->operand_count + s, 1);
    return TCPLAN_OK;
}

static enum tcplan_status make_steps(struct maker *maker, const int (*pair)[2], int count) {
    const struct tcplan_network *network = maker->tree->network;
    int *left_over = base_alloc((size_t)network->term_count * sizeof *left_over);
    if (!left_over) return error_no_memory(maker->error);
    for (int t = 0; t < network->term_count; t++) left_over[t] = network->term[t].count;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < count && status == TCPLAN_OK; s++) {
        if (pair[s][0] < 0 || pair[s][0] >= network->operand_count + s)
            status = refuse(maker, s, "it uses a tensor that does not exist");
        if (status == TCPLAN_OK) maker->tree->step[s].term = term_of(maker->tree, pair[s][0]);
    }
    /* Terms have no tensor in common, so the uses are counted for one term at a time. */
    for (int t = 0; t < network->term_count && status == TCPLAN_OK; t++) {
        const struct tcplan_network_operand *target = tcplan_network_target(network, t);
        memset(maker->uses, 0, (size_t)network->index_count * sizeof *maker->uses);
        memset(maker->in_result, 0, (size_t)network->index_count * sizeof *maker->in_result);
        for (int d = 0; d < target->rank; d++) maker->in_result[target->dims[d]] = true;
        for (int o = network->term[t].first; o < network->term[t].first + network->term[t].count;
             o++)
            count_uses(maker, o, 1);
        for (int s = 0; s < count && status == TCPLAN_OK; s++) {
            if (maker->tree->step[s].term == t) status = make_step(maker, s, pair[s], left_over);
        }
        if (status == TCPLAN_OK && (left_over[t] != 1 || maker->is_left[network->term[t].first])) {
            status = error_set(maker->error, TCPLAN_INVALID,
                               "the order does not use all factors of term %d", t + 1);
        }
    }
    base_free(left_over);
    return status;
}

static enum tcplan_status make_left_to_right(struct maker *maker) {
    const struct tcplan_network *network = maker->tree->network;
    const int most = maker->tree->step_count;
    int(*pair)[2] = base_alloc((size_t)most * sizeof *pair);
    int count = 0;
    if (!pair) return error_no_memory(maker->error);
    for (int t = 0; t < network->term_count; t++) {
        const struct tcplan_network_term *term = &network->term[t];
        for (int o = 1; o < term->count || o == 1; o++) {
            pair[count][0] = o == 1 ? term->first : network->operand_count + count - 1;
            pair[count][1] = term->count == 1 ? TCPLAN_TREE_ONE : term->first + o;
            count++;
        }
    }
    assert(count == most);
    const enum tcplan_status status = make_steps(maker, (const int(*)[2])pair, count);
    base_free(pair);
    return status;
}

/** Determines which steps run only once, and computes the operations and bytes of each step. */
static enum tcplan_status describe_steps(struct tcplan_tree *tree, struct tcplan_error *error) {
    const int operands = tree->network->operand_count;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        struct tcplan_tree_step *step = &tree->step[s];
        const int side[2] = {step->left, step->right};
        step->once = true;
        for (int i = 0; i < 2; i++) {
            const struct tree_tensor all = tree_tensor_of(tree, side[i]);
            for (int d = 0; d < all.rank; d++)
                step->once = step->once && !tree_is_sliced(tree, all.dims[d]);
            assert(side[i] < operands + s); /* A step can use only the results of earlier steps. */
            if (side[i] >= operands) step->once = step->once && tree->step[side[i] - operands].once;
        }
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_problem problem;
        status = tcplan_tree_step_contraction(&contraction, tree, s, false, error);
        if (status == TCPLAN_OK)
            status = tcplan_tree_step_problem(&problem, tree, contraction, error);
        tcplan_contraction_free(contraction);
        if (status != TCPLAN_OK) break;
        step->flops = problem.flops;
        step->bytes = elements_of(tree, operands + s) * (double)problem.element_bytes;
    }
    return status;
}

/** Returns the number of steps in a network's trees. */
static int steps_of(const struct tcplan_network *network) {
    int count = 0;
    for (int t = 0; t < network->term_count; t++)
        count += network->term[t].count > 1 ? network->term[t].count - 1 : 1;
    return count;
}

enum tcplan_status tcplan_tree_make(struct tcplan_tree **out, const struct tcplan_network *network,
                                    const int64_t extent[], enum tcplan_dtype dtype,
                                    const int (*pair)[2], int count, struct tcplan_error *error) {
    const int steps = steps_of(network);
    if (pair && count != steps) {
        return error_set(error, TCPLAN_INVALID, "expected an order of %d step%s, found one of %d",
                         steps, steps == 1 ? "" : "s", count);
    }
    struct tcplan_tree *tree = base_alloc_zero(1, sizeof *tree);
    struct maker maker = {.tree = tree, .error = error};
    const size_t indices = (size_t)network->index_count + 1;
    if (!tree) return error_no_memory(error);
    *tree = (struct tcplan_tree){.network = network, .dtype = dtype, .step_count = steps};
    tree->extent = base_alloc(indices * sizeof *tree->extent);
    tree->step = base_alloc_zero((size_t)steps, sizeof *tree->step);
    maker.uses = base_alloc(indices * sizeof *maker.uses);
    maker.in_result = base_alloc_zero(indices, sizeof *maker.in_result);
    maker.is_left = base_alloc_zero((size_t)network->operand_count + (size_t)steps, 1);
    enum tcplan_status status =
        tree->extent && tree->step && maker.uses && maker.in_result && maker.is_left
            ? TCPLAN_OK
            : error_no_memory(error);
    if (status == TCPLAN_OK) {
        memcpy(tree->extent, extent, (size_t)network->index_count * sizeof *extent);
        memset(maker.is_left, 1, (size_t)network->operand_count);
        choose_prefix(tree);
        status = pair ? make_steps(&maker, pair, count) : make_left_to_right(&maker);
    }
    if (status == TCPLAN_OK) status = describe_steps(tree, error);
    base_free(maker.uses);
    base_free(maker.in_result);
    base_free(maker.is_left);
    if (status == TCPLAN_OK) {
        *out = tree;
    } else {
        tcplan_tree_free(tree);
    }
    return status;
}

struct tcplan_tree *tcplan_tree_copy(const struct tcplan_tree *tree) {
    struct tcplan_tree *copy = base_alloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *tree;
    const size_t indices = (size_t)tree->network->index_count + 1;
    copy->extent = base_alloc(indices * sizeof *copy->extent);
    copy->step = base_alloc((size_t)tree->step_count * sizeof *copy->step);
    bool copied = copy->extent && copy->step;
    if (copied) memcpy(copy->extent, tree->extent, (indices - 1) * sizeof *copy->extent);
    for (int s = 0; copy->step && s < tree->step_count; s++) {
        copy->step[s] = tree->step[s];
        if (tree->step[s].algorithm)
            copied =
                (copy->step[s].algorithm = base_strdup(tree->step[s].algorithm)) != NULL && copied;
    }
    if (copied) return copy;
    tcplan_tree_free(copy);
    return NULL;
}

void tcplan_tree_free(struct tcplan_tree *tree) {
    if (!tree) return;
    for (int s = 0; tree->step && s < tree->step_count; s++) base_free(tree->step[s].algorithm);
    base_free(tree->step);
    base_free(tree->extent);
    base_free(tree);
}

enum tcplan_status tcplan_tree_slice(struct tcplan_tree *tree, int index,
                                     struct tcplan_error *error) {
    if (tree_is_sliced(tree, index)) {
        return error_set(error, TCPLAN_INVALID, "index '%.40s' is sliced already",
                         tree->network->index[index]);
    }
    if (tree->network->sum_count > 0) {
        return error_set(error, TCPLAN_INVALID,
                         "index '%.40s' cannot be sliced: named sums such as '%.40s' are computed "
                         "as a whole",
                         tree->network->index[index], tree->network->sum[0].name);
    }
    if (tree->sliced_count == TCPLAN_TREE_SLICED) {
        return error_set(error, TCPLAN_INVALID,
                         "index '%.40s' exceeds the limit of %d sliced indices",
                         tree->network->index[index], TCPLAN_TREE_SLICED);
    }
    fused_part(tree);
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].same >= 0) sharing_remove(tree, s);
    }
    tree->sliced[tree->sliced_count++] = (uint16_t)index;
    for (int s = 0; s < tree->step_count; s++) {
        struct tcplan_tree_step *step = &tree->step[s];
        int rank = 0;
        for (int d = 0; d < step->rank && !step->last; d++) {
            if (step->dims[d] != index) step->dims[rank++] = step->dims[d];
        }
        if (!step->last) step->rank = rank;
    }
    return describe_steps(tree, error);
}

/* Steps as contractions. */

/** Appends the name of a tensor of a step. */
static void print_name(struct strbuf *out, const struct tcplan_tree *tree, int tensor) {
    const struct tree_tensor all = tree_tensor_of(tree, tensor);
    if (all.name) {
        strbuf_add(out, "%s", all.name);
    } else if (tensor == TCPLAN_TREE_ONE) {
        strbuf_add(out, "%sone", tree->prefix);
    } else {
        strbuf_add(out, "%s%d", tree->prefix, sharing_maker(tree, tensor) + 1);
    }
}

/** Appends a tensor without its sliced indices. `again`: uses another name, because the other
 * factor has the same name with different dimensions. */
static void print_factor(struct strbuf *out, const struct tcplan_tree *tree, int tensor,
                         bool again) {
    uint16_t dims[TCPLAN_MAX_RANK];
    const int rank = tcplan_tree_tensor(dims, tree, tensor);
    const bool conjugated = tree_tensor_of(tree, tensor).conjugated;
    strbuf_add(out, "%s", conjugated ? "conj(" : "");
    if (again) {
        strbuf_add(out, "%sagain", tree->prefix);
    } else {
        print_name(out, tree, tensor);
    }
    strbuf_add(out, "%s[", conjugated ? ")" : "");
    for (int d = 0; d < rank; d++)
        strbuf_add(out, "%s%s", d > 0 ? "," : "", tree->network->index[dims[d]]);
    strbuf_add(out, "]");
}

static bool has_sliced(const struct tcplan_tree *tree, int tensor) {
    return tcplan_tree_tensor(NULL, tree, tensor) < tree_tensor_of(tree, tensor).rank;
}

/** Sets the strides of a slice. They are those of the whole tensor, without the sliced indices. */
static enum tcplan_status set_strides(struct tcplan_contraction *contraction,
                                      enum tcplan_operand operand, const struct tcplan_tree *tree,
                                      int tensor, struct tcplan_error *error) {
    const struct tree_tensor all = tree_tensor_of(tree, tensor);
    int64_t stride[TCPLAN_MAX_RANK];
    int64_t elems = 1;
    int rank = tcplan_tree_tensor(NULL, tree, tensor);
    if (!all.is_whole || rank == all.rank) return TCPLAN_OK;
    const bool first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    for (int i = 0, left = 0; i < all.rank; i++) {
        const int d = first ? i : all.rank - 1 - i;
        if (!tree_is_sliced(tree, all.dims[d])) {
            stride[first ? left : rank - 1 - left] = elems;
            left++;
        }
        if (tree->extent[all.dims[d]] > 0)
            elems *= tree->extent[all.dims[d]]; /* This cannot overflow: tcplan_tree_make() checks
                                                   the sizes of whole tensors. */
    }
    return tcplan_contraction_set_strides(contraction, operand, stride, error);
}

enum tcplan_status tcplan_tree_step_contraction(struct tcplan_contraction **out,
                                                const struct tcplan_tree *tree, int s, bool later,
                                                struct tcplan_error *error) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *step = &tree->step[s];
    const int result = network->operand_count + s;
    struct strbuf text = {0};
    const struct tree_tensor left = tree_tensor_of(tree, step->left),
                             right = tree_tensor_of(tree, step->right);
    const bool same = left.name && right.name && strcmp(left.name, right.name) == 0;
    const bool again = same && (has_sliced(tree, step->left) || has_sliced(tree, step->right));
    print_factor(&text, tree, result, false);
    strbuf_add(&text, "=");
    if (step->last) network_print_factor(&text, network->term[step->term].factor, "");
    print_factor(&text, tree, step->left, false);
    strbuf_add(&text, "*");
    print_factor(&text, tree, step->right, again);
    const bool adds = step->last && (!tcplan_network_begins(network, step->term) || later);
    const bool scales = step->last && !adds &&
                        network->term[step->term].into == network->sum_count &&
                        (network->beta.re != 0 || network->beta.im != 0);
    if (adds) strbuf_add(&text, "+");
    if (scales) network_print_factor(&text, network->beta, "+");
    if (scales && network->conjugates_added) strbuf_add(&text, "conj(%s)", network->result.name);
    if (scales && network->conjugates_added) {
        struct strbuf plain = {0};
        print_factor(&plain, tree, result, false);
        if (plain.text) strbuf_add(&text, "%s", plain.text + strlen(network->result.name));
        strbuf_free(&plain);
    } else if (adds || scales) {
        print_factor(&text, tree, result, false);
    }
    char *notation = strbuf_finish(&text);
    if (!notation) return error_no_memory(error);
    struct tcplan_contraction *contraction = NULL;
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, notation, network->order, error);
    free(notation);
    if (status != TCPLAN_OK) return status;
    status = set_strides(contraction, TCPLAN_A, tree, step->left, error);
    if (status == TCPLAN_OK) status = set_strides(contraction, TCPLAN_B, tree, step->right, error);
    if (status == TCPLAN_OK && step->last)
        status = set_strides(contraction, TCPLAN_C, tree, result, error);
    if (status == TCPLAN_OK) {
        tcplan_contraction_fit_type(contraction, tree->dtype);
        *out = contraction;
    } else {
        tcplan_contraction_free(contraction);
    }
    return status;
}

static int64_t extent_of(const struct tcplan_tree *tree, const char *name) {
    int index = 0;
    while (strcmp(tree->network->index[index], name) != 0) index++;
    return tree->extent[index];
}

enum tcplan_status tcplan_tree_step_problem(struct tcplan_problem *out,
                                            const struct tcplan_tree *tree,
                                            const struct tcplan_contraction *contraction,
                                            struct tcplan_error *error) {
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    for (int i = 0; i < contraction->index_count; i++)
        extent[i] = extent_of(tree, contraction->index[i].name);
    return tcplan_problem_init(out, contraction, extent, tree->dtype, error);
}

/* All steps. */

/** Returns the number of iterations of the loops over the sliced indices of a term. */
static double term_slices(const struct tcplan_tree *tree, int term) {
    const struct tcplan_network_term *factors = &tree->network->term[term];
    double slices = 1;
    for (int i = 0; i < tree->sliced_count; i++) {
        if (network_term_has(tree->network, factors, tree->sliced[i]))
            slices *= (double)tree->extent[tree->sliced[i]];
    }
    return slices;
}

double tcplan_tree_step_times(const struct tcplan_tree *tree, int step) {
    if (tree->step[step].idle) return 0;
    return tree->step[step].once ? 1 : term_slices(tree, tree->step[step].term);
}

/** State of computing the memory of intermediates and sums while the steps run in order. */
struct counting {
    int of_step[TCPLAN_NETWORK_OPERANDS]; /* for each step, how many later steps still have to read
                                             its result */
    int of_sum[TCPLAN_NETWORK_SUMS]; /* for each sum, how many later steps still have to read it */
    double now;                      /* present bytes */
};

/** Returns the address of the number of steps that still have to read a tensor; NULL for a tensor
 * of the caller and for the number 1. */
static int *readers_of(struct counting *counting, const struct tcplan_tree *tree, int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor >= network->operand_count) return &counting->of_step[sharing_maker(tree, tensor)];
    if (tensor < 0 || network->operand[tensor].tensor < TCPLAN_NETWORK_SUMS) return NULL;
    return &counting->of_sum[network->operand[tensor].tensor - TCPLAN_NETWORK_SUMS];
}

/** Counts, for each step's result and each sum, the executed steps that read it. */
static void count_readers(struct counting *counting, const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        const int side[2] = {tree->step[s].left, tree->step[s].right};
        for (int i = 0; i < 2 && !tree->step[s].idle; i++) {
            int *readers = readers_of(counting, tree, side[i]);
            if (readers) ++*readers;
        }
    }
}

/** Returns the bytes that become free when a step is the last reader of a tensor; 0 if other steps
 * still read it. */
static double freed_bytes(struct counting *counting, const struct tcplan_tree *tree, int s,
                          int tensor) {
    int *readers = readers_of(counting, tree, tensor);
    if (!readers || --*readers > 0) return 0;
    if (tensor < tree->network->operand_count)
        return elements_of(tree, tensor) * (double)tcplan_dtype_bytes(tree->dtype);
    const struct tcplan_tree_step *maker = &tree->step[sharing_maker(tree, tensor)];
    /* Tensors made before the loops are freed only after the loops. */
    return !maker->once || tree->step[s].once ? maker->bytes : 0;
}

/** Adds the operations, time and memory of a step to the totals. */
static void count_step(struct tcplan_tree_totals *totals, struct counting *counting,
                       const struct tcplan_tree *tree, int s) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *step = &tree->step[s];
    const int side[2] = {step->left, step->right};
    const double times = tcplan_tree_step_times(tree, s);
    totals->flops += times * step->flops;
    totals->seconds += times * step->seconds;
    if (times > totals->slices) totals->slices = times;
    const bool begins_sum = step->last && network->term[step->term].into < network->sum_count &&
                            tcplan_network_begins(network, step->term);
    if (!step->last || begins_sum) {
        counting->now += step->bytes;
        if (step->bytes > totals->largest_bytes) totals->largest_bytes = step->bytes;
    }
    if (counting->now > totals->peak_bytes) totals->peak_bytes = counting->now;
    for (int i = 0; i < 2; i++) counting->now -= freed_bytes(counting, tree, s, side[i]);
}

struct tcplan_tree_totals tcplan_tree_totals(const struct tcplan_tree *tree) {
    struct tcplan_tree_totals totals = {.slices = 1};
    struct counting counting = {.now = 0};
    bool known = true;
    count_readers(&counting, tree);
    for (int s = 0; s < tree->step_count; s++)
        known = known && (tree->step[s].idle || tree->step[s].seconds > 0);
    for (int pass = 0; pass < 2; pass++) { /* Steps that run only once come first. */
        for (int t = 0; t < tree->network->term_count; t++) {
            for (int s = 0; s < tree->step_count; s++) {
                if (tree->step[s].term != t || tree->step[s].idle ||
                    tree->step[s].once != (pass == 0))
                    continue;
                count_step(&totals, &counting, tree, s);
            }
        }
    }
    if (!known) totals.seconds = 0;
    return totals;
}
