#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/blas_advice.h"
#include "cli/render/roofs/roofline.h"
#include "cli/render/text/date.h"
#include "cli/render/text/table.h"

enum { COLUMNS = 8 };

/** What distinguishes the columns of a table: widths of vectors, or levels of memory. */
struct columns {
    int count;
    int key[COLUMNS];
};

static int key_of(const struct tcplan_ceiling *ceiling) {
    if (ceiling->cache >= 0) return ceiling->cache;
    const bool scalar = ceiling->mix == TCPLAN_MIX_NONE &&
                        ceiling->vector_bits == (ceiling->precision == TCPLAN_FLOAT ? 32 : 64);
    return scalar ? 0 : ceiling->vector_bits;
}

/** Inserts a key in its place unless it is there. */
static void add_key(struct columns *columns, int key) {
    int at = 0;
    while (at < columns->count && columns->key[at] < key) at++;
    if (columns->count == COLUMNS || (at < columns->count && columns->key[at] == key)) return;
    for (int c = columns->count; c > at; c--) columns->key[c] = columns->key[c - 1];
    columns->key[at] = key;
    columns->count++;
}

static struct columns find_columns(const struct tcplan_ceiling *ceiling, size_t count) {
    struct columns columns = {0};
    for (size_t c = 0; c < count; c++) {
        if (ceiling[c].m == 0) add_key(&columns, key_of(&ceiling[c]));
    }
    return columns;
}

static bool same_row(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return strcmp(a->name, b->name) == 0 && a->precision == b->precision && a->mix == b->mix &&
           a->threads == b->threads;
}

static bool is_first_of_row(const struct tcplan_ceiling *list, size_t place) {
    for (size_t c = 0; c < place; c++) {
        if (same_row(&list[c], &list[place])) return false;
    }
    return true;
}

static double spread_of(const struct tcplan_ceiling *ceiling) {
    return (ceiling->q3 - ceiling->q1) / ceiling->rate;
}

/** The medians of one kernel, of bandwidth with the widest vectors, which stand first, and the
 * widest of their spreads. */
static void add_row(struct table *table, const struct tcplan_ceiling *list, size_t count,
                    const struct tcplan_ceiling *first, const struct columns *columns) {
    double spread = 0;
    int dropped = 0;
    for (int k = 0; k < columns->count; k++) {
        const struct tcplan_ceiling *found = NULL;
        for (size_t c = 0; c < count; c++) {
            if (!found && same_row(&list[c], first) && key_of(&list[c]) == columns->key[k])
                found = &list[c];
        }
        table_add(table, found ? "%.4g" : "-", found ? found->rate : 0.0);
        spread = found ? fmax(spread, spread_of(found)) : spread;
        dropped += found ? found->dropped : 0;
    }
    table_add(table, "%.1f %%", 100 * spread);
    table_add(table, "%d", dropped);
}

/** Letters of columns, and which may be left out: how far the figures spread, then, of vectors,
 * those between the narrowest and the widest. */
struct layout {
    char columns[COLUMNS + 8], optional[COLUMNS + 8];
};

static struct layout layout_of(const char *front, int count, bool vectors) {
    struct layout out = {0};
    const size_t length = strlen(front), keys = (size_t)count;
    memcpy(out.columns, front, length);
    memset(out.columns + length, 'r', keys + 2);
    memset(out.optional, '0', length + keys);
    if (vectors && keys > 2) memset(out.optional + length + 1, '1', keys - 2);
    memcpy(out.optional + length + keys, "23", 2);
    return out;
}

static const char *precision_of(const struct tcplan_ceiling *ceiling) {
    if (ceiling->mix != TCPLAN_MIX_NONE) return tcplan_mix_name(ceiling->mix);
    return ceiling->precision == TCPLAN_FLOAT ? "single" : "double";
}

/** What mixed precisions are, where there are any, and why others are not there. */
static void print_mixes(FILE *file, const struct tcplan_roofline *roofline) {
    bool any = false;
    for (size_t c = 0; c < roofline->compute_count; c++)
        any = any || roofline->compute[c].mix != TCPLAN_MIX_NONE;
    if (any)
        fputs(
            "fp16: half precision; bf16-s: products of bfloat16 summed in single precision; s-d: single precision converted, multiplied and summed in "
            "double.\n",
            file);
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        const char *name = tcplan_mix_name((enum tcplan_mix)mix);
        if (roofline->lacking >> mix & 1U)
            fprintf(file, "%s: this processor has no instructions for it.\n", name);
        if (roofline->unbuilt >> mix & 1U)
            fprintf(file, "%s: the compiler that built tcplan did not know its instructions.\n",
                    name);
    }
}

