#include "distributed/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Texts. */

static enum tcplan_status read_network(struct expression *out,
                                       const struct tcplan_network_texts *texts, const char **wrong,
                                       struct tcplan_error *error) {
    *wrong = texts->notation;
    enum tcplan_status status =
        tcplan_network_parse(&out->network, texts->notation, texts->order, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_network *network = out->network;
    if (network->term_count != 1 || network->sum_count > 0)
        return error_set(
            error, TCPLAN_NOT_APPLICABLE,
            "sums of terms cannot be distributed yet; distribute each term alone, and add it to the result of the earlier terms: "
            "Z_ad=B_ab*C_bc*D_cd+Z_ad");
    if (network->operand_count < 2)
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "a distributed expression has at least two tensors");
    out->extent = base_alloc_zero((size_t)network->index_count + 1, sizeof *out->extent);
    out->layout = base_alloc_zero((size_t)network->tensor_count + 1, sizeof *out->layout);
    if (!out->extent || !out->layout) return error_no_memory(error);
    *wrong = texts->sizes;
    return tcplan_network_sizes(out->extent, network, texts->sizes ? texts->sizes : "", error);
}

static enum tcplan_status read_grid(struct expression *out,
                                    struct tcplan_distributed_options *options, const char **wrong,
                                    struct tcplan_error *error) {
    if (options->grid) {
        *wrong = options->grid;
        const enum tcplan_status status = grid_parse(&out->grid, options->grid, error);
        if (status != TCPLAN_OK) return status;
        const int processes = dist_grid_processes(&out->grid);
        if (options->processes > 0 && processes != options->processes)
            return error_at(error, TCPLAN_INVALID, 0, strlen(options->grid),
                            "the grid %s has %d processes, not %d", options->grid, processes,
                            options->processes);
        options->processes = processes;
        out->has_grid = true;
    }
    if (options->processes < 1 || options->processes > DISTRIBUTION_MOST_PROCESSES)
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d processes, found %d",
                         DISTRIBUTION_MOST_PROCESSES, options->processes);
    return TCPLAN_OK;
}

/* Layouts. */

/** Returns the number of the input tensor with a name, or of the result; -1 if there is none. */
static int tensor_named(const struct tcplan_network *network, const char *name, size_t length) {
    for (int t = 0; t <= network->tensor_count; t++) {
        const char *other = t < network->tensor_count ? network->operand[network->tensor[t]].name
                                                      : network->result.name;
        if (strlen(other) == length && memcmp(other, name, length) == 0) return t;
    }
    return -1;
}

/** Reads the layout of one tensor with the contraction of a step that has the tensor. Returns
 * TCPLAN_NOT_APPLICABLE if the step lacks it. */
