#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/providers.h"
#include "cli/render/roofs/roofline.h"
#include "cli/render/text/table.h"
#include "cli/render/text/values.h"

enum { COLUMNS = 8, WIDEST_BITS = 2048, SCALAR_BITS = 64, ELEMENT_BYTES = 8 };

/** A table of rates: a row for each kernel and number of threads, a column for each vector width or
 * memory level. */
struct rates {
    const struct tcplan_roofline *roofline;
    const struct tcplan_ceiling *list;
    size_t count;
    bool computes; /* whether columns are vector widths; otherwise they are memory levels */
    int keys;
    int key[COLUMNS]; /* key of each column: number of the cache, or bits of the vectors (0: scalar)
                       */
};

struct rate_row {
    const struct rates *rates;
    const struct tcplan_ceiling *first;
    const struct tcplan_ceiling *cell[COLUMNS]; /* ceiling of each column; NULL: the cell is empty
                                                 */
    const char *kernel; /* for a table of vector widths: the kernel with which other kernels are
                           compared */
    const struct tcplan_ceiling *widest, *last;
};

static int key_of(const struct tcplan_ceiling *ceiling) {
    if (ceiling->cache >= 0) return ceiling->cache;
    const bool scalar = ceiling->mix == TCPLAN_MIX_NONE &&
                        ceiling->vector_bits == (ceiling->precision == TCPLAN_FLOAT ? 32 : 64);
    return scalar ? 0 : ceiling->vector_bits;
}

/** Inserts a column at its position, unless the column exists. */
static void add_key(struct rates *rates, int key) {
    int at = 0;
    while (at < rates->keys && rates->key[at] < key) at++;
    if (rates->keys == COLUMNS || (at < rates->keys && rates->key[at] == key)) return;
    for (int k = rates->keys; k > at; k--) rates->key[k] = rates->key[k - 1];
    rates->key[at] = key;
    rates->keys++;
}

static struct rates rates_of(const struct tcplan_roofline *roofline, bool computes) {
    struct rates out = {.roofline = roofline,
                        .list = computes ? roofline->compute : roofline->bandwidth,
                        .count = computes ? roofline->compute_count : roofline->bandwidth_count,
                        .computes = computes};
    for (size_t c = 0; c < out.count; c++) {
        if (out.list[c].m == 0) add_key(&out, key_of(&out.list[c]));
    }
    return out;
}

static bool same_row(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return strcmp(a->name, b->name) == 0 && a->precision == b->precision && a->mix == b->mix &&
           a->threads == b->threads;
}

static bool same_access(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return same_row(a, b) && a->vector_bits == b->vector_bits;
}

/** Visits the row of a ceiling, unless an earlier ceiling belongs to the same row. A cell has the
 * first ceiling for its column; among bandwidths, the one with the widest vectors. */
static void visit_row(const struct rates *rates, size_t place,
                      bool (*same)(const struct tcplan_ceiling *, const struct tcplan_ceiling *),
                      struct field_visit *visit) {
    struct rate_row row = {.rates = rates, .first = &rates->list[place]};
    for (size_t c = 0; c < rates->count; c++) {
        if (!same(&rates->list[c], row.first)) continue;
        if (c < place) return;
        for (int k = 0; k < rates->keys; k++) {
            if (!row.cell[k] && key_of(&rates->list[c]) == rates->key[k])
                row.cell[k] = &rates->list[c];
        }
    }
    FIELD_VISIT(&row);
}

static void each_rate(const void *record, struct field_visit *visit) {
    const struct rates *rates = record;
    for (size_t c = 0; c < rates->count; c++) {
        if (rates->list[c].m == 0) visit_row(rates, c, same_row, visit);
    }
}

static void each_gemm(const void *record, struct field_visit *visit) {
    const struct rates *rates = record;
    for (size_t c = 0; c < rates->count; c++) {
        const struct rate_row row = {.rates = rates, .first = &rates->list[c], .cell = {row.first}};
        if (row.first->m > 0) FIELD_VISIT(&row);
    }
}

static void each_stride(const void *record, struct field_visit *visit) {
    const struct rates *rates = record;
    for (size_t c = 0; c < rates->count; c++) {
        if (tcplan_roofline_stride_share(rates->roofline, &rates->list[c]) > 0)
            visit_row(rates, c, same_access, visit);
    }
}

/* Widths of vectors. */

static const struct width_row {
    const char *name, *scalar; /* kernels with and without vectors; NULL: there is none without */
} width_rows[] = {{"load", "load_1"}, {"store", "store_1"}, {"copy", NULL}, {"triad", NULL}};

/** Visits one vector width. `widest` receives the ceiling in the last level of the first width that
 * has such a ceiling. */