static void print_compute(struct writer *writer, const struct tcplan_roofline *roofline) {
    const struct columns columns = find_columns(roofline->compute, roofline->compute_count);
    const struct layout layout = layout_of("llr", columns.count, true);
    struct table table = {.columns = layout.columns, .optional = layout.optional};
    table_add(&table, "%s", tcplan_roofline_compute_unit(roofline));
    table_add(&table, "precision");
    table_add(&table, "threads");
    for (int k = 0; k < columns.count; k++) {
        if (columns.key[k] == 0) {
            table_add(&table, "scalar");
        } else {
            table_add(&table, "%d bits", columns.key[k]);
        }
    }
    table_add(&table, "spread");
    table_add(&table, "dropped");
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *first = &roofline->compute[c];
        if (first->m > 0 || !is_first_of_row(roofline->compute, c)) continue;
        table_add(&table, "%s", first->name);
        table_add(&table, "%s", precision_of(first));
        table_add(&table, "%d", first->threads);
        add_row(&table, roofline->compute, roofline->compute_count, first, &columns);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    print_mixes(writer->file, roofline);
}

static bool has_gemm(const struct tcplan_roofline *roofline) {
    size_t c = 0;
    while (c < roofline->compute_count && roofline->compute[c].m == 0) c++;
    return c < roofline->compute_count;
}

