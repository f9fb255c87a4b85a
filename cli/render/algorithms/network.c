#include "cli/render/algorithms/network.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/document.h"
#include "cli/render/text/table.h"

/** What is asked about: the order that is given, or that was found. */
static const struct tcplan_tree *shown_tree(const struct ordered *ordered) {
    return ordered->given ? ordered->given : ordered->found->tree;
}

/* Text. */

static void print_head(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_tree *tree = shown_tree(ordered);
    char *text = tcplan_network_text(ordered->network);
    static const char *const types[TCPLAN_DTYPES] = {"single precision", "double precision",
                                                     "complex, single precision",
                                                     "complex, double precision"};
    fprintf(writer->file, "expression   %s; %s-major, %s\n", text ? text : "",
            ordered->network->order == TCPLAN_COLUMN_MAJOR ? "column" : "row", types[tree->dtype]);
    writer->no_memory = writer->no_memory || !text;
    free(text);
    fputs("sizes        ", writer->file);
    for (int i = 0; i < ordered->network->index_count; i++) {
        fprintf(writer->file, "%s%s=%" PRId64, i > 0 ? "," : "", ordered->network->index[i],
                ordered->extent[i]);
    }
    fputs("\n", writer->file);
    format_text_machine(writer, &ordered->request->machine);
    if (tree->network == ordered->network) return;
    text = tcplan_network_text(tree->network);
    fprintf(writer->file, "with sums    %s\n", text ? text : "");
    writer->no_memory = writer->no_memory || !text;
    free(text);
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

/** Seconds of one execution of a step. */
static double measured_seconds(const struct tcplan_tree *tree,
                               const struct tcplan_network_measured *measured, int s) {
    return measured->step_seconds[s] / tcplan_tree_step_times(tree, s);
}

/** @param measured  NULL: there is no such column */
static void print_steps(struct writer *writer, const struct tcplan_tree *tree,
                        const struct tcplan_network_measured *measured) {
    struct table table = {.columns = measured ? "rllrrrrr" : "rllrrrr",
                          .optional = measured ? "00100023" : "0010023"};
    static const char *const headings[] = {"step",   "product",    "algorithm", "predicted",
                                           "of all", "operations", "result"};
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    table.style = STYLE_HEADING;
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++) {
        if (measured && h == 4) table_add(&table, "measured");
        table_add(&table, "%s", headings[h]);
    }
    table.style = STYLE_PLAIN;
    for (int s = 0; s < tree->step_count; s++) {
        const struct tcplan_tree_step *step = &tree->step[s];
        if (step->idle) continue;
        const double share = measured ? measured->step_seconds[s] / measured->seconds
                                      : tcplan_tree_step_times(tree, s) * step->seconds /
                                            (totals.seconds > 0 ? totals.seconds : 1);
        table_add(&table, "%d%s", s + 1, step->once || tree->sliced_count == 0 ? "" : "*");
        table_add_owned(&table, tcplan_tree_step_text(tree, s));
        table_add(&table, "%s", step->algorithm ? step->algorithm : "-");
        table_add(&table, "%s", quantity_seconds(step->seconds).text);
        if (measured)
            table_add(&table, "%s", quantity_seconds(measured_seconds(tree, measured, s)).text);
        table_add(&table, "%.0f %%", 100 * share);
        table_add(&table, "%s", quantity_flops(step->flops).text);
        table_add(&table, "%s", quantity_bytes(step->bytes).text);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

/** What one shared step saves: what the steps take that are idle for it; `*readers` receives how
 * many read it besides its own reader. */
static double saved_seconds(const struct tcplan_tree *tree, int s, int *readers) {
    const int operands = tree->network->operand_count;
    double seconds = 0;
    *readers = 0;
    for (int t = 0; t < tree->step_count; t++) {
        int above = t; /* the step above or at t that reads what another one makes */
        bool is_top = false;
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

/** Which steps several read, and by how much that pays. */
static void print_shared(struct writer *writer, const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        int readers;
        const double saved = saved_seconds(tree, s, &readers);
        if (readers == 0) continue;
        fprintf(writer->file, "%s%d is made once and read %d times: that saves %s.\n", tree->prefix,
                s + 1, readers + 1, quantity_seconds(saved).text);
    }
}

/** What the whole took. */
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
        fprintf(writer->file, "Load: %s.\n", report_load(load, &measured->load));
}

/** Whether all steps that are executed were planned by timing. */
static bool is_timed(const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        if (!tree->step[s].timed && !tree->step[s].idle) return false;
    }
    return true;
}

static void print_totals(struct writer *writer, const char *what, const struct tcplan_tree *tree) {
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    fprintf(writer->file, "%s%s by %s, ", what, quantity_seconds(totals.seconds).text,
            is_timed(tree) ? "timing of its steps" : "estimate");
    fprintf(writer->file, "%s; intermediates take %s at most.\n", quantity_flops(totals.flops).text,
            quantity_bytes(totals.peak_bytes).text);
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

/** What the order is held against, and how that is called. */
static void print_other(struct writer *writer, const struct ordered *ordered,
                        const struct tcplan_tree *other, const char *is, const char *takes) {
    if (is_same(shown_tree(ordered), other)) {
        fprintf(writer->file, "It is the order %s as well.\n", is);
        return;
    }
    print_totals(writer, takes, other);
    if (!ordered->with_flops) return;
    fputs("\n", writer->file);
    print_sliced(writer, other);
    print_steps(writer, other, NULL);
    fputs("\n", writer->file);
}

static bool has_shared(const struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].same >= 0) return true;
    }
    return false;
}