static enum tcplan_status read_layout_in(struct tensor_layout *out,
                                         const struct tcplan_contraction *contraction,
                                         const char *name, const struct dist_grid *grid,
                                         const char *text, struct tcplan_error *error) {
    struct distribution distribution;
    int tensor = 0;
    while (tensor < DIST_TENSORS && strcmp(contraction->tensor[tensor].name, name) != 0) tensor++;
    if (tensor == DIST_TENSORS) return TCPLAN_NOT_APPLICABLE;
    const enum tcplan_status status =
        distribution_parse(&distribution, contraction, grid, text, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_tensor *of = &contraction->tensor[tensor];
    *out = (struct tensor_layout){.given = true, .layout = distribution.layout[tensor]};
    for (int s = 0; s < out->layout.count; s++) {
        int d = 0;
        while (of->dims[d] != out->layout.split[s].index) d++;
        out->layout.split[s].index = (uint8_t)d;
    }
    return TCPLAN_OK;
}

/** Reads the layout of one tensor, such as `A=a:0,i:1`. */
static enum tcplan_status read_layout(struct expression *out, const struct tcplan_tree *tree,
                                      const char *text, struct tcplan_error *error) {
    const size_t length = strcspn(text, "=");
    const int tensor = tensor_named(out->network, text, length);
    if (tensor < 0)
        return error_at(error, TCPLAN_INVALID, 0, length, "the expression has no tensor %.*s",
                        (int)(length < 64 ? length : 64), text);
    if (out->layout[tensor].given)
        return error_at(error, TCPLAN_INVALID, 0, length, "tensor %.*s is distributed twice",
                        (int)(length < 64 ? length : 64), text);
    const char *name = tensor < out->network->tensor_count
                           ? out->network->operand[out->network->tensor[tensor]].name
                           : out->network->result.name;
    enum tcplan_status status = TCPLAN_NOT_APPLICABLE;
    for (int s = 0; s < tree->step_count && status == TCPLAN_NOT_APPLICABLE; s++) {
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_problem problem;
        status = steps_problem(&contraction, &problem, tree, s, error);
        if (status == TCPLAN_OK)
            status =
                read_layout_in(&out->layout[tensor], contraction, name, &out->grid, text, error);
        tcplan_contraction_free(contraction);
    }
    return status;
}

/** Reads layouts, which blanks or semicolons separate. */
static enum tcplan_status read_layouts(struct expression *out, const char *text,
                                       struct tcplan_error *error) {
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status = out->has_grid ? tcplan_tree_make(&tree, out->network, out->extent,
                                                                 out->dtype, NULL, 0, error)
                                              : error_at(error, TCPLAN_INVALID, 0, strlen(text),
                                                         "a distribution needs a grid, as 4x2");
    for (const char *at = text; status == TCPLAN_OK && *at;) {
        at += strspn(at, "; \t");
        const size_t length = strcspn(at, "; \t");
        if (length == 0) break;
        struct strbuf one = {0};
        strbuf_append(&one, at, length);
        status = one.failed ? error_no_memory(error) : read_layout(out, tree, one.text, error);
        if (status == TCPLAN_INVALID && error && error->column > 0)
            error->column += (size_t)(at - text);
        strbuf_free(&one);
        at += length;
    }
    tcplan_tree_free(tree);
    return status;
}

/** Returns whether a dimension can be split wherever a tensor occurs: none of its indices there is
 * a diagonal. */
static bool is_divisible(const struct tcplan_network *network, int tensor, int dimension) {
    for (int o = 0; o < network->operand_count; o++) {
        const struct tcplan_network_operand *operand = &network->operand[o];
        if (operand->tensor != tensor) continue;
        for (int d = 0; d < operand->rank; d++) {
            if (d != dimension && operand->dims[d] == operand->dims[dimension]) return false;
        }
    }
    return true;
}

/** Sets the layout of a tensor that occurs several times: all processes divide its slowest
 * dimension that has an element for each of them; without one, each has a copy. */
static void set_repeated(struct expression *out, int tensor, int processes) {
    const struct tcplan_network *network = out->network;
    const struct tcplan_network_operand *operand = &network->operand[network->tensor[tensor]];
    struct tensor_layout *layout = &out->layout[tensor];
    *layout = (struct tensor_layout){.given = true};
    if (processes == 1) return;
    layout->layout.grid = (struct dist_grid){.axes = 1, .size = {processes}};
    for (int n = 0; n < operand->rank && layout->layout.count == 0; n++) {
        const int d = network->order == TCPLAN_ROW_MAJOR ? n : operand->rank - 1 - n;
        if (out->extent[operand->dims[d]] >= processes && is_divisible(network, tensor, d))
            layout->layout.split[layout->layout.count++] = (struct dist_split){(uint8_t)d, 0, 0};
    }
}

enum tcplan_status expression_read(struct expression *out, const struct tcplan_network_texts *texts,
                                   enum tcplan_dtype dtype,
                                   struct tcplan_distributed_options *options, const char **wrong,
                                   struct tcplan_error *error) {
    *out = (struct expression){.dtype = dtype};
    enum tcplan_status status = read_network(out, texts, wrong, error);
    if (status == TCPLAN_OK) status = read_grid(out, options, wrong, error);
    if (status == TCPLAN_OK && options->distribute) {
        *wrong = options->distribute;
        status = read_layouts(out, options->distribute, error);
    }
    if (status != TCPLAN_OK) return status;
    for (int t = 0; t < out->network->tensor_count; t++) {
        int uses = 0;
        for (int o = 0; o < out->network->operand_count; o++)
            uses += out->network->operand[o].tensor == t;
        if (uses > 1 && !out->layout[t].given) set_repeated(out, t, options->processes);
    }
    return TCPLAN_OK;
}

void expression_free(struct expression *expression) {
    tcplan_network_free(expression->network);
    base_free(expression->extent);
    base_free(expression->layout);
}

/* Orders. */

enum { MOST_FACTORS = 4, MOST_STEPS = 54 };

/** State of the enumeration of orders. */
struct ordering {
    const struct expression *expression;
    const struct tcplan_network_texts *texts;
    struct tcplan_planner *planner;
    struct order *out;
    int *count;
    const char **wrong;
    struct tcplan_error *error;
    int (*pair)[2]; /* pairs of the order that is being made */
};

/** Adds the tree of an order, without slices and shared steps, and with its layouts of
 * intermediates. The orders stay sorted by seconds. */
static enum tcplan_status add_tree(struct ordering *ordering, const struct tcplan_tree *found,
                                   double seconds) {
    const struct expression *of = ordering->expression;
    struct tcplan_tree *tree = NULL;
    int(*pair)[2] = base_alloc((size_t)found->step_count * sizeof *pair);
    if (!pair) return error_no_memory(ordering->error);
    for (int s = 0; s < found->step_count; s++) {
        pair[s][0] = found->step[s].left;
        pair[s][1] = found->step[s].right;
    }
    const enum tcplan_status status =
        tcplan_tree_make(&tree, of->network, of->extent, of->dtype, (const int(*)[2])pair,
                         found->step_count, ordering->error);
    base_free(pair);
    if (status != TCPLAN_OK) return status;
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].rank == found->step[s].rank && !tree->step[s].last &&
            found->step[s].same < 0)
            memcpy(tree->step[s].dims, found->step[s].dims, sizeof tree->step[s].dims);
    }
    int place = (*ordering->count)++;
    for (; place > 0 && ordering->out[place - 1].seconds > seconds; place--)
        ordering->out[place] = ordering->out[place - 1];
    ordering->out[place] = (struct order){tree, seconds};
    return TCPLAN_OK;
}

