#include "cli/render/algorithms/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "tcplan/study/words.h"

/** Layouts listed as text; the other formats have all. */
enum { MOST_SHOWN = 8 };

static const char *const conversions[] = {[TCPLAN_CONVERSION_NEVER] = "never",
                                          [TCPLAN_CONVERSION_ONCE] = "once",
                                          [TCPLAN_CONVERSION_EACH] = "each"};

static const struct tcplan_layouts *today_of(const struct tcplan_advice *advice) {
    return &advice->layouts[advice->today];
}

/** The share of today's time that layouts save, conversions not counted. */
static double gain_of(const struct tcplan_advice *advice, const struct tcplan_layouts *layouts) {
    const double today = today_of(advice)->seconds;
    return today > 0 ? 1 - layouts->seconds / today : 0;
}

static bool is_converted(const struct advised *advised) {
    return advised->request->options->layout.conversion != TCPLAN_CONVERSION_NEVER;
}

/** "A_jia C_bac": the tensors that are not as today; "today"; to be freed. */
static char *layout_text(const struct tcplan_advice *advice, const struct tcplan_layouts *layouts) {
    struct strbuf out = {0};
    if (layouts->is_today) strbuf_add(&out, "as today");
    for (int t = 0; t < advice->tensor_count; t++) {
        bool changed = false;
        for (int d = 0; d < advice->tensor[t].rank; d++)
            changed = changed || layouts->dims[t][d] != d;
        if (!changed) continue;
        char *text = tcplan_advice_tensor(advice, layouts, t);
        strbuf_add(&out, "%s%s", out.length > 0 ? " " : "", text ? text : "");
        if (!text) out.failed = true;
        free(text);
    }
    return strbuf_finish(&out);
}

/* Text. */

static void print_program(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    if (advice->item_count > 1) {
        double weight = 0;
        for (int i = 0; i < advice->item_count; i++) weight += advice->item[i].weight;
        fprintf(writer->file, "program      %d contractions, %.10g in one run, of %d tensors\n",
                advice->item_count, weight, advice->tensor_count);
        return;
    }
    struct tcplan_problem problem;
    const struct tcplan_layout_item *item = &advice->item[0];
    if (tcplan_problem_init(&problem, item->contraction, item->extent, item->dtype, NULL) ==
        TCPLAN_OK)
        format_text_problem(writer, &problem);
}

static void print_free(FILE *file, const struct tcplan_advice *advice) {
    const char *comma = "";
    for (int t = 0; t < advice->tensor_count; t++) {
        if (!advice->tensor[t].free) continue;
        fprintf(file, "%s%s", comma, advice->tensor[t].name);
        comma = ", ";
    }
}

/** "layouts      of A, C: 36 combinations, all considered by 12 estimates" */
static void print_search(FILE *file, const struct tcplan_advice *advice) {
    const char *s = advice->estimates == 1 ? "" : "s";
    fputs("layouts      of ", file);
    print_free(file, advice);
    fprintf(file, ": %.4g combinations, ", advice->combinations);
    if (advice->exact) {
        fprintf(file, "all considered by %" PRId64 " estimate%s\n", advice->estimates, s);
    } else {
        fprintf(file, "%" PRId64 " looked at by %" PRId64 " estimate%s: not all are considered\n",
                advice->seen, advice->estimates, s);
    }
}

static void print_conversion(FILE *file, const struct advised *advised) {
    const struct options *options = advised->request->options;
    fprintf(file, "conversion   %s", conversions[options->layout.conversion]);
    if (options->layout.conversion == TCPLAN_CONVERSION_ONCE)
        fprintf(file, ", for %d run%s", options->layout.uses > 0 ? options->layout.uses : 1,
                options->layout.uses > 1 ? "s" : "");
    fputs(options->layout.conversion == TCPLAN_CONVERSION_NEVER ? " paid\n" : "\n", file);
}

static int tied_count(const struct tcplan_advice *advice) {
    int count = 0;
    for (int l = 0; l < advice->count; l++) count += advice->layouts[l].tied;
    return count;
}