static void print_text(struct writer *writer, const struct ordered *ordered) {
    const struct tcplan_network_found *found = ordered->found;
    const struct tcplan_tree *tree = shown_tree(ordered);
    print_head(writer, ordered);
    fputs("\n", writer->file);
    print_totals(writer, "", tree);
    fputs("\n", writer->file);
    print_sliced(writer, tree);
    print_steps(writer, tree, ordered->measured);
    fputs("\n", writer->file);
    if (ordered->measured) print_measured(writer, tree, ordered->measured);
    print_shared(writer, tree);
    const bool sums = tree->network != ordered->network;
    if (!ordered->given && (has_shared(tree) || sums))
        fprintf(writer->file, "Without shared steps%s the best order takes %s by estimate.\n",
                sums ? " and sums" : "", quantity_seconds(found->apart_seconds).text);
    if (ordered->given) {
        print_other(writer, ordered, found->tree, "that a search finds",
                    "The order that a search finds takes ");
    } else {
        print_other(writer, ordered, found->flops, "of the fewest operations",
                    "The order of the fewest operations takes ");
    }
    char *path = tcplan_tree_path(tree);
    fprintf(writer->file, "As a path of opt_einsum%s: %s\n",
            tree->network == ordered->network ? "" : ", of the expression with sums",
            path ? path : "");
    writer->no_memory = writer->no_memory || !path;
    free(path);
    fprintf(writer->file, "%s; ",
            found->exact ? "All orders were compared by a coarse model"
                         : "Orders were improved part by part by a coarse model");
    if (found->timed > 0) {
        fprintf(writer->file, "%" PRId64 " product%s planned by timing", found->timed,
                found->timed == 1 ? " was" : "s were");
    } else {
        fprintf(writer->file, "nothing was timed%s", ordered->measured ? " to find them" : "");
    }
    fprintf(writer->file, ", %" PRId64 " product%s estimated.\nPlanned in %s.\n", found->estimated,
            found->estimated == 1 ? " was" : "s were", quantity_seconds(found->seconds).text);
}

/* Documents. */

static void write_steps(struct document *document, const struct tcplan_tree *tree,
                        const struct tcplan_network_measured *measured) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "steps");
    for (int s = 0; s < tree->step_count; s++) {
        const struct tcplan_tree_step *step = &tree->step[s];
        kind->object(document, "step");
        document_text_owned(document, "product", tcplan_tree_step_text(tree, s));
        kind->integer(document, "left", step->left);
        kind->integer(document, "right", step->right);
        kind->integer(document, "term", step->term + 1);
        kind->boolean(document, "once", step->once);
        if (step->same >= 0)
            kind->integer(document, "same", tree->network->operand_count + step->same);
        if (step->idle) kind->boolean(document, "idle", true);
        if (step->algorithm) kind->text(document, "algorithm", step->algorithm);
        kind->boolean(document, "timed", step->timed);
        kind->number(document, "executions", tcplan_tree_step_times(tree, s));
        kind->number(document, "predicted_seconds", step->seconds);
        if (measured)
            kind->number(document, "measured_seconds", measured_seconds(tree, measured, s));
        kind->number(document, "flops", step->flops);
        kind->number(document, "bytes", step->bytes);
        kind->end(document);
    }
    kind->end(document);
}