static void print_gemm(struct writer *writer, const struct tcplan_roofline *roofline) {
    struct table table = {.columns = "lrrlrr", .optional = "000012"};
    table_add(&table, "BLAS");
    table_add(&table, "threads");
    table_add(&table, "%s", tcplan_roofline_compute_unit(roofline));
    table_add(&table, "m x n x k");
    table_add(&table, "spread");
    table_add(&table, "dropped");
    for (size_t c = 0; c < roofline->compute_count; c++) {
        const struct tcplan_ceiling *ceiling = &roofline->compute[c];
        if (ceiling->m == 0) continue;
        table_add(&table, "%s", ceiling->name);
        table_add(&table, "%d", ceiling->threads);
        table_add(&table, "%.4g", ceiling->rate);
        table_add(&table, "%lld x %lld x %lld", (long long)ceiling->m, (long long)ceiling->n,
                  (long long)ceiling->k);
        table_add(&table, "%.1f %%", 100 * spread_of(ceiling));
        table_add(&table, "%d", ceiling->dropped);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static const char *level_of(const struct tcplan_roofline *roofline, int cache) {
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        if (roofline->bandwidth[c].cache == cache) return roofline->bandwidth[c].level;
    }
    return "";
}

static void print_bandwidth(struct writer *writer, const struct tcplan_roofline *roofline) {
    const struct columns columns = find_columns(roofline->bandwidth, roofline->bandwidth_count);
    const struct layout layout = layout_of("lr", columns.count, false);
    struct table table = {.columns = layout.columns, .optional = layout.optional};
    table_add(&table, "%s", tcplan_roofline_bandwidth_unit(roofline));
    table_add(&table, "threads");
    for (int k = 0; k < columns.count; k++)
        table_add(&table, "%s", level_of(roofline, columns.key[k]));
    table_add(&table, "spread");
    table_add(&table, "dropped");
    for (size_t c = 0; c < roofline->bandwidth_count; c++) {
        const struct tcplan_ceiling *first = &roofline->bandwidth[c];
        if (!is_first_of_row(roofline->bandwidth, c)) continue;
        table_add(&table, "%s", first->name);
        table_add(&table, "%d", first->threads);
        add_row(&table, roofline->bandwidth, roofline->bandwidth_count, first, &columns);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

/** The working set of each level, with the largest number of threads. */
static void print_sets(struct writer *writer, const struct tcplan_roofline *roofline) {
    const struct columns columns = find_columns(roofline->bandwidth, roofline->bandwidth_count);
    fputs("working sets ", writer->file);
    for (int k = 0; k < columns.count; k++) {
        const struct tcplan_ceiling *set = NULL;
        for (size_t c = 0; c < roofline->bandwidth_count; c++) {
            if (roofline->bandwidth[c].cache == columns.key[k]) set = &roofline->bandwidth[c];
        }
        if (!set) continue; /* every column is some ceiling's */
        fprintf(writer->file, "%s%s %s%s", k > 0 ? ", " : "", set->level,
                quantity_bytes(set->working_set_bytes).text,
                set->reduced ? " (memory does not allow more)" : "");
    }
    fputs(" a thread\n", writer->file);
}

static int count_drifted(const struct tcplan_ceiling *ceiling, size_t count) {
    int drifted = 0;
    for (size_t c = 0; c < count; c++) drifted += ceiling[c].clock_drift > TCPLAN_CLOCK_DRIFT;
    return drifted;
}

/** Where the clock moved while ceilings were measured. */
static void print_drift(FILE *file, const struct tcplan_roofline *roofline) {
    const int drifted = count_drifted(roofline->compute, roofline->compute_count) +
                        count_drifted(roofline->bandwidth, roofline->bandwidth_count);
    if (drifted > 0)
        fprintf(file, "; moved by more than %.0f %% beside %d ceilings", 100 * TCPLAN_CLOCK_DRIFT,
                drifted);
    fputc('\n', file);
}

/** In which state of the cores. */
static void print_state(FILE *file, const struct tcplan_roofline *roofline) {
    const int slow = tcplan_roofline_slow_count(roofline);
    const bool known = roofline->compute_count > 0 && roofline->compute[0].reference_seconds > 0;
    if (known && slow == 0)
        fputs("state        measured while the cores had their best speed\n", file);
    if (slow > 0)
        fprintf(
            file,
            "state        %d of %zu ceilings are too low, as the cores were slow: they limit nothing (--remeasure)\n",
            slow, roofline->compute_count + roofline->bandwidth_count);
}

static void print_head(struct writer *writer, const struct tcplan_roofline *roofline, bool kept) {
    const struct tcplan_clock_rate *clock = &roofline->clock;
    FILE *file = writer->file;
    int windows = 0;
    for (size_t c = 0; c < roofline->compute_count; c++)
        windows = roofline->compute[c].windows > windows ? roofline->compute[c].windows : windows;
    if (clock->hz > 0) {
        fprintf(file, "clock        %.3f GHz, quartiles %.3f and %.3f, from dependent additions",
                1e-9 * clock->hz, 1e-9 * clock->q1, 1e-9 * clock->q3);
        print_drift(file, roofline);
    } else {
        fputs("clock        not known on this architecture\n", file);
    }
    if (*roofline->blas) fprintf(file, "BLAS         %s\n", roofline->blas);
    if (strcmp(roofline->blas, tcplan_blas_info().text) == 0) blas_warnings_print(file);
    fprintf(file, "ceilings     medians of up to %d windows, measured in %s", windows,
            quantity_seconds(roofline->seconds).text);
    if (roofline->left_out > 0)
        fprintf(file, "; %d left out, as other work had the cores", roofline->left_out);
    if (roofline->above_limit > 0)
        fprintf(file, "; %d left out, as above what the cores can do at this clock",
                roofline->above_limit);
    if (roofline->unmeasured > 0)
        fprintf(file, "; %d not measured, as the time was over", roofline->unmeasured);
    fputc('\n', file);
    if (kept) {
        fprintf(file, "             kept since %s UTC%s; --remeasure measures them again\n",
                date_minute(roofline->made).text,
                tcplan_roofline_is_rough(roofline) ? ", in a hurry or in little memory" : "");
    }
    print_sets(writer, roofline);
    if (roofline->huge_page_share >= 0)
        fprintf(file, "pages        %.0f %% of the memory on huge pages\n",
                100 * roofline->huge_page_share);
    print_state(file, roofline);
}

void ceilings_print(struct writer *writer, const struct roofline_report *report) {
    const struct tcplan_roofline *roofline = report->roofline;
    format_text_machine(writer, &roofline->machine);
    print_head(writer, roofline, report->kept);
    fputc('\n', writer->file);
    print_compute(writer, roofline);
    fputc('\n', writer->file);
    if (has_gemm(roofline)) {
        print_gemm(writer, roofline);
        fputc('\n', writer->file);
    }
    print_bandwidth(writer, roofline);
    levels_print(writer, report);
    if (!accesses_print_text(writer->file, roofline)) writer->no_memory = true;
    fprintf(
        writer->file,
        "\nspread: the widest distance between quartiles in the row. dropped: windows in which a thread lost its core.\n"
        "%s counts what the program asks for; a store also loads the line that it writes to, but for triad_nt and store_nt.\n",
        tcplan_roofline_bandwidth_unit(roofline));
}
