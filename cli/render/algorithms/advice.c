#include "cli/render/algorithms/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "cli/render/common_fields.h"
#include "tcplan/study/words.h"

/** Maximum number of layouts in text; other formats list all. */
enum { MOST_SHOWN = 8 };

static const char *const conversions[] = {[TCPLAN_CONVERSION_NEVER] = "never",
                                          [TCPLAN_CONVERSION_ONCE] = "once",
                                          [TCPLAN_CONVERSION_EACH] = "each"};

static const struct tcplan_layouts *today_of(const struct tcplan_advice *advice) {
    return &advice->layouts[advice->today];
}

/** Returns the share of the current time that layouts save, not counting the time of
 * conversions. */
static double gain_of(const struct tcplan_advice *advice, const struct tcplan_layouts *layouts) {
    const double today = today_of(advice)->seconds;
    return today > 0 ? 1 - layouts->seconds / today : 0;
}

static bool is_converted(const struct advised *advised) {
    return advised->request->options->layout.conversion != TCPLAN_CONVERSION_NEVER;
}

/** Returns the tensors whose layout changes, such as "A_jia C_bac", or "current" if none does. The
 * caller frees the text. */
static char *layout_text(const struct tcplan_advice *advice, const struct tcplan_layouts *layouts) {
    struct strbuf out = {0};
    if (layouts->is_today) strbuf_add(&out, "current");
    for (int t = 0; t < advice->tensor_count; t++) {
        bool changed = false;
        for (int d = 0; d < advice->tensor[t].rank; d++)
            changed = changed || layouts->dims[t][d] != d;
        if (!changed) continue;
        strbuf_add(&out, "%s", out.length > 0 ? " " : "");
        text_add_owned(&out, tcplan_advice_tensor(advice, layouts, t));
    }
    return strbuf_finish(&out);
}

static int tied_count(const struct tcplan_advice *advice) {
    int count = 0;
    for (int l = 0; l < advice->count; l++) count += advice->layouts[l].tied;
    return count;
}

/** Returns whether the text table contains layout `l`: the first layouts, all timed ones, and the
 * current one. */
static bool is_shown(const struct tcplan_advice *advice, int l) {
    return l < MOST_SHOWN || advice->layouts[l].planned || advice->layouts[l].is_today;
}

/** A combination of layouts of all tensors, and one tensor or contraction in these layouts. */
struct layout {
    const struct advised *advised;
    const struct tcplan_layouts *layouts;
    int place;
};

static void each_layout(struct field_visit *visit, const struct advised *advised, bool all) {
    const struct tcplan_advice *advice = advised->advice;
    for (int l = 0; l < advice->count; l++) {
        if (all || is_shown(advice, l))
            FIELD_VISIT(&(struct layout){advised, &advice->layouts[l], l});
    }
}

static void each_shown(const void *record, struct field_visit *visit) {
    each_layout(visit, record, false);
}

/** Visits the tensors or contractions of a program in one combination of layouts. */
static void each_place(struct field_visit *visit, struct layout layout, int count) {
    for (layout.place = 0; layout.place < count; layout.place++) FIELD_VISIT(&layout);
}

FIELD_TEST(struct advised, is_net, is_converted(r))

FIELD_STYLE(struct layout, style_of,
            r->place == 0      ? STYLE_BEST
            : r->layouts->tied ? STYLE_GOOD
                               : STYLE_PLAIN)

static struct field_value rank(const void *record) {
    const struct layout *layout = record;
    const bool tied = layout->layouts->tied && tied_count(layout->advised->advice) > 1;
    return field_printed("%d%c", layout->place + 1, tied ? '=' : ' ');
}

/** Returns the current layouts of the program's tensors. */
static struct layout today(const struct advised *advised) {
    return (struct layout){.advised = advised, .layouts = today_of(advised->advice)};
}

#define ADVICE r->advised->advice
#define LAYOUTS r->layouts
#define ITEM ADVICE->item[r->place]
#define TODAY today_of(ADVICE)
#define OPTIONS r->request->options

static struct field_value gain(const struct layout *r) {
    const double value = LAYOUTS->is_today ? 0.0 : gain_of(ADVICE, LAYOUTS);
    return field_if(LAYOUTS->planned == TODAY->planned, field_number(value));
}

/* clang-format off */