static void visit_width(const struct rates *rates, const struct width_row *of, int bits,
                        int threads, const struct tcplan_ceiling **widest,
                        struct field_visit *visit) {
    const char *name = bits > SCALAR_BITS ? of->name : of->scalar;
    struct rate_row row = {.rates = rates, .kernel = of->name};
    for (size_t c = 0; name && c < rates->count; c++) {
        const struct tcplan_ceiling *ceiling = &rates->list[c];
        if (ceiling->vector_bits != bits || ceiling->threads != threads ||
            strcmp(ceiling->name, name) != 0)
            continue;
        for (int k = 0; k < rates->keys; k++) {
            if (!row.cell[k] && ceiling->cache == rates->key[k]) row.cell[k] = row.first = ceiling;
        }
    }
    if (!row.first) return;
    row.last = row.cell[rates->keys - 1];
    if (!*widest) *widest = row.last;
    row.widest = *widest;
    FIELD_VISIT(&row);
}

/** Returns the next number of threads with measured load bandwidths; 0 if there is none. */
static int next_threads(const struct rates *rates, int threads) {
    int next = 0;
    for (size_t c = 0; c < rates->count; c++) {
        const int own = rates->list[c].threads;
        if (own > threads && (next == 0 || own < next)) next = own;
    }
    return next;
}

static void each_width(const void *record, struct field_visit *visit) {
    const struct rates *rates = record;
    for (int threads = 0; (threads = next_threads(rates, threads)) > 0;) {
        if (!tcplan_roofline_has_widths(rates->roofline, threads, true)) continue;
        for (size_t r = 0; r < sizeof width_rows / sizeof *width_rows; r++) {
            const struct tcplan_ceiling *widest = NULL;
            for (int bits = WIDEST_BITS; bits >= SCALAR_BITS; bits /= 2)
                visit_width(rates, &width_rows[r], bits, threads, &widest, visit);
        }
    }
}

/* Columns. */

FIELD_UNIT(struct rates, unit_of,
           r->computes ? tcplan_roofline_compute_unit(r->roofline)
                       : tcplan_roofline_bandwidth_unit(r->roofline))

static const char *last_level(const void *record) {
    const struct rates *rates = record;
    size_t c = 0;
    while (c < rates->count && rates->list[c].cache != rates->key[rates->keys - 1]) c++;
    return c < rates->count ? rates->list[c].level : "";
}

FIELD_TEST(struct rates, computes, r->computes)

static const char *precision_of(const struct tcplan_ceiling *ceiling) {
    if (ceiling->mix != TCPLAN_MIX_NONE) return tcplan_mix_name(ceiling->mix);
    return ceiling->precision == TCPLAN_FLOAT ? "single" : "double";
}

/** Returns the largest distance between the quartiles of a ceiling in a row. */
static double spread_of(const struct rate_row *row) {
    double spread = 0;
    for (int k = 0; k < COLUMNS; k++) {
        const struct tcplan_ceiling *cell = row->cell[k];
        if (cell) spread = fmax(spread, (cell->q3 - cell->q1) / cell->rate);
    }
    return spread;
}

static int dropped_of(const struct rate_row *row) {
    int dropped = 0;
    for (int k = 0; k < COLUMNS; k++) dropped += row->cell[k] ? row->cell[k]->dropped : 0;
    return dropped;
}

static int key_count(const void *record) {
    return ((const struct rates *)record)->keys;
}

static struct field_value key_heading(const void *record, int of) {
    const struct rates *rates = record;
    const struct rates level = {
        .list = rates->list, .count = rates->count, .keys = 1, .key = {rates->key[of]}};
    if (!rates->computes) return field_word(last_level(&level));
    return rates->key[of] == 0 ? field_word("scalar") : field_printed("%d bits", rates->key[of]);
}

static struct field_value rate_at(const void *record, int of) {
    const struct tcplan_ceiling *cell = ((const struct rate_row *)record)->cell[of];
    return field_if(cell != NULL, field_number(cell ? cell->rate : 0));
}

static struct field_value share_at(const void *record, int of) {
    const struct rate_row *row = record;
    const struct tcplan_ceiling *cell = row->cell[of];
    return field_positive(cell ? tcplan_roofline_stride_share(row->rates->roofline, cell) : 0);
}

static const struct field_spread rates_by_key = {key_count, key_heading, rate_at},
                                 shares_by_key = {key_count, key_heading, share_at};

#define FIRST r->first

/* clang-format off */