/** Adds the tree of an order in the form of tcplan_tree_text(). */
static enum tcplan_status add_text(struct ordering *ordering, const char *text) {
    const struct expression *of = ordering->expression;
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status =
        tcplan_tree_parse(&tree, of->network, of->extent, of->dtype, text, ordering->error);
    if (status == TCPLAN_OK) status = add_tree(ordering, tree, 0);
    tcplan_tree_free(tree);
    return status;
}

/** Finds the order of a path, or the fastest order on one process, and adds its tree. */
static enum tcplan_status add_order(struct ordering *ordering, const char *path) {
    struct tcplan_network_texts texts = *ordering->texts;
    struct tcplan_network_order *order = NULL;
    *ordering->wrong = path;
    if (path && path[strspn(path, " ")] != '[') return add_text(ordering, path);
    texts.path = path;
    enum tcplan_status status = tcplan_network_order_new(
        &order, ordering->planner, &texts, ordering->expression->dtype, ordering->error);
    if (status != TCPLAN_OK) return status;
    status =
        add_tree(ordering, tcplan_network_order_tree(order), tcplan_network_order_seconds(order));
    tcplan_network_order_free(order);
    return status;
}

/** Adds the order of the pairs. */
static enum tcplan_status add_pairs(struct ordering *ordering, int steps) {
    const struct expression *of = ordering->expression;
    struct tcplan_tree *tree = NULL;
    enum tcplan_status status =
        tcplan_tree_make(&tree, of->network, of->extent, of->dtype, (const int(*)[2])ordering->pair,
                         steps, ordering->error);
    char *path = status == TCPLAN_OK ? tcplan_tree_path(tree) : NULL;
    if (status == TCPLAN_OK)
        status = path ? add_order(ordering, path) : error_no_memory(ordering->error);
    free(path);
    tcplan_tree_free(tree);
    return status;
}

/** Multiplies any two of the remaining tensors, and continues with their product. Of two steps that
 * do not depend on each other, the one with the lower left tensor comes first. */
static enum tcplan_status extend(struct ordering *ordering, const int left[], int count, int step) {
    const int operands = ordering->expression->network->operand_count;
    enum tcplan_status status = TCPLAN_OK;
    if (count == 1) return add_pairs(ordering, step);
    for (int i = 0; i < count && status == TCPLAN_OK; i++) {
        for (int j = i + 1; j < count && status == TCPLAN_OK; j++) {
            int rest[MOST_FACTORS], next = 0;
            const bool depends = step > 0 && left[j] == operands + step - 1;
            if (step > 0 && !depends && left[i] < ordering->pair[step - 1][0]) continue;
            for (int k = 0; k < count; k++) {
                if (k != i && k != j) rest[next++] = left[k];
            }
            rest[next++] = operands + step;
            ordering->pair[step][0] = left[i];
            ordering->pair[step][1] = left[j];
            status = extend(ordering, rest, next, step + 1);
        }
    }
    return status;
}

/** An order in which the product of X and (Y, Z) is the product of Z and (X, Y). */
struct neighbour {
    int step, side; /* the step of the product, and which of its operands is the inner product */
    int moved;      /* which operand of the inner product is Z */
    double flops;
};

/** Appends the pairs of the steps that compute a tensor, and returns its number. `operand` has the
 * operands of each step of a tree. */