#define TENSOR(F, T) \
    F(T, name, TEXT, field_text(ADVICE->tensor[r->place].name), "name of the tensor", ALWAYS) \
    F(T, free, FLAG, field_flag(ADVICE->tensor[r->place].free), "whether the layout of the tensor may change", ALWAYS) \
    F(T, bytes, NUMBER, field_number(ADVICE->tensor[r->place].bytes), "size of the tensor", ALWAYS) \
    F(T, layout, TEXT, field_owned(tcplan_advice_tensor(ADVICE, LAYOUTS, r->place)), "current layout of the tensor", ALWAYS)

#define CONVERTED(F, T) \
    F(T, name, TEXT, field_text(ADVICE->tensor[r->place].name), "name of the tensor", ALWAYS) \
    F(T, layout, TEXT, field_owned(tcplan_advice_tensor(ADVICE, LAYOUTS, r->place)), "layout of the tensor", ALWAYS) \
    F(T, conversion_seconds, NUMBER, field_number(LAYOUTS->conversion[r->place]), "time of one conversion", ALWAYS)

#define CONTRACTION(F, T) \
    F(T, name, TEXT, field_word(ITEM.name), "name of the contraction", ALWAYS) \
    F(T, weight, NUMBER, field_number(ITEM.weight), "executions in one run of the program", .schema = "\"type\": \"number\"", ALWAYS) \
    F(T, contraction, TEXT, field_owned(tcplan_advice_formula(ADVICE, LAYOUTS, r->place)), "formula in the current layouts", ALWAYS)

#define ITEMS(F, T) \
    F(T, name, TEXT, field_word(ITEM.name), "name of the contraction", COLUMN(1, "name"), ALWAYS) \
    F(T, weight, NUMBER, field_number(ITEM.weight), "executions in one run of the program", COLUMN(2, "runs"), .hidden = true) \
    F(T, contraction, TEXT, field_owned(tcplan_advice_formula(ADVICE, LAYOUTS, r->place)), "formula in these layouts", COLUMN(3, "contraction"), ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_number(LAYOUTS->item_seconds[r->place]), "predicted time", \
      COLUMN(4, "predicted"), .format = FIELD_TIME, .optional = '1', ALWAYS) \
    F(T, today, NUMBER, field_number(TODAY->item_seconds[r->place]), "predicted time in the current layouts", \
      COLUMN(5, "current"), .format = FIELD_SAME_UNIT, .optional = '2', .hidden = true)

#define LAYOUT(F, T) \
    F(T, rank, INTEGER, field_integer(r->place + 1), "rank; 1 is advised", CSV(1), COLUMN(1, "rank"), .shown = rank, ALWAYS) \
    F(T, layout, TEXT, LAYOUTS->is_today ? field_unknown() : field_owned(layout_text(ADVICE, LAYOUTS)), "tensors whose layouts change", \
      CSV(2), .hidden = true) \
    F(T, shown, TEXT, field_owned(layout_text(ADVICE, LAYOUTS)), "likewise", COLUMN(2, "layout"), .hidden = true) \
    F(T, changed, INTEGER, field_integer(LAYOUTS->changed), "number of changed tensors", CSV(3), ALWAYS) \
    F(T, today, FLAG, field_flag(LAYOUTS->is_today), "whether these are the current layouts", CSV(4), ALWAYS) \
    F(T, tied, FLAG, field_flag(LAYOUTS->tied), "whether the layouts are within 2 % of the fastest time", CSV(5), ALWAYS) \
    F(T, basis, TEXT, field_text(LAYOUTS->planned ? "timed" : "estimated"), "source of the time", CSV(6), \
      COLUMN(8, "from"), .optional = '1', .schema = "\"enum\": [\"timed\", \"estimated\"]", ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_number(LAYOUTS->seconds), "predicted time of one run", CSV(7), COLUMN(3, "predicted"), .format = FIELD_TIME, ALWAYS) \
    F(T, interval, NUMBER, field_if(LAYOUTS->planned, field_interval(LAYOUTS->low, LAYOUTS->high)), "95 % interval of the predicted time", \
      COLUMN(4, "95 % interval"), .format = FIELD_INTERVAL, .optional = '2', .hidden = true) \
    F(T, predicted_low, NUMBER, field_if(LAYOUTS->planned, field_number(LAYOUTS->low)), "lower end of the 95 % interval", CSV(8)) \
    F(T, predicted_high, NUMBER, field_if(LAYOUTS->planned, field_number(LAYOUTS->high)), "upper end of the 95 % interval", CSV(9)) \
    F(T, estimated_seconds, NUMBER, field_number(LAYOUTS->estimate_seconds), "estimated time", CSV(10), ALWAYS) \
    F(T, gain, NUMBER, gain(r), "share of the current time that the layouts save, without conversions; absent: only one of the two times is measured", \
      CSV(11), \
      COLUMN(5, "gain"), .format = FIELD_PERCENT, .schema = "\"type\": \"number\"") \
    F(T, conversion_seconds, NUMBER, field_number(LAYOUTS->conversion_seconds), "time to convert each changed tensor once", CSV(12), \
      COLUMN(6, "conversion"), .format = FIELD_SAME_UNIT, .optional = '3', ALWAYS) \
    F(T, net_seconds, NUMBER, field_number(LAYOUTS->net_seconds), "time of one run plus its share of the conversions", CSV(13), \
      COLUMN(7, "net"), .format = FIELD_SAME_UNIT, .applies = is_net, ALWAYS) \
    F(T, tensors, LIST, each_place(visit, *r, ADVICE->tensor_count), "the tensors", .item = "tensor", .fields = converted_fields, ALWAYS) \
    F(T, contractions, LIST, each_place(visit, *r, ADVICE->item_count), "the contractions", .item = "contraction", .fields = items_fields, ALWAYS)

