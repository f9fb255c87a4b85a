#include "cli/render/algorithms/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/providers.h"
#include "cli/render/algorithms/report.h"
#include "cli/render/common_fields.h"
#include "cli/render/text/values.h"

/** Returns the order to print: the given order, or the best order found. */
static const struct tcplan_tree *shown_tree(const struct ordered *ordered) {
    return ordered->given ? ordered->given : ordered->found->tree;
}

/** Returns the measured seconds of one execution of a step. */
static double measured_seconds(const struct tcplan_tree *tree,
                               const struct tcplan_network_measured *measured, int s) {
    return measured->step_seconds[s] / tcplan_tree_step_times(tree, s);
}

/** A tree or one of its steps, in the output. */
struct shown_tree {
    const struct ordered *ordered;
    const struct tcplan_tree *tree;
    const struct tcplan_network_measured *measured; /* measured times; NULL: it was not run */
};

struct shown_step {
    struct shown_tree of;
    int s;
    const struct tcplan_tree_step *step;
};

static void each_step(struct field_visit *visit, const struct shown_tree *of, bool all) {
    for (int s = 0; s < of->tree->step_count; s++) {
        if (all || !of->tree->step[s].idle)
            FIELD_VISIT(&(struct shown_step){*of, s, &of->tree->step[s]});
    }
}

static void each_executed(const void *record, struct field_visit *visit) {
    each_step(visit, record, false);
}

FIELD_TEST(struct shown_tree, is_measured, r->measured)

/** Returns the number of a step. A star marks steps inside the loops over sliced indices. */
static struct field_value number(const void *record) {
    const struct shown_step *r = record;
    const bool repeated = !r->step->once && r->of.tree->sliced_count > 0;
    return field_printed("%d%s", r->s + 1, repeated ? "*" : "");
}

/** Returns the share of a step in the total time. */
static double share(const struct shown_step *r) {
    const struct tcplan_tree_totals totals = tcplan_tree_totals(r->of.tree);
    if (r->of.measured) return r->of.measured->step_seconds[r->s] / r->of.measured->seconds;
    return tcplan_tree_step_times(r->of.tree, r->s) * r->step->seconds /
           (totals.seconds > 0 ? totals.seconds : 1);
}

static struct field_value sliced(const struct shown_tree *r) {
    static const char *name[TCPLAN_TREE_SLICED];
    for (int i = 0; i < r->tree->sliced_count; i++)
        name[i] = r->tree->network->index[r->tree->sliced[i]];
    return field_if(r->tree->sliced_count > 0, field_names(name, r->tree->sliced_count));
}

/** Visits the settings of planning. There are none for objectives other than time. */
static void visit_planning(struct field_visit *visit, const struct ordered *ordered) {
    struct options options = *ordered->request->options;
    if (options.objective != (int)TCPLAN_OBJECTIVE_TIME) options.effort = TCPLAN_EFFORT_ESTIMATE;
    FIELD_VISIT(&options);
}

static void visit_tree(struct field_visit *visit, const struct ordered *ordered,
                       const struct tcplan_tree *tree) {
    const bool is_run = tree == shown_tree(ordered);
    if (tree) FIELD_VISIT(&(struct shown_tree){ordered, tree, is_run ? ordered->measured : NULL});
}

static void visit_shown_steps(struct field_visit *visit, const struct ordered *ordered) {
    each_step(visit, &(struct shown_tree){ordered, shown_tree(ordered), ordered->measured}, false);
}

/** Names by enum tcplan_objective. */
static const char *const objectives[] = {"time", "flops", "memory"};

#define TREE r->of.tree
#define STEP r->step
#define TOTAL(member) field_number(tcplan_tree_totals(r->tree).member)
#define RUN(value) (r->measured ? (value) : field_unknown())
#define MEASURED r->measured
#define OPTIONS r->request->options

/* clang-format off */

