/* Commands on expressions of several block-sparse tensors. */
#include "base/alloc.h"
#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/commands/tensors/blocks.h"
#include "cli/emission.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/blocks.h"
#include "cli/request.h"
#include "tcplan/network_tree.h"

enum { MOST_OPERANDS = TCPLAN_BLOCK_TENSORS + 1 };

/** An expression to plan. Zero-initialise before use. */
struct work {
    const struct options *options;
    struct tcplan_network *network;
    int64_t *extent; /* extent of each index; NULL: not given */
    struct tcplan_block_formula formula;
    struct tcplan_block_operand operand[MOST_OPERANDS];
    int *dims[MOST_OPERANDS]; /* memory for the dimensions of each tensor */
    const char *name[MOST_OPERANDS];
    char *list[MOST_OPERANDS];         /* values of --blocks, one for each tensor */
    int path[TCPLAN_BLOCK_TENSORS][2]; /* factors of each product of --path */
    struct tcplan_planner *planner;
    struct tcplan_block_expression *expression;
    double measured[TCPLAN_BLOCK_TENSORS]; /* median seconds of each product, then of the whole
                                              expression */
};

static enum exit_status check_options(const struct options *options) {
    if (options_run(options, COMMAND(COMPARE)) || options_given(options, "compare"))
        return options_refuse(options, "block-sparse expressions of several tensors cannot be "
                                       "compared; compare the ways of one product");
    if (options->plot)
        return options_refuse(options,
                              "--plot draws one block-sparse product, not an expression of "
                              "several tensors");
    if (options->format == OUTPUT_CSV)
        return diagnose_as(EXIT_REFUSED,
                           "%s of an expression of several tensors prints text, json or xml",
                           options->command->name);
    return EXIT_DONE;
}

/* The expression. */

/** Rejects expressions that are not a single product of several tensors. */
static enum exit_status check_network(const struct tcplan_network *network) {
    if (network->term_count != 1 || network->sum_count > 0)
        return diagnose_as(EXIT_REFUSED,
                           "expected one product of block-sparse tensors, found a sum of %d terms; "
                           "compute each product with its own command, the later ones with +%s",
                           network->term_count, network->result.name);
    if (network->operand_count > TCPLAN_BLOCK_TENSORS)
        return diagnose_as(EXIT_REFUSED,
                           "expected a product of at most %d block-sparse tensors, found %d",
                           TCPLAN_BLOCK_TENSORS, network->operand_count);
    if (network->conjugates_added)
        return diagnose_as(EXIT_REFUSED, "the conjugate of a block-sparse result cannot be added");
    return EXIT_DONE;
}

static void make_formula(struct work *work) {
    const struct tcplan_network *network = work->network;
    const int factors = network->operand_count;
    for (int t = 0; t <= factors; t++) {
        const struct tcplan_network_operand *from =
            t < factors ? &network->operand[t] : &network->result;
        int *dims = work->dims[t] = base_alloc(((size_t)from->rank + 1) * sizeof *dims);
        for (int d = 0; dims && d < from->rank; d++) dims[d] = from->dims[d];
        work->name[t] = from->name;
        work->operand[t] =
            (struct tcplan_block_operand){from->name, from->rank, dims, from->conjugated};
    }
    work->formula = (struct tcplan_block_formula){.index = network->index,
                                                  .index_count = network->index_count,
                                                  .operand = work->operand,
                                                  .count = factors + 1,
                                                  .alpha = network->term[0].factor,
                                                  .beta = network->beta,
                                                  .order = network->order};
}

static enum exit_status read_sizes(struct work *work) {
    const struct options *options = work->options;
    char unused[TCPLAN_SIZES_UNUSED] = "";
    if (!options->sizes) return EXIT_DONE;
    work->extent = base_alloc(((size_t)work->network->index_count + 1) * sizeof *work->extent);
    if (!work->extent) return diagnose_no_memory();
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status read =
        tcplan_network_sizes_parse(&sizes, work->network, options->sizes, unused, &failure);
    if (read != TCPLAN_OK)
        return request_refuse_sizes(options, work->network->index, work->network->index_count);
    request_note_unused(options, unused);
    const enum exit_status status = request_check_points(options, tcplan_sizes_count(sizes), true);
    read = tcplan_network_sizes_point(work->extent, work->network, sizes, 0, &failure);
    tcplan_sizes_free(sizes);
    return status == EXIT_DONE ? diagnosed(read) : status;
}