#define ADVISED(F, T) \
    F(T, threads, INTEGER, field_integer(OPTIONS->threads), "threads", ALWAYS) \
    F(T, cache, TEXT, FIELD_WORD(cache_states, OPTIONS->cache), "caches before the first call", .words = tcplan_words_cache_states, ALWAYS) \
    F(T, planning, GROUP, FIELD_VISIT(OPTIONS), "settings of planning", .fields = planning_fields) \
    F(T, conversion, TEXT, field_text(conversions[OPTIONS->layout.conversion]), "how often tensors are converted", \
      .schema = "\"enum\": [\"never\", \"once\", \"each\"]", ALWAYS) \
    F(T, uses, INTEGER, field_if(OPTIONS->layout.conversion == TCPLAN_CONVERSION_ONCE, field_integer(OPTIONS->layout.uses > 0 ? OPTIONS->layout.uses : 1)), \
      "runs that share a conversion") \
    F(T, combinations, NUMBER, field_number(r->advice->combinations), "number of possible combinations of layouts; absent: too many to count") \
    F(T, looked_at, INTEGER, field_integer(r->advice->seen), "number of combinations that were considered", ALWAYS) \
    F(T, estimates, INTEGER, field_integer(r->advice->estimates), "number of different contractions that were estimated", ALWAYS) \
    F(T, exact, FLAG, field_flag(r->advice->exact), "whether the search considered all combinations", ALWAYS) \
    F(T, out_of_time, FLAG, field_flag(r->advice->out_of_time), "whether the time limit ended planning", ALWAYS) \
    F(T, timed, INTEGER, field_integer(r->advice->planned_count), "number of layouts that were timed", ALWAYS) \
    F(T, search_seconds, NUMBER, field_number(r->advice->search_seconds), "time of the search", ALWAYS) \
    F(T, spent_seconds, NUMBER, field_number(r->advice->spent_seconds), "total time", ALWAYS) \
    F(T, not_timed, TEXT, field_text(r->advice->no_plans), "why some layouts were not timed") \
    F(T, machine, OBJECT, FIELD_VISIT(&r->request->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, libraries, GROUP, const struct tcplan_blas blas = tcplan_blas_info(); FIELD_VISIT(&blas), "libraries of kernels", .fields = libraries_fields) \
    F(T, tensors, LIST, each_place(visit, today(r), r->advice->tensor_count), \
      "the tensors in their current layouts", .item = "tensor", .fields = tensor_fields, ALWAYS) \
    F(T, contractions, LIST, each_place(visit, today(r), r->advice->item_count), \
      "the contractions in their current layouts", .item = "contraction", .fields = contraction_fields, ALWAYS) \
    F(T, layouts, LIST, each_layout(visit, r, true), "combinations of layouts, the advised one first", .item = "layout", .fields = layout_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(tensor, layout, TENSOR);
FIELD_TABLE(converted, layout, CONVERTED);
FIELD_TABLE(contraction, layout, CONTRACTION);
FIELD_TABLE(items, layout, ITEMS);
FIELD_TABLE(layout, layout, LAYOUT);
FIELD_TABLE(advised, advised, ADVISED);

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

/** Prints how layouts were searched, such as "layouts of A, C: 36 combinations, all covered by
 * 12 estimates". */
static void print_search(FILE *file, const struct tcplan_advice *advice) {
    const struct quantity estimates = counted(advice->estimates, "estimate");
    fputs("layouts      of ", file);
    print_free(file, advice);
    fprintf(file, ": %.4g combinations, ", advice->combinations);
    if (advice->exact) {
        fprintf(file, "all covered by %s\n", estimates.text);
    } else {
        fprintf(file, "%" PRId64 " covered by %s, not all\n", advice->seen, estimates.text);
    }
}

static void print_conversion(FILE *file, const struct advised *advised) {
    const struct options *options = advised->request->options;
    fprintf(file, "conversion   %s", conversions[options->layout.conversion]);
    if (options->layout.conversion == TCPLAN_CONVERSION_ONCE)
        fprintf(file, ", for %d run%s", options->layout.uses > 0 ? options->layout.uses : 1,
                options->layout.uses > 1 ? "s" : "");
    fputs(options->layout.conversion == TCPLAN_CONVERSION_NEVER ? " counted in the times\n" : "\n",
          file);
}

static void print_table(struct writer *writer, const struct advised *advised) {
    fields_print_list(
        writer, &(struct field){.fields = layout_fields, .each = each_shown, .style = style_of},
        advised);
}

/** Prints one line with the advised layouts, and compares their time with that of the current
 * ones. */
static void print_answer(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0], *today = today_of(advice);
    FILE *file = writer->file;
    if (first->is_today) {
        fputs("Advised: the current layouts", file);
        fputs(advice->count > 1 && tied_count(advice) > 1 ? "; others tie with them, within 2 %.\n"
                                                          : ", no other is faster.\n",
              file);
        return;
    }
    writer_print_owned(writer, "Advised: ", layout_text(advice, first), "");
    if (today->planned != first->planned) {
        fputs("; the current layouts were not timed.\n", file);
        return;
    }
    fprintf(file, ", %s instead of the current %s", quantity_seconds(first->net_seconds).text,
            quantity_seconds(today->net_seconds).text);
    if (today->tied) {
        fputs("; they tie, within 2 %.\n", file);
    } else {
        fprintf(file, ", %.2f times as fast.\n", today->net_seconds / first->net_seconds);
    }
}

/** Prints after how many runs a conversion pays off. */
static void print_break_even(FILE *file, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0], *today = today_of(advice);
    const double saved = today->seconds - first->seconds;
    if (first->is_today || today->tied || !(saved > 0) || !(first->conversion_seconds > 0)) return;
    fprintf(file, "One conversion pays off after %.0f run%s.\n",
            ceil(first->conversion_seconds / saved), first->conversion_seconds > saved ? "s" : "");
}