#define THREADS(F, T, place) F(T, threads, INTEGER, field_integer(FIRST->threads), "threads", COLUMN(place, "threads"))
#define DROPPED(F, T, place, first, second) \
    F(T, spread, NUMBER, field_number(spread_of(r)), "distance between quartiles", COLUMN(place, "spread"), .format = FIELD_PERCENT, .optional = (first)) \
    F(T, dropped, INTEGER, field_integer(dropped_of(r)), "windows in which a thread lost its core", COLUMN((place) + 1, "dropped"), .optional = (second))

#define RATE(F, T) \
    F(T, name, TEXT, field_text(FIRST->name), "kernel", COLUMN(1, ""), .unit = unit_of) \
    F(T, precision, TEXT, field_text(precision_of(FIRST)), "precision", COLUMN(2, "precision"), .applies = computes) \
    THREADS(F, T, 3) \
    F(T, rates, NUMBER, field_unknown(), "medians", COLUMN(4, ""), .format = FIELD_DIGITS, .spread = &rates_by_key, .optional = '1') \
    DROPPED(F, T, 5, '2', '3')

#define GEMM(F, T) \
    F(T, name, TEXT, field_text(FIRST->name), "routine", COLUMN(1, "BLAS")) \
    THREADS(F, T, 2) \
    F(T, rate, NUMBER, field_number(FIRST->rate), "median", COLUMN(3, ""), .unit = unit_of, .format = FIELD_DIGITS) \
    F(T, sizes, TEXT, field_printed("%lld x %lld x %lld", (long long)FIRST->m, (long long)FIRST->n, (long long)FIRST->k), "extents", COLUMN(4, "m x n x k")) \
    DROPPED(F, T, 5, '1', '2')

#define STRIDE(F, T) \
    F(T, name, TEXT, field_printed("%.*s", (int)strcspn(FIRST->name, "_"), FIRST->name), "kernel", COLUMN(1, "strides")) \
    THREADS(F, T, 2) \
    F(T, elements, INTEGER, field_integer(tcplan_ceiling_stride(FIRST)), "stride", COLUMN(3, "elements")) \
    F(T, moved, TEXT, field_printed("%.0f", ELEMENT_BYTES * FIRST->line_bytes_per_count_byte), "bytes of cache lines", COLUMN(4, "bytes " \
      "moved"), .right = true, \
      .optional = '2') \
    F(T, expected, NUMBER, field_positive(tcplan_ceiling_stride_expected(FIRST)), "expected share", COLUMN(5, "expected"), .format = FIELD_PERCENT, \
      .optional = '1') \
    F(T, shares, NUMBER, field_unknown(), "share of unit stride", COLUMN(6, ""), .format = FIELD_PERCENT, .spread = &shares_by_key)

#define WIDTH(F, T) \
    F(T, name, TEXT, field_text(r->kernel), "kernel", COLUMN(1, "widths")) \
    THREADS(F, T, 2) \
    F(T, bits, INTEGER, field_integer(FIRST->vector_bits), "width of vectors", COLUMN(3, "bits")) \
    F(T, rates, NUMBER, field_unknown(), "medians", COLUMN(4, ""), .format = FIELD_DIGITS, .spread = &rates_by_key) \
    F(T, of_widest, NUMBER, field_positive(r->last && r->widest ? r->last->rate / r->widest->rate : 0), "share", COLUMN(5, "of the widest in"), \
      .unit = last_level, .format = FIELD_PERCENT, .optional = '1')

/* clang-format on */

FIELD_TABLE(rate, rate_row, RATE);
FIELD_TABLE(gemm, rate_row, GEMM);
FIELD_TABLE(stride, rate_row, STRIDE);
FIELD_TABLE(width, rate_row, WIDTH);

/** Prints an empty line and a table; returns false and prints nothing if the table has no rows. */
static bool print_rates(struct writer *writer, const struct field *fields, field_each_fn *each,
                        const struct rates *rates) {
    struct field_visit rows = {.use = field_visit_found};
    each(rates, &rows);
    if (!rows.is_over) return false;
    fputc('\n', writer->file);
    fields_print_list(writer, &(struct field){.fields = fields, .each = each}, rates);
    return true;
}

/** Prints an explanation of the mixed precisions in the tables, and why others are missing. */
static void print_mixes(FILE *file, const struct tcplan_roofline *roofline) {
    bool any = false;
    for (size_t c = 0; c < roofline->compute_count; c++)
        any = any || roofline->compute[c].mix != TCPLAN_MIX_NONE;
    if (any)
        fputs(
            "fp16: half precision; bf16-s: products of bfloat16 summed in single precision; s-d: single precision converted, multiplied and summed "
            "in "
            "double.\n",
            file);
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        const char *name = tcplan_mix_name((enum tcplan_mix)mix);
        if (roofline->lacking >> mix & 1U)
            fprintf(file, "%s: this processor has no instructions for it.\n", name);
        if (roofline->unbuilt >> mix & 1U)
            fprintf(file, "%s: the compiler of tcplan did not support its instructions.\n", name);
    }
}