/** Whether a layout stands in the table of the text: the first ones, all that were timed, and
 * today's. */
static bool is_shown(const struct tcplan_advice *advice, int l) {
    return l < MOST_SHOWN || advice->layouts[l].planned || advice->layouts[l].is_today;
}

static void add_layout(struct table *table, const struct advised *advised, int l,
                       struct time_unit unit) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *layouts = &advice->layouts[l];
    table->style = l == 0 ? STYLE_BEST : layouts->tied ? STYLE_GOOD : STYLE_PLAIN;
    table_add(table, "%d%c", l + 1, layouts->tied && tied_count(advice) > 1 ? '=' : ' ');
    table_add_owned(table, layout_text(advice, layouts));
    table_add(table, "%.*f", unit.decimals, layouts->seconds / unit.seconds);
    if (layouts->planned) {
        table_add(table, "%.*f - %.*f", unit.decimals, layouts->low / unit.seconds, unit.decimals,
                  layouts->high / unit.seconds);
    } else {
        table_add(table, "-");
    }
    if (layouts->planned == today_of(advice)->planned) {
        table_add(table, "%.1f %%", layouts->is_today ? 0.0 : 100 * gain_of(advice, layouts));
    } else {
        table_add(table, "-");
    }
    table_add(table, "%.*f", unit.decimals, layouts->conversion_seconds / unit.seconds);
    if (is_converted(advised))
        table_add(table, "%.*f", unit.decimals, layouts->net_seconds / unit.seconds);
    table_add(table, "%s", layouts->planned ? "timed" : "estimated");
}

static void print_table(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const bool net = is_converted(advised);
    struct table table = {.columns = net ? "rlrrrrrl" : "rlrrrrl",
                          .optional = net ? "00020301" : "0002031"};
    double smallest = today_of(advice)->seconds;
    for (int l = 0; l < advice->count; l++)
        smallest =
            advice->layouts[l].seconds > 0 ? fmin(smallest, advice->layouts[l].seconds) : smallest;
    const struct time_unit unit = time_unit_for(smallest);
    table_add(&table, "rank");
    table_add(&table, "layout");
    table_add(&table, "predicted %s", unit.name);
    table_add(&table, "95 %% interval");
    table_add(&table, "gain");
    table_add(&table, "conversion %s", unit.name);
    if (net) table_add(&table, "net %s", unit.name);
    table_add(&table, "from");
    for (int l = 0; l < advice->count; l++) {
        if (is_shown(advice, l)) add_layout(&table, advised, l, unit);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

/** The answer in a line: what is advised, and how it stands to today's. */
static void print_answer(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0], *today = today_of(advice);
    FILE *file = writer->file;
    if (first->is_today) {
        fputs("Advised: today's layouts", file);
        fputs(advice->count > 1 && tied_count(advice) > 1 ? "; others tie with them, within 2 %.\n"
                                                          : ", no other is faster.\n",
              file);
        return;
    }
    fputs("Advised: ", file);
    writer_print_owned(writer, layout_text(advice, first));
    if (today->planned != first->planned) {
        fputs("; today's layouts were not timed.\n", file);
        return;
    }
    fprintf(file, ", %s instead of today's %s", quantity_seconds(first->net_seconds).text,
            quantity_seconds(today->net_seconds).text);
    if (today->tied) {
        fputs("; they tie, within 2 %.\n", file);
    } else {
        fprintf(file, ", %.2f times as fast.\n", today->net_seconds / first->net_seconds);
    }
}

/** After how many runs a conversion that is paid once is earned. */
static void print_break_even(FILE *file, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0], *today = today_of(advice);
    const double saved = today->seconds - first->seconds;
    if (first->is_today || today->tied || !(saved > 0) || !(first->conversion_seconds > 0)) return;
    fprintf(file, "Paid once, the conversion is earned after %.0f run%s.\n",
            ceil(first->conversion_seconds / saved), first->conversion_seconds > saved ? "s" : "");
}