static void print_uncompared(FILE *file, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    if (advised->request->options->effort == TCPLAN_EFFORT_ESTIMATE) {
        fputs("Not compared: nothing was timed (--effort estimate).\n", file);
    } else if (advice->combinations > advice->planned_count) {
        fprintf(file,
                "The %d layouts with the best estimates were timed; the others were not "
                "compared%s.\n",
                advice->planned_count,
                advice->out_of_time ? " (time limit reached)" : " (--top times more)");
    }
    if (*advice->no_plans)
        fprintf(file, "Some layouts could not be timed: %s.\n", advice->no_plans);
}

/** Prints the contractions with the advised layouts. */
static void print_items(struct writer *writer, const struct advised *advised) {
    const struct tcplan_advice *advice = advised->advice;
    const struct tcplan_layouts *first = &advice->layouts[0];
    if (advice->item_count > 1) {
        fputs("\n", writer->file);
        fields_print_list(writer, field_named(layout_fields, "contractions"),
                          &(struct layout){advised, first, 0});
    } else if (!first->is_today) {
        writer_print_owned(writer, "New formula: ", tcplan_advice_formula(advice, first, 0), "\n");
    }
}

static void print(struct writer *writer, const void *record) {
    const struct advised *advised = record;
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

VIEW(advice, advised, "advice", print, "Storage orders of tensors, the advised one first.");
