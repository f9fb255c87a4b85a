#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/algorithms/results.h"
#include "cli/render/text/values.h"

static void add_option(struct strbuf *out, const char *name, const char *value) {
    if (!value) return;
    strbuf_add(out, " --%s", name);
    quoted_add(out, value);
}

/** Appends an option and its value, and frees the value; NULL means that memory ran out. */
static void add_owned(struct strbuf *out, const char *name, char *value) {
    add_option(out, name, value);
    out->failed = out->failed || !value;
    free(value);
}

static void add_strides(struct strbuf *out, const struct request *request) {
    char *strides = tcplan_strides_text(request->contraction);
    if (strides && *strides) add_option(out, "strides", strides);
    out->failed = out->failed || !strides;
    free(strides);
}

/** Appends the options about tensors and the machine. */
static void add_setting(struct strbuf *out, const struct options *options, int threads) {
    if (options->dtype != TCPLAN_DOUBLE)
        strbuf_add(out, " --dtype %s", tcplan_word(tcplan_words_dtypes, options->dtype));
    if (options->order == TCPLAN_ROW_MAJOR) strbuf_add(out, " --row-major");
    if (options->alignment_bytes > 0)
        strbuf_add(out, " --align %lld", (long long)options->alignment_bytes);
    if (strcmp(options->machine, options_defaults.machine) != 0)
        add_option(out, "machine", options->machine);
    for (int b = 0; b < options->blas.count; b++) add_option(out, "blas", options->blas.text[b]);
    for (int t = 0; t < options->tapp.count; t++) add_option(out, "tapp", options->tapp.text[t]);
    if (threads > 1) strbuf_add(out, " --threads %d", threads);
    if (threads > 1 && options->oversubscribe) strbuf_add(out, " --oversubscribe");
}

static void add_effort(struct strbuf *out, const struct options *options) {
    if (options->effort != options_defaults.effort)
        strbuf_add(out, " --effort %s", tcplan_word(tcplan_words_efforts, options->effort));
}

char *emit_expression_command(const struct ordered *ordered) {
    const struct options *options = ordered->request->options;
    const struct tcplan_tree *tree = ordered->given ? ordered->given : ordered->found->tree;
    struct strbuf out = {0};
    strbuf_add(&out, "%s emit", program_name());
    quoted_add(&out, options->argument);
    if (ordered->network->index_count > 0) add_owned(&out, "sizes", ordered_sizes(ordered, true));
    if (tree->network == ordered->network && tree->sliced_count == 0) {
        if (ordered_has_choice(ordered)) add_owned(&out, "path", tcplan_tree_path(tree));
    } else if (options->max_memory_bytes > 0) {
        strbuf_add(&out, " --max-memory %lld", (long long)options->max_memory_bytes);
    }
    add_setting(&out, options, options->threads);
    add_effort(&out, options); /* Stored orders that were found with less effort are not used, so
                                  the effort is part of the command. */
    return strbuf_finish(&out);
}

/** Returns the sizes of a step: the extents of the indices of its product. */
static char *step_sizes(const struct ordered *ordered, const struct tcplan_network *product) {
    const struct tcplan_network *network = ordered->network;
    int64_t *extent = calloc((size_t)product->index_count + 1, sizeof *extent);
    for (int p = 0; extent && p < product->index_count; p++) {
        for (int i = 0; i < network->index_count; i++) {
            if (strcmp(product->index[p], network->index[i]) == 0) extent[p] = ordered->extent[i];
        }
    }
    char *text =
        extent ? sizes_text(product->index_count, (const char *const *)product->index, extent, true)
               : NULL;
    free(extent);
    return text;
}

char *explain_step_command(const struct ordered *ordered, const struct tcplan_tree *tree,
                           int step) {
    const struct options *options = ordered->request->options;
    struct strbuf out = {0};
    char *text = tcplan_tree_step_text(tree, step);
    struct tcplan_network *product = NULL;
    if (text) tcplan_network_parse(&product, text, ordered->network->order, NULL);
    strbuf_add(&out, "%s explain", program_name());
    if (text) quoted_add(&out, text);
    if (product && product->index_count > 0) add_owned(&out, "sizes", step_sizes(ordered, product));
    add_setting(&out, options, options->threads);
    add_effort(&out, options);
    out.failed = out.failed || !product;
    tcplan_network_free(product);
    free(text);
    return strbuf_finish(&out);
}

/** Appends the contraction, its sizes, and the name of an algorithm, and frees the name. */
static void add_product(struct strbuf *out, const struct options *options,
                        const struct tcplan_problem *problem, char *algorithm) {
    strbuf_add(out, "%s emit", program_name());
    if (options->shapes ||
        options->conjugates) { /* Shapes and conjugates are part of the formula. */
        quoted_add_owned(out, tcplan_contraction_text(problem->contraction));
    } else {
        quoted_add(out, options->argument);
    }
    if (problem->contraction->index_count > 0) add_owned(out, "sizes", report_short_sizes(problem));
    add_owned(out, "algorithm", algorithm);
}

char *emit_command(const struct request *request, const struct tcplan_problem *problem,
                   const struct tcplan_algorithm *algorithm, int threads) {
    struct strbuf out = {0};
    add_product(&out, request->options, problem,
                tcplan_algorithm_name(algorithm, problem->contraction, problem->dtype));
    add_strides(&out, request);
    add_setting(&out, request->options, threads);
    return strbuf_finish(&out);
}

char *emit_distributed_command(const struct options *options, const struct tcplan_problem *problem,
                               const char *algorithm) {
    const struct distributed_options *given = &options->distributed;
    struct strbuf out = {0};
    add_product(&out, options, problem, strdup(algorithm));
    strbuf_add(&out, " --processes %d", given->processes);
    add_option(&out, "grid", given->distribute ? given->grid : NULL);
    add_option(&out, "distribute", given->distribute);
    add_setting(&out, options, options->threads);
    add_effort(&out, options); /* The effort determines the local products. */
    return strbuf_finish(&out);
}

char *emit_distributed_order_command(const struct distributed_order_report *report) {
    const struct options *options = report->options;
    const struct distributed_options *given = &options->distributed;
    const int fastest = report->measured ? report->shown[0] : 0;
    const struct tcplan_tree *tree = tcplan_distributed_network_tree(report->network, fastest);
    const struct tcplan_network *network = tree->network;
    struct strbuf out = {0};
    strbuf_add(&out, "%s emit", program_name());
    quoted_add(&out, options->argument);
    if (network->index_count > 0)
        add_owned(&out, "sizes",
                  sizes_text(network->index_count, (const char *const *)network->index,
                             tree->extent, true));
    add_owned(&out, "path", tcplan_tree_path(tree));
    add_option(&out, "algorithm", tcplan_distributed_network_name(report->network, fastest));
    strbuf_add(&out, " --processes %d", given->processes);
    add_option(&out, "grid", given->grid);
    add_option(&out, "distribute", given->distribute);
    add_setting(&out, options, options->threads);
    add_effort(&out, options);
    return strbuf_finish(&out);
}