#define STEPS(F, T) \
    F(T, step, TEXT, number(r), "number of the step; * if loops over sliced indices repeat it", CSV(6), COLUMN(1, "step"), .right = true, .hidden = true) \
    F(T, product, TEXT, field_owned(tcplan_tree_step_text(TREE, r->s)), \
      "product of the step; shared intermediates have the name of the step that computes them", CSV(7), COLUMN(2, "product"), ALWAYS) \
    F(T, left, INTEGER, field_integer(STEP->left), "index of a factor, or the number of factors plus the index of a step, both from 0", ALWAYS) \
    F(T, right, INTEGER, field_integer(STEP->right), "index of the second factor, numbered like the member `left`; -1: the number 1, for a term with " \
      "one factor", \
      .schema = "\"type\": \"integer\"", ALWAYS) \
    F(T, term, INTEGER, field_integer(STEP->term + 1), "number of the term, from 1", ALWAYS) \
    F(T, once, FLAG, field_flag(STEP->once), "whether the step runs before the loops over sliced indices", ALWAYS) \
    F(T, same, INTEGER, field_if(STEP->same >= 0, field_integer(TREE->network->operand_count + STEP->same)), \
      "earlier intermediate that is read instead, numbered as left; only its names of indices differ") \
    F(T, idle, FLAG, field_if(STEP->idle, field_flag(true)), \
      "whether the step is not executed, because it or a step above it has a field `same`, or another step adds its term") \
    F(T, algorithm, TEXT, field_text(STEP->joined == r->s ? "one pass" : STEP->algorithm), \
      "algorithm of the step", CSV(8), COLUMN(3, "algorithm"), .optional = '1') \
    F(T, timed, FLAG, field_flag(STEP->timed), "whether the step was timed; otherwise the time is an estimate", CSV(9), ALWAYS) \
    F(T, executions, NUMBER, field_number(tcplan_tree_step_times(TREE, r->s)), "executions of the step in one execution of the expression", CSV(10), ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_number(STEP->seconds), "predicted time of one execution; for a step that is not executed, the time saved", \
      CSV(11), COLUMN(4, "predicted"), .format = FIELD_SECONDS, ALWAYS) \
    F(T, measured_seconds, NUMBER, r->of.measured ? field_number(measured_seconds(TREE, r->of.measured, r->s)) : field_unknown(), \
      "median time of one execution", CSV(12), COLUMN(5, "measured"), .format = FIELD_SECONDS, .applies = is_measured) \
    F(T, share, NUMBER, field_number(share(r)), "share of the total time", COLUMN(6, "of all"), .format = FIELD_SHARE, .hidden = true) \
    F(T, basis, TEXT, field_text(STEP->timed ? "timing" : "estimate"), \
      "source of the predicted time", COLUMN(7, "based on"), .optional = '1', .hidden = true) \
    F(T, apart_seconds, NUMBER, STEP->joined == r->s ? field_number(STEP->apart_seconds) : field_unknown(), \
      "predicted time if each term of the pass were computed on its own") \
    F(T, flops, NUMBER, field_number(STEP->flops), "operations of one execution", CSV(13), COLUMN(8, \
      "operations"), .format = FIELD_FLOPS, .optional = '2', ALWAYS) \
    F(T, bytes, NUMBER, field_number(STEP->bytes), "size of the step's result", CSV(14), COLUMN(9, "result"), .format = FIELD_BYTES, .optional = '3', ALWAYS)