static void print_uncompared(FILE *file, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    if (advised->request->options->effort == TCPLAN_EFFORT_ESTIMATE) {
        fputs("Not compared: nothing was timed (--effort estimate).\n", file);
    } else if (advice->combinations > advice->planned_count) {
        fprintf(
            file,
            "%d of the layouts %s timed, the others are not compared with them: estimates chose these%s.\n",
            advice->planned_count, advice->planned_count == 1 ? "was" : "were",
            advice->out_of_time ? ", and the time limit was over" : "; --top times more");
    }
    if (*advice->no_plans) fprintf(file, "Some could not be timed: %s.\n", advice->no_plans);
}

/** The contractions as they are in the advised layouts. */
static void print_items(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0], *today = today_of(advice);
    struct table table = {.columns = "lrlrr", .optional = "00012"};
    if (advice->item_count == 1) {
        if (first->is_today) return;
        fputs("It is then ", writer->file);
        writer_print_owned(writer, tcplan_advice_formula(advice, first, 0));
        fputs("\n", writer->file);
        return;
    }
    const struct time_unit unit = time_unit_for(first->item_seconds[0]);
    fputs("\n", writer->file);
    table_add(&table, "name");
    table_add(&table, "runs");
    table_add(&table, "contraction");
    table_add(&table, "predicted %s", unit.name);
    table_add(&table, "today %s", unit.name);
    for (int i = 0; i < advice->item_count; i++) {
        table_add(&table, "%s", advice->item[i].name);
        table_add(&table, "%.10g", advice->item[i].weight);
        table_add_owned(&table, tcplan_advice_formula(advice, first, i));
        table_add(&table, "%.*f", unit.decimals, first->item_seconds[i] / unit.seconds);
        table_add(&table, "%.*f", unit.decimals, today->item_seconds[i] / unit.seconds);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_text(struct writer *writer, const struct advised *advised) {
    print_program(writer, advised);
    format_text_machine(writer, &advised->request->machine);
    print_search(writer->file, advised->advice);
    print_conversion(writer->file, advised);
    fputc('\n', writer->file);
    print_answer(writer, advised);
    fputc('\n', writer->file);
    print_table(writer, advised);
    print_break_even(writer->file, advised);
    print_uncompared(writer->file, advised);
    print_items(writer, advised);
}

/* CSV. */

static void print_csv(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    fputs(
        "rank,layout,changed,today,tied,basis,predicted_seconds,predicted_low,predicted_high,estimated_seconds,gain,conversion_seconds,net_seconds\n",
        writer->file);
    for (int l = 0; l < advice->count; l++) {
        const struct tcplan_layouts *layouts = &advice->layouts[l];
        struct csv_line line = {0};
        char *text = layout_text(advice, layouts);
        csv_add_integer(&line, l + 1);
        csv_add_text(&line, layouts->is_today || !text ? "" : text);
        csv_add_integer(&line, layouts->changed);
        csv_add_text(&line, layouts->is_today ? "true" : "false");
        csv_add_text(&line, layouts->tied ? "true" : "false");
        csv_add_text(&line, layouts->planned ? "timed" : "estimated");
        csv_add_number(&line, true, layouts->seconds);
        csv_add_number(&line, layouts->planned, layouts->low);
        csv_add_number(&line, layouts->planned, layouts->high);
        csv_add_number(&line, true, layouts->estimate_seconds);
        csv_add_number(&line, layouts->planned == today_of(advice)->planned,
                       gain_of(advice, layouts));
        csv_add_number(&line, true, layouts->conversion_seconds);
        csv_add_number(&line, true, layouts->net_seconds);
        if (!text || !csv_print(&line, writer->file)) writer->no_memory = true;
        free(text);
    }
}

/* JSON. */

static void write_tensors(struct document *document, const struct tcplan_advice *advice) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "tensors");
    for (int t = 0; t < advice->tensor_count; t++) {
        const struct tcplan_layout_tensor *tensor = &advice->tensor[t];
        kind->object(document, "tensor");
        kind->text(document, "name", tensor->name);
        kind->boolean(document, "free", tensor->free);
        kind->number(document, "bytes", tensor->bytes);
        document_text_owned(document, "layout", tcplan_advice_tensor(advice, today_of(advice), t));
        kind->end(document);
    }
    kind->end(document);
}