/** Reads the order of --path. */
static enum exit_status read_path(struct work *work) {
    const struct options *options = work->options;
    const struct tcplan_network *network = work->network;
    struct tcplan_tree *tree = NULL;
    if (!options->path) return EXIT_DONE;
    int64_t *extent = base_alloc(((size_t)network->index_count + 1) * sizeof *extent);
    if (!extent) return diagnose_no_memory();
    for (int i = 0; i < network->index_count; i++) extent[i] = 1; /* only the order is read */
    const enum tcplan_status status = tcplan_tree_parse_path(
        &tree, network, extent, (enum tcplan_dtype)options->dtype, options->path, &failure);
    base_free(extent);
    if (status != TCPLAN_OK) return diagnose_failure(options->path);
    for (int s = 0; s < tree->step_count && s < TCPLAN_BLOCK_TENSORS; s++) {
        work->path[s][0] = tree->step[s].left;
        work->path[s][1] = tree->step[s].right;
    }
    work->formula.path = (const int(*)[2])work->path;
    tcplan_tree_free(tree);
    return EXIT_DONE;
}

static enum exit_status read_expression(struct work *work) {
    const struct options *options = work->options;
    if (tcplan_network_parse(&work->network, options->argument, (enum tcplan_order)options->order,
                             &failure) != TCPLAN_OK)
        return request_refuse_contraction(options);
    enum exit_status status = check_network(work->network);
    if (status != EXIT_DONE) return status;
    make_formula(work);
    for (int t = 0; t < work->formula.count; t++)
        if (!work->dims[t]) return diagnose_no_memory();
    status = read_sizes(work);
    if (status == EXIT_DONE) status = read_path(work);
    return status == EXIT_DONE
               ? blocks_read_lists(work->list, work->name, work->formula.count, options)
               : status;
}

/* Planning. */

static enum exit_status plan_expression(struct work *work) {
    const struct options *options = work->options;
    struct tcplan_block_text text = {.sections = options->blocks.sections,
                                     .charge = options->blocks.charge,
                                     .extent = work->extent};
    const char *wrong = NULL;
    for (int t = 0; t < work->formula.count; t++) text.blocks[t] = work->list[t];
    const enum tcplan_status status =
        tcplan_block_expression_parse(&work->expression, work->planner, &work->formula, &text,
                                      (enum tcplan_dtype)options->dtype, &wrong, &failure);
    if (status != TCPLAN_OK) return diagnose_failure(failure.column > 0 ? wrong : NULL);
    return options_run(options, COMMAND(MEASURE)) ? diagnosed(tcplan_block_expression_measure(
                                                        work->measured, work->expression, &failure))
                                                  : EXIT_DONE;
}

/** Plans the expression. Holds the lock of this machine while something is timed. */
static enum exit_status make_plan(struct work *work) {
    const struct options *options = work->options;
    struct tcplan_node_lock *lock = NULL;
    const bool times =
        options->effort != TCPLAN_EFFORT_ESTIMATE || options_run(options, COMMAND(MEASURE));
    enum exit_status status = times ? lock_hold(&lock, options) : EXIT_DONE;
    if (status == EXIT_DONE) status = blocks_make_planner(&work->planner, options);
    if (status == EXIT_DONE) status = plan_expression(work);
    if (lock) tcplan_node_lock_release(lock);
    tcplan_node_lock_close(lock);
    return status;
}

/* Output. */

static enum exit_status print(const struct work *work) {
    const struct options *options = work->options;
    const bool measures = options_run(options, COMMAND(MEASURE));
    const struct block_order_report report = {.options = options,
                                              .explains = options_run(options, COMMAND(EXPLAIN)),
                                              .lists = options_run(options, COMMAND(LIST)),
                                              .network = work->network,
                                              .expression = work->expression,
                                              .measured = measures ? work->measured : NULL};
    return blocks_emit(options) ? EXIT_DONE : printed_view(options, &block_order_view, &report);
}

enum exit_status block_order_run(const struct options *options) {
    struct options own = *options;
    struct work work = {.options = &own};
    struct emission emission = {0};
    enum exit_status status = check_options(options);
    if (status != EXIT_DONE) return status;
    if (options_run(options, COMMAND(LIST))) own.effort = TCPLAN_EFFORT_ESTIMATE;
    status = read_expression(&work);
    if (status == EXIT_DONE) status = blocks_open_emitted(&emission, &own);
    if (status == EXIT_DONE) status = make_plan(&work);
    if (status == EXIT_DONE) status = blocks_write_emitted(&emission, &own, NULL, work.expression);
    if (status == EXIT_DONE) status = print(&work);
    emission_discard(&emission);
    tcplan_block_expression_free(work.expression);
    tcplan_planner_free(work.planner);
    for (int t = 0; t < MOST_OPERANDS; t++) {
        base_free(work.list[t]);
        base_free(work.dims[t]);
    }
    base_free(work.extent);
    tcplan_network_free(work.network);
    return status;
}