#define TREES(F, T) \
    F(T, with_sums, TEXT, r->tree->network == r->ordered->network ? field_unknown() : field_owned(tcplan_network_text(r->tree->network)), \
      "the expression that the steps compute, if the distributive law changed it") \
    F(T, tree, TEXT, field_owned(tcplan_tree_text(r->tree)), "steps and layouts as one text, which tcplan reads", ALWAYS) \
    F(T, path, TEXT, field_owned(tcplan_tree_path(r->tree)), "paths of opt_einsum, one for each term", ALWAYS) \
    F(T, predicted_seconds, NUMBER, TOTAL(seconds), "predicted time of the whole expression", ALWAYS) \
    F(T, measured_seconds, NUMBER, RUN(field_number(MEASURED->seconds)), "median time of the whole expression") \
    F(T, fastest_seconds, NUMBER, RUN(field_number(MEASURED->fastest)), "shortest time of the whole expression") \
    F(T, slowest_seconds, NUMBER, RUN(field_number(MEASURED->slowest)), "longest time of the whole expression") \
    F(T, runs, INTEGER, RUN(field_integer(MEASURED->runs)), "number of executions in which the whole expression and each step were timed") \
    F(T, tensor_bytes, INTEGER, RUN(field_integer(MEASURED->tensor_bytes)), "size of the tensors") \
    F(T, workspace_bytes, INTEGER, RUN(field_integer(MEASURED->workspace_bytes)), "size of the workspace") \
    F(T, other_cores, NUMBER, RUN(field_if(MEASURED->load.other_cores >= 0, field_number(MEASURED->load.other_cores))), \
      "processing units that other programs used during the executions") \
    F(T, lost_share, NUMBER, RUN(field_number(MEASURED->load.lost_share)), "share of the time that other load took") \
    F(T, flops, NUMBER, TOTAL(flops), "operations of the whole expression", ALWAYS) \
    F(T, peak_bytes, NUMBER, TOTAL(peak_bytes), "peak size of the intermediates", ALWAYS) \
    F(T, slices, NUMBER, TOTAL(slices), "iterations of the loops over sliced indices", ALWAYS) \
    F(T, sliced, NAMES, sliced(r), "sliced indices") \
    F(T, steps, LIST, each_step(visit, r, true), "steps in the order in which they are executed within a term", .item = "step", .fields = step_fields, ALWAYS)

#define ORDERED(F, T) \
    F(T, expression, TEXT, field_owned(tcplan_network_text(r->network)), "the expression in tcplan's notation: E_ad=A_ab*B_bc*C_cd", CSV(1), ALWAYS) \
    F(T, sizes, SIZES, field_owned(ordered_sizes(r, false)), "extent of each index", CSV(2), .columns = "extent_", ALWAYS) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, r->found->tree->dtype), "element type", CSV(3), .words = tcplan_words_dtypes, ALWAYS) \
    F(T, order, TEXT, FIELD_WORD(orders, r->network->order), \
      "whether the first or the last index is contiguous", CSV(4), .words = tcplan_words_orders, ALWAYS) \
    F(T, threads, INTEGER, field_integer(OPTIONS->threads), "threads", CSV(5), ALWAYS) \
    F(T, objective, TEXT, field_text(objectives[OPTIONS->objective]), "objective of the order", \
      .schema = "\"enum\": [\"time\", \"flops\", \"memory\"]", ALWAYS) \
    F(T, cache, TEXT, FIELD_WORD(cache_states, OPTIONS->cache), "caches before the first call", .words = tcplan_words_cache_states, ALWAYS) \
    F(T, planning, GROUP, visit_planning(visit, r), "settings of planning", .fields = planning_fields) \
    F(T, exact, FLAG, field_flag(r->found->exact), "whether a coarse model compared all orders", ALWAYS) \
    F(T, estimated, INTEGER, field_integer(r->found->estimated), "estimated products", ALWAYS) \
    F(T, timed, INTEGER, field_integer(r->found->timed), "timed products", ALWAYS) \
    F(T, planning_seconds, NUMBER, field_number(r->found->seconds), "planning time", ALWAYS) \
    F(T, estimate_seconds, NUMBER, field_number(r->found->estimate_seconds), \
      "time of the best order by estimates alone, for comparison with orders that were not timed", ALWAYS) \
    F(T, apart_seconds, NUMBER, field_number(r->found->apart_seconds), "predicted time of the best order without shared steps", ALWAYS) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->request->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "libraries of kernels", .fields = libraries_fields) \
    F(T, lost_share, NUMBER, field_if(r->found->timed > 0, field_number(r->found->load.lost_share)), \
      "share of the time of planning that other work took, if steps were timed") \
    F(T, given, OBJECT, visit_tree(visit, r, r->given), "the order of --path", .fields = tree_fields) \
    F(T, best, OBJECT, visit_tree(visit, r, r->found->tree), "the best order found", .fields = tree_fields, ALWAYS) \
    F(T, fewest_operations, OBJECT, visit_tree(visit, r, r->found->flops), "the order of the fewest operations", .fields = tree_fields, ALWAYS) \
    F(T, next_best, OBJECT, visit_tree(visit, r, r->found->next), "the next best order, if another one was estimated", .fields = tree_fields) \
    F(T, shown_steps, LIST, visit_shown_steps(visit, r), \
      "executed steps of the order that is shown: the lines of the CSV", .item = "step", .fields = step_fields, .hidden = true)