static int append_pairs(struct ordering *ordering, int (*operand)[2], int tensor, int *steps) {
    const int operands = ordering->expression->network->operand_count;
    if (tensor < operands) return tensor;
    const int left = append_pairs(ordering, operand, operand[tensor - operands][0], steps);
    const int right = append_pairs(ordering, operand, operand[tensor - operands][1], steps);
    ordering->pair[*steps][0] = left;
    ordering->pair[*steps][1] = right;
    return operands + (*steps)++;
}

/** Sets the pairs of a neighbour of a tree. Returns false if the operand of its step is no product.
 */
static bool set_pairs(struct ordering *ordering, const struct tcplan_tree *tree,
                      const struct neighbour *neighbour, int (*operand)[2]) {
    const int operands = ordering->expression->network->operand_count;
    int steps = 0;
    for (int s = 0; s < tree->step_count; s++) {
        operand[s][0] = tree->step[s].left;
        operand[s][1] = tree->step[s].right;
    }
    int *outer = operand[neighbour->step];
    const int inner = outer[neighbour->side] - operands;
    if (inner < 0) return false;
    const int other = outer[1 - neighbour->side];
    outer[1 - neighbour->side] = operand[inner][neighbour->moved];
    operand[inner][neighbour->moved] = other;
    append_pairs(ordering, operand, operands + tree->step_count - 1, &steps);
    return true;
}

/** Adds the neighbours of an order with the fewest operations. There are fewer of them if an order
 * has many steps, so that planning takes about as long as for four tensors. */
static enum tcplan_status add_neighbours(struct ordering *ordering,
                                         const struct tcplan_tree *fastest) {
    const struct expression *of = ordering->expression;
    const int steps = fastest->step_count;
    struct neighbour best[EXPRESSION_MOST_ORDERS];
    const int most = MOST_STEPS / steps < EXPRESSION_MOST_ORDERS ? MOST_STEPS / steps - 1
                                                                 : EXPRESSION_MOST_ORDERS - 1;
    int count = 0;
    struct tcplan_tree *from = tcplan_tree_copy(fastest);
    int(*operand)[2] = base_alloc((size_t)steps * sizeof *operand);
    enum tcplan_status status = from && operand ? TCPLAN_OK : error_no_memory(ordering->error);
    for (int n = 0; n < 4 * steps && most > 0 && status == TCPLAN_OK; n++) {
        struct neighbour neighbour = {.step = n / 4, .side = n / 2 % 2, .moved = n % 2};
        struct tcplan_tree *tree = NULL;
        if (!set_pairs(ordering, from, &neighbour, operand)) continue;
        if (tcplan_tree_make(&tree, of->network, of->extent, of->dtype,
                             (const int(*)[2])ordering->pair, steps, NULL) != TCPLAN_OK)
            continue; /* an intermediate has too many indices or elements */
        neighbour.flops = tcplan_tree_totals(tree).flops;
        tcplan_tree_free(tree);
        int place = count < most ? count++ : most;
        for (; place > 0 && best[place - 1].flops > neighbour.flops; place--) {
            if (place < most) best[place] = best[place - 1];
        }
        if (place < most) best[place] = neighbour;
    }
    for (int b = 0; b < count && status == TCPLAN_OK; b++) {
        set_pairs(ordering, from, &best[b], operand);
        status = add_pairs(ordering, steps);
    }
    tcplan_tree_free(from);
    base_free(operand);
    return status;
}

enum tcplan_status expression_orders(struct order out[EXPRESSION_MOST_ORDERS], int *count,
                                     const struct expression *expression,
                                     const struct tcplan_network_texts *texts,
                                     struct tcplan_planner *planner, const char **wrong,
                                     struct tcplan_error *error) {
    struct ordering ordering = {.expression = expression,
                                .texts = texts,
                                .planner = planner,
                                .out = out,
                                .count = count,
                                .wrong = wrong,
                                .error = error};
    int left[MOST_FACTORS];
    *count = 0;
    const int operands = expression->network->operand_count;
    if (texts->path) return add_order(&ordering, texts->path);
    ordering.pair = base_alloc((size_t)operands * sizeof *ordering.pair);
    if (!ordering.pair) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    if (operands > MOST_FACTORS) {
        status = add_order(&ordering, NULL);
        if (status == TCPLAN_OK) status = add_neighbours(&ordering, out[0].tree);
    } else {
        for (int o = 0; o < operands; o++) left[o] = o;
        status = extend(&ordering, left, operands, 0);
    }
    base_free(ordering.pair);
    return status;
}