/**
 * @param written   the expression that is asked about
 * @param measured  NULL: it was not run
 */
static void write_tree(struct document *document, const char *name,
                       const struct tcplan_network *written, const struct tcplan_tree *tree,
                       const struct tcplan_network_measured *measured) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    const char *sliced[TCPLAN_TREE_SLICED];
    for (int i = 0; i < tree->sliced_count; i++) sliced[i] = tree->network->index[tree->sliced[i]];
    kind->object(document, name);
    if (tree->network != written)
        document_text_owned(document, "with_sums", tcplan_network_text(tree->network));
    document_text_owned(document, "tree", tcplan_tree_text(tree));
    document_text_owned(document, "path", tcplan_tree_path(tree));
    kind->number(document, "predicted_seconds", totals.seconds);
    if (measured) {
        kind->number(document, "measured_seconds", measured->seconds);
        kind->number(document, "fastest_seconds", measured->fastest);
        kind->number(document, "slowest_seconds", measured->slowest);
        kind->integer(document, "runs", measured->runs);
        kind->integer(document, "tensor_bytes", measured->tensor_bytes);
        kind->integer(document, "workspace_bytes", measured->workspace_bytes);
        if (measured->load.other_cores >= 0)
            kind->number(document, "other_cores", measured->load.other_cores);
        kind->number(document, "lost_share", measured->load.lost_share);
    }
    kind->number(document, "flops", totals.flops);
    kind->number(document, "peak_bytes", totals.peak_bytes);
    kind->number(document, "slices", totals.slices);
    if (tree->sliced_count > 0) kind->texts(document, "sliced", sliced, tree->sliced_count);
    write_steps(document, tree, measured);
    kind->end(document);
}

static char *sizes_text(const struct tcplan_network *network, const int64_t extent[]) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int i = 0; i < network->index_count; i++) {
        strbuf_add(&out, "%s%s=%" PRId64, i > 0 ? "," : "", network->index[i], extent[i]);
    }
    return strbuf_finish(&out);
}

/** By enum tcplan_objective. */
static const char *const objectives[] = {"time", "flops", "memory"};

static void write_document(struct document *document, const struct ordered *ordered) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_network_found *found = ordered->found;
    char letter[2] = {tcplan_dtype_letter(found->tree->dtype), '\0'};
    struct options options = *ordered->request->options;
    if (!options_given(&options, "effort"))
        options.effort = TCPLAN_EFFORT_ESTIMATE; /* which orders are found by */
    document_open(document, "order");
    document_text_owned(document, "expression", tcplan_network_text(ordered->network));
    char *sizes = sizes_text(ordered->network, ordered->extent);
    document->writer->no_memory = document->writer->no_memory || !sizes;
    if (sizes) kind->sizes(document, sizes);
    free(sizes);
    kind->text(document, "dtype", letter);
    kind->text(document, "order",
               ordered->network->order == TCPLAN_COLUMN_MAJOR ? "column-major" : "row-major");
    kind->integer(document, "threads", ordered->request->options->threads);
    kind->text(document, "objective", objectives[ordered->request->options->objective]);
    kind->text(document, "cache", tcplan_word(tcplan_words_cache_states, options.cache));
    document_planning(document, &options);
    kind->boolean(document, "exact", found->exact);
    kind->integer(document, "estimated", found->estimated);
    kind->integer(document, "timed", found->timed);
    kind->number(document, "planning_seconds", found->seconds);
    kind->number(document, "apart_seconds", found->apart_seconds);
    document_machine(document, &ordered->request->machine);
    if (ordered->given)
        write_tree(document, "given", ordered->network, ordered->given, ordered->measured);
    write_tree(document, "best", ordered->network, found->tree,
               ordered->given ? NULL : ordered->measured);
    write_tree(document, "fewest_operations", ordered->network, found->flops, NULL);
    kind->end(document);
}

void network_print(struct writer *writer, const struct ordered *ordered) {
    if (writer->document) {
        write_document(writer->document, ordered);
    } else {
        print_text(writer, ordered);
    }
}