/* clang-format on */

FIELD_TABLE(step, shown_step, STEPS);
FIELD_TABLE(tree, shown_tree, TREES);
FIELD_TABLE(ordered, ordered, ORDERED);

/* Text. */

static char *text_of_sizes(const struct tcplan_network *network, const int64_t extent[],
                           bool joins) {
    return sizes_text(network->index_count, (const char *const *)network->index, extent, joins);
}

char *ordered_sizes(const struct ordered *ordered, bool joins) {
    return text_of_sizes(ordered->network, ordered->extent, joins);
}

/** Returns the providers whose kernels the steps call, as bits. */
static uint64_t step_providers(const struct tcplan_tree *tree) {
    uint64_t providers = UINT64_C(1) << TCPLAN_PROVIDER_BLAS;
    for (int s = 0; s < tree->step_count; s++) {
        const char *name = tree->step[s].algorithm ? strrchr(tree->step[s].algorithm, '@') : NULL;
        for (int p = 0; name && p < TCPLAN_PROVIDERS; p++) {
            if (strcmp(name + 1, tcplan_provider_name((enum tcplan_provider)p)) == 0)
                providers |= UINT64_C(1) << p;
        }
    }
    return providers;
}

static void print_warnings(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_network_found *found = ordered->found;
    const int count = blas_warnings_precede(writer->file, step_providers(shown_tree(ordered)));
    const bool busy = found->timed > 0 && tcplan_load_disturbs(&found->load, found->seconds);
    char load[REPORT_LOAD_CHARS];
    if (busy) fprintf(writer->file, "warning: %s\n", report_load_warning(load, &found->load));
    if (busy || count > 0) fputs("\n", writer->file);
}

static void print_expression(struct writer *writer, const struct ordered *ordered) {
    writer_print_owned(writer, "expression   ", tcplan_network_text(ordered->network), "");
    fprintf(writer->file, "; %s-major, %s\n",
            ordered->network->order == TCPLAN_COLUMN_MAJOR ? "column" : "row",
            format_text_dtype(shown_tree(ordered)->dtype));
}

static void print_head(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_tree *tree = shown_tree(ordered);
    print_expression(writer, ordered);
    writer_print_owned(writer, "sizes        ", ordered_sizes(ordered, true), "\n");
    format_text_machine(writer, &ordered->request->machine);
    if (tree->network == ordered->network) return;
    writer_print_owned(writer, "with sums    ", tcplan_network_text(tree->network), "\n");
}

/* The following functions print a sweep: one line for each size point. */

static char *last_sizes(const struct ordered *ordered) {
    return text_of_sizes(ordered->network, ordered->last_extent, true);
}

static void print_sweep_head(struct writer *writer, const struct ordered *ordered) {
    blas_warnings_precede(writer->file, step_providers(shown_tree(ordered)));
    print_expression(writer, ordered);
    sweep_print_headings(writer, last_sizes(ordered),
                         shown_tree(ordered)->step_count > 0 ? "order as a path of opt_einsum"
                                                             : "");
}