static void write_items(struct document *document, const struct tcplan_advice *advice) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "contractions");
    for (int i = 0; i < advice->item_count; i++) {
        kind->object(document, "contraction");
        kind->text(document, "name", advice->item[i].name);
        kind->number(document, "weight", advice->item[i].weight);
        document_text_owned(document, "contraction",
                            tcplan_advice_formula(advice, today_of(advice), i));
        kind->end(document);
    }
    kind->end(document);
}

static void write_layout(struct document *document, const struct tcplan_advice *advice, int l) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_layouts *layouts = &advice->layouts[l];
    kind->object(document, "layout");
    kind->integer(document, "rank", l + 1);
    kind->integer(document, "changed", layouts->changed);
    kind->boolean(document, "today", layouts->is_today);
    kind->boolean(document, "tied", layouts->tied);
    kind->text(document, "basis", layouts->planned ? "timed" : "estimated");
    kind->number(document, "predicted_seconds", layouts->seconds);
    if (layouts->planned) kind->number(document, "predicted_low", layouts->low);
    if (layouts->planned) kind->number(document, "predicted_high", layouts->high);
    kind->number(document, "estimated_seconds", layouts->estimate_seconds);
    if (layouts->planned == today_of(advice)->planned)
        kind->number(document, "gain", gain_of(advice, layouts));
    kind->number(document, "conversion_seconds", layouts->conversion_seconds);
    kind->number(document, "net_seconds", layouts->net_seconds);
    kind->list(document, "tensors");
    for (int t = 0; t < advice->tensor_count; t++) {
        kind->object(document, "tensor");
        kind->text(document, "name", advice->tensor[t].name);
        document_text_owned(document, "layout", tcplan_advice_tensor(advice, layouts, t));
        kind->number(document, "conversion_seconds", layouts->conversion[t]);
        kind->end(document);
    }
    kind->end(document);
    kind->list(document, "contractions");
    for (int i = 0; i < advice->item_count; i++) {
        kind->object(document, "contraction");
        kind->text(document, "name", advice->item[i].name);
        document_text_owned(document, "contraction", tcplan_advice_formula(advice, layouts, i));
        kind->number(document, "predicted_seconds", layouts->item_seconds[i]);
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

static void write_document(struct document *document, const struct advised *advised) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_advice *advice = advised->advice;
    const struct options *options = advised->request->options;
    const struct tcplan_blas blas = tcplan_blas_info();
    document_open(document, "advice");
    kind->integer(document, "threads", options->threads);
    kind->text(document, "cache", tcplan_word(tcplan_words_cache_states, options->cache));
    document_planning(document, options);
    kind->text(document, "conversion", conversions[options->layout.conversion]);
    if (options->layout.conversion == TCPLAN_CONVERSION_ONCE)
        kind->integer(document, "uses", options->layout.uses > 0 ? options->layout.uses : 1);
    kind->number(document, "combinations", advice->combinations);
    kind->integer(document, "looked_at", advice->seen);
    kind->integer(document, "estimates", advice->estimates);
    kind->boolean(document, "exact", advice->exact);
    kind->boolean(document, "out_of_time", advice->out_of_time);
    kind->integer(document, "timed", advice->planned_count);
    kind->number(document, "search_seconds", advice->search_seconds);
    kind->number(document, "spent_seconds", advice->spent_seconds);
    if (*advice->no_plans) kind->text(document, "not_timed", advice->no_plans);
    document_machine(document, &advised->request->machine);
    document_blas(document, &blas);
    write_tensors(document, advice);
    write_items(document, advice);
    kind->list(document, "layouts");
    for (int l = 0; l < advice->count; l++) write_layout(document, advice, l);
    kind->end(document);
    kind->end(document);
}

void advice_print(struct writer *writer, const struct advised *advised) {
    if (writer->document) {
        write_document(writer->document, advised);
    } else if (advised->request->options->format == OUTPUT_CSV) {
        print_csv(writer, advised);
    } else {
        print_text(writer, advised);
    }
}