/** Prints the working set with which each level was measured, for the largest number of threads. */
static void print_sets(struct writer *writer, const struct tcplan_roofline *roofline) {
    const struct rates rates = rates_of(roofline, false);
    fputs("working sets ", writer->file);
    for (int k = 0; k < rates.keys; k++) {
        const struct tcplan_ceiling *set = NULL;
        for (size_t c = 0; c < roofline->bandwidth_count; c++) {
            if (roofline->bandwidth[c].cache == rates.key[k]) set = &roofline->bandwidth[c];
        }
        if (!set) continue; /* Skip columns without a ceiling. */
        fprintf(writer->file, "%s%s %s%s", k > 0 ? ", " : "", set->level,
                quantity_bytes(set->working_set_bytes).text,
                set->reduced ? " (limited by memory)" : "");
    }
    fputs(" per thread\n", writer->file);
}

static int count_drifted(const struct tcplan_ceiling *ceiling, size_t count) {
    int drifted = 0;
    for (size_t c = 0; c < count; c++) drifted += ceiling[c].clock_drift > TCPLAN_CLOCK_DRIFT;
    return drifted;
}

/** Prints during how many measurements of ceilings the clock drifted. */
static void print_drift(FILE *file, const struct tcplan_roofline *roofline) {
    const int drifted = count_drifted(roofline->compute, roofline->compute_count) +
                        count_drifted(roofline->bandwidth, roofline->bandwidth_count);
    if (drifted > 0)
        fprintf(file, "; changed by more than %.0f %% during %d ceilings", 100 * TCPLAN_CLOCK_DRIFT,
                drifted);
    fputc('\n', file);
}

/** Prints the clock state of the cores. */
static void print_state(FILE *file, const struct tcplan_roofline *roofline) {
    const int slow = tcplan_roofline_slow_count(roofline);
    const bool known = roofline->compute_count > 0 && roofline->compute[0].reference_seconds > 0;
    if (known && slow == 0) fputs("state        measured at the best speed of the cores\n", file);
    if (slow > 0)
        fprintf(
            file,
            "state        %d of %zu ceilings are too low because the cores were slow; do not use them as limits (--remeasure)\n",
            slow, roofline->compute_count + roofline->bandwidth_count);
}

static void print_head(struct writer *writer, const struct tcplan_roofline *roofline, bool stored) {
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
        fputs("clock        unknown on this architecture\n", file);
    }
    if (*roofline->blas) fprintf(file, "BLAS         %s\n", roofline->blas);
    if (strcmp(roofline->blas, tcplan_blas_info().text) == 0) blas_warnings_print(file);
    fprintf(file, "ceilings     medians of up to %d windows, measured in %s", windows,
            quantity_seconds(roofline->seconds).text);
    if (roofline->left_out > 0)
        fprintf(file, "; %d omitted because of other load", roofline->left_out);
    if (roofline->above_limit > 0)
        fprintf(file, "; %d omitted because they exceed the theoretical peak",
                roofline->above_limit);
    if (roofline->unmeasured > 0)
        fprintf(file, "; %d not measured (time limit)", roofline->unmeasured);
    fputc('\n', file);
    if (stored) {
        fprintf(file, "             stored on %s UTC%s; --remeasure measures them again\n",
                date_minute(roofline->made).text,
                tcplan_roofline_is_rough(roofline) ? ", measured with little time or memory" : "");
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
    print_head(writer, roofline, report->stored);
    const struct rates compute = rates_of(roofline, true), bandwidth = rates_of(roofline, false);
    print_rates(writer, rate_fields, each_rate, &compute);
    print_mixes(writer->file, roofline);
    print_rates(writer, gemm_fields, each_gemm, &compute);
    print_rates(writer, rate_fields, each_rate, &bandwidth);
    levels_print(writer, report);
    if (print_rates(writer, stride_fields, each_stride, &bandwidth))
        fputs(
            "\nShares of the bandwidth at unit stride, one element of 8 bytes at a time. bytes moved: cache lines, per element; expected: if lines "
            "move as fast as at unit stride.\n",
            writer->file);
    print_rates(writer, width_fields, each_width, &bandwidth);
    fprintf(
        writer->file,
        "\nspread: largest distance between quartiles in the row. dropped: windows in which a thread lost its core.\n"
        "%s counts the program's accesses; a store also loads its cache line, except in triad_nt and store_nt.\n",
        tcplan_roofline_bandwidth_unit(roofline));
}