/** Prints the line of a size point. The first call also prints the headings. */
static void print_sweep_line(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_tree *tree = shown_tree(ordered);
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    const struct tcplan_network_found *found = ordered->found;
    const double seconds = ordered->measured ? ordered->measured->seconds : totals.seconds;
    if (writer->written == 0) print_sweep_head(writer, ordered);
    sweep_print_cell(writer, ordered_sizes(ordered, true), last_sizes(ordered));
    sweep_print_time(writer, seconds, seconds > 0 ? 1e-9 * totals.flops / seconds : 0);
    writer_print_owned(writer, "", tcplan_tree_path(tree), "\n");
    writer->disturbed +=
        ordered->measured
            ? tcplan_load_disturbs(&ordered->measured->load,
                                   ordered->measured->seconds * ordered->measured->runs)
            : found->timed > 0 && tcplan_load_disturbs(&found->load, found->seconds);
    sweep_print_foot(writer);
}

static void print_sliced(struct writer *writer, const struct tcplan_tree *tree) {
    if (tree->sliced_count == 0) return;
    fputs("sliced       ", writer->file);
    for (int i = 0; i < tree->sliced_count; i++) {
        fprintf(writer->file, "%s%s", i > 0 ? ", " : "", tree->network->index[tree->sliced[i]]);
    }
    fprintf(writer->file, ": steps marked * run up to %.10g times\n",
            tcplan_tree_totals(tree).slices);
}

static void print_steps(struct writer *writer, const struct ordered *ordered,
                        const struct tcplan_tree *tree,
                        const struct tcplan_network_measured *measured) {
    fields_print_list(writer, &(struct field){.fields = step_fields, .each = each_executed},
                      &(struct shown_tree){ordered, tree, measured});
}

/** Returns the seconds that sharing a step saves: the time of the steps that it replaces.
 * `*readers` receives the number of further steps that read its result. */
static double saved_seconds(const struct tcplan_tree *tree, int s, int *readers) {
    const int operands = tree->network->operand_count;
    double seconds = 0;
    *readers = 0;
    for (int t = 0; t < tree->step_count; t++) {
        int above = t; /* t, or the last step after t that reads the result of another step */
        bool is_top = false;
        if (tree->step[t].joined >= 0) continue;
        while (above >= 0 && tree->step[t].idle && !is_top) {
            is_top = tree->step[above].same >= 0;
            int reader = 0;
            while (!is_top && tree->step[reader].left != operands + above &&
                   tree->step[reader].right != operands + above)
                reader++;
            if (!is_top) above = reader;
        }
        if (!tree->step[t].idle || tree->step[above].same != s) continue;
        *readers += above == t;
        seconds += tree->step[t].seconds;
    }
    return seconds;
}

/** Prints shared steps and the time that they save. */
static void print_shared(struct writer *writer, const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        int readers;
        const double saved = saved_seconds(tree, s, &readers);
        if (readers == 0) continue;
        fprintf(writer->file, "%s%d is computed once and used %d times, which saves %s.\n",
                tree->prefix, s + 1, readers + 1, quantity_seconds(saved).text);
    }
}

/** Prints the measured time of the whole expression. */
static void print_measured(struct writer *writer, const struct tcplan_tree *tree,
                           const struct tcplan_network_measured *measured) {
    const double predicted = tcplan_tree_totals(tree).seconds;
    fprintf(writer->file, "Measured: %s, the median of %d executions",
            quantity_seconds(measured->seconds).text, measured->runs);
    fprintf(writer->file, " (%s to", quantity_seconds(measured->fastest).text);
    fprintf(writer->file, " %s); predicted: %s", quantity_seconds(measured->slowest).text,
            quantity_seconds(predicted).text);
    fprintf(writer->file, ", %+.1f %%. Tensors take %s",
            100 * (predicted - measured->seconds) / measured->seconds,
            quantity_bytes((double)measured->tensor_bytes).text);
    fprintf(writer->file, ", the workspace %s.\n",
            quantity_bytes((double)measured->workspace_bytes).text);
    char load[REPORT_LOAD_CHARS];
    if (tcplan_load_disturbs(&measured->load, measured->seconds * measured->runs))
        fprintf(writer->file, "warning: %s\n", report_load_warning(load, &measured->load));
}

/** Prints where the time of an order comes from. */
static void print_basis(struct writer *writer, const struct tcplan_tree *tree) {
    int steps = 0, timed = 0;
    for (int s = 0; s < tree->step_count; s++) {
        steps += !tree->step[s].idle;
        timed += !tree->step[s].idle && tree->step[s].timed;
    }
    if (timed == 0) {
        fputs(" by estimate", writer->file);
    } else if (timed == steps) {
        fputs(" by timing of its steps", writer->file);
    } else {
        fprintf(writer->file, " by timing of %d of its %d steps", timed, steps);
    }
}

static void print_totals(struct writer *writer, const char *what, const struct tcplan_tree *tree) {
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    fprintf(writer->file, "%s%s", what, quantity_seconds(totals.seconds).text);
    print_basis(writer, tree);
    fprintf(writer->file, ", %s; ", quantity_flops(totals.flops).text);
    if (totals.peak_bytes > 0) {
        fprintf(writer->file, "intermediates take up to %s.\n",
                quantity_bytes(totals.peak_bytes).text);
    } else {
        fputs("no intermediates.\n", writer->file);
    }
}

static bool is_same(const struct tcplan_tree *a, const struct tcplan_tree *b) {
    if (a->network != b->network) return false;
    for (int s = 0; s < a->step_count; s++) {
        const struct tcplan_tree_step *one = &a->step[s], *other = &b->step[s];
        const bool same =
            one->left == other->left && one->right == other->right && one->same == other->same;
        if (!same &&
            !(one->left == other->right && one->right == other->left && one->same == other->same))
            return false;
    }
    return true;
}

/** Prints the option --path that selects an order. */
static void print_path_option(struct writer *writer, const struct tcplan_tree *tree) {
    struct strbuf option = {0};
    quoted_add_owned(&option, tcplan_tree_path(tree));
    writer_print_owned(writer, "  see it with --path", strbuf_finish(&option), "\n");
}

/** Compares the order with another one; `is` and `what` are the words that describe the other
 * one. */
static void print_other(struct writer *writer, const struct ordered *ordered,
                        const struct tcplan_tree *other, const char *is, const char *takes) {
    if (is_same(shown_tree(ordered), other)) {
        fprintf(writer->file, "It is also the order %s.\n", is);
        return;
    }
    print_totals(writer, takes, other);
    if (!ordered->given && ordered->found->timed > 0)
        fprintf(writer->file, "The chosen order takes %s by estimate.\n",
                quantity_seconds(ordered->found->estimate_seconds).text);
    if (!ordered->explains) {
        print_path_option(writer, other);
        return;
    }
    fputs("\n", writer->file);
    print_sliced(writer, other);
    print_steps(writer, ordered, other, NULL);
    fputs("\n", writer->file);
}

/** Prints the time of the second best order, and the option that selects it. */
static void print_next_best(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_tree *next = ordered->found->next;
    if (!next || ordered->given || is_same(next, ordered->found->flops)) return;
    print_totals(writer, "The next best order takes ", next);
    print_path_option(writer, next);
}

/** Returns the number of terms that a step adds up in one pass. */
static int terms_of(const struct tcplan_tree *tree, int step) {
    int terms = 0;
    for (int s = 0; s < tree->step_count; s++) terms += tree->step[s].joined == step;
    return terms;
}

/** Compares the time of each pass with the time of the kernels that it replaces. */
static void print_passes(struct writer *writer, const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        const struct tcplan_tree_step *step = &tree->step[s];
        if (step->joined != s) continue;
        fprintf(writer->file, "Step %d passes memory once; ", s + 1);
        if (terms_of(tree, s) > 1) {
            fputs("a step for each term", writer->file);
        } else if (step->algorithm) {
            fprintf(writer->file, "%s", step->algorithm);
        } else {
            fputs("another algorithm", writer->file);
        }
        fprintf(writer->file, " takes %s.\n", quantity_seconds(step->apart_seconds).text);
    }
}

static bool has_shared(const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].same >= 0) return true;
    }
    return false;
}

/** Prints the command that explains the algorithm of the slowest product, for `explain`. */
static void print_slowest(struct writer *writer, const struct ordered *ordered,
                          const struct tcplan_tree *tree) {
    double longest = 0;
    int slowest = -1;
    for (int s = 0; s < tree->step_count && ordered->explains; s++) {
        const double seconds = tree->step[s].seconds * tcplan_tree_step_times(tree, s);
        const bool is_product = tree->step[s].right != TCPLAN_TREE_ONE && !tree->step[s].idle;
        if (!is_product || seconds <= longest) continue;
        longest = seconds;
        slowest = s;
    }
    if (slowest < 0) return;
    char label[48];
    snprintf(label, sizeof label, "Why step %d is computed so: ", slowest + 1);
    writer_print_command(writer, label, explain_step_command(ordered, tree, slowest));
}

bool ordered_has_choice(const struct ordered *ordered) {
    const struct tcplan_network *network = ordered->network;
    bool has = shown_tree(ordered)->network != network;
    for (int t = 0; t < network->term_count; t++) has = has || network->term[t].count > 2;
    return has;
}

/** Compares the order with another one and with the next best one, and prints its path. */
static void print_orders(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_tree *tree = shown_tree(ordered);
    const struct tcplan_network_found *found = ordered->found;
    if (ordered->given) {
        print_other(writer, ordered, found->tree, "that a search finds",
                    "The order that a search finds takes ");
    } else {
        print_other(writer, ordered, found->flops, "of the fewest operations",
                    "The order of the fewest operations takes ");
    }
    print_next_best(writer, ordered);
    fprintf(writer->file, "As a path of opt_einsum%s",
            tree->network != ordered->network ? ", of the expression with sums" : "");
    writer_print_owned(writer, ": ", tcplan_tree_path(tree), "\n");
    fprintf(writer->file, "%s.\n",
            found->exact ? "All orders were compared by a coarse model"
                         : "Orders were improved part by part by a coarse model");
}

/** Prints how many products were timed and estimated, and how long planning took. */
static void print_planning(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_network_found *found = ordered->found;
    if (found->timed > 0) {
        fprintf(writer->file, "%" PRId64 " product%s timed", found->timed,
                found->timed == 1 ? " was" : "s were");
    } else {
        fprintf(writer->file, "Nothing was timed%s", ordered->measured ? " to find them" : "");
    }
    fprintf(writer->file, ", %" PRId64 " product%s estimated.\nPlanned in %s.\n", found->estimated,
            found->estimated == 1 ? " was" : "s were", quantity_seconds(found->seconds).text);
}

static void print(struct writer *writer, const void *record) {
    const struct ordered *ordered = record;
    const struct options *options = ordered->request->options;
    const struct tcplan_network_found *found = ordered->found;
    const struct tcplan_tree *tree = shown_tree(ordered);
    if (writer->points > 1 && !options->full && !options->verbose) {
        print_sweep_line(writer, ordered);
        return;
    }
    if (writer->written > 0) fputs("\n", writer->file);
    print_warnings(writer, ordered);
    print_head(writer, ordered);
    fputs("\n", writer->file);
    print_totals(writer, "", tree);
    fputs("\n", writer->file);
    print_sliced(writer, tree);
    print_steps(writer, ordered, tree, ordered->measured);
    fputs("\n", writer->file);
    if (ordered->measured) print_measured(writer, tree, ordered->measured);
    print_shared(writer, tree);
    print_passes(writer, tree);
    const bool sums = tree->network != ordered->network;
    if (!ordered->given && (has_shared(tree) || sums))
        fprintf(writer->file, "The best order without shared steps%s takes an estimated %s.\n",
                sums ? " and sums" : "", quantity_seconds(found->apart_seconds).text);
    if (ordered_has_choice(ordered)) print_orders(writer, ordered);
    print_planning(writer, ordered);
    print_slowest(writer, ordered, tree);
    writer_print_command(writer, "C code: ",
                         options->emit ? strdup(options->emit) : emit_expression_command(ordered));
}

const struct view order_view = {.element = "order",
                                .says = "The order of the products of several tensors.",
                                .list = "orders",
                                .fields = ordered_fields,
                                .text = print};
