#include "cli/render/results/platforms.h"

#include "cli/render/view.h"

enum { PLATFORM_COLUMNS_MAX = 10 };

struct quantity platform_label(int p) {
    struct quantity out;
    snprintf(out.text, sizeof out.text, p < 26 ? "%c" : "%c%d", 'A' + p % 26, p / 26);
    return out;
}

/* Return the ceilings that form a platform's roofs: of arithmetic, and of loads from memory; NULL
 * if it is missing. */

static const struct tcplan_ceiling *fma_of(const struct tcplan_platform *platform) {
    return platform->ceilings ? tcplan_roofline_compute(platform->ceilings, "fma", TCPLAN_DOUBLE, 0,
                                                        (int)platform->threads)
                              : NULL;
}

static const struct tcplan_ceiling *load_of(const struct tcplan_platform *platform) {
    const struct tcplan_roofline *ceilings = platform->ceilings;
    return ceilings ? tcplan_roofline_bandwidth(ceilings, "load", ceilings->machine.cache_count,
                                                (int)platform->threads)
                    : NULL;
}

static struct field_value rate_of(const struct tcplan_ceiling *ceiling) {
    return ceiling ? field_number(ceiling->rate) : field_unknown();
}

void platforms_visit(struct field_visit *visit, const struct tcplan_platforms *report,
                     const struct tcplan_ported_algorithm *algorithm) {
    for (int p = 0; p < report->platform_count; p++) {
        const struct placed placed = {p, &report->platform[p],
                                      algorithm ? &algorithm->speed[p] : NULL};
        FIELD_VISIT(&placed);
    }
}

/** An algorithm or a contraction in a report on portability. */
struct ported {
    const struct tcplan_platforms *report;
    const struct tcplan_ported_contraction *contraction;
    const struct tcplan_ported_algorithm *algorithm;
};

static void each_algorithm(struct field_visit *visit, const struct ported *of) {
    for (const struct tcplan_ported_algorithm *a = of->contraction->algorithms; a; a = a->next) {
        const struct ported ported = {of->report, of->contraction, a};
        FIELD_VISIT(&ported);
    }
}

static void each_contraction(struct field_visit *visit, const struct tcplan_platforms *report) {
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        const struct ported ported = {report, c, &c->chosen};
        FIELD_VISIT(&ported);
    }
}

/** Efficiencies of an algorithm on each platform, and their harmonic mean; one row of text. */
struct compared {
    const struct portability_report *report;
    const struct ported *ported; /* the algorithm; NULL: the whole table */
    bool architectural, is_first;
};

static void each_compared(const void *record, struct field_visit *visit) {
    struct compared row = *(const struct compared *)record;
    const struct tcplan_platforms *report = row.report->platforms;
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        row.is_first = true;
        row.ported = &(struct ported){report, c, &c->chosen};
        FIELD_VISIT(&row);
        row.is_first = false;
        for (const struct tcplan_ported_algorithm *a = c->algorithms;
             a && (row.report->all || a == c->algorithms); a = a->next) {
            row.ported = &(struct ported){report, c, a};
            FIELD_VISIT(&row);
        }
    }
}

/** Returns a share as text. A mark is appended if `is_flagged`: the share exceeds the platform's
 * roof. */
static struct field_value share_text(double share, bool is_flagged) {
    return share > 0 ? field_printed("%.1f %%%s", 100 * share, is_flagged ? " !" : "")
                     : field_word("0");
}

/** Returns the number of columns: one for each platform, or fewer if there are very many
 * platforms. */
static int platform_columns(const void *record) {
    const int count = ((const struct compared *)record)->report->platforms->platform_count;
    return count <= PLATFORM_COLUMNS_MAX ? count : 0;
}

static struct field_value platform_heading(const void *record, int of) {
    (void)record;
    return field_printed("%s", platform_label(of).text);
}

static struct field_value platform_share(const void *record, int of) {
    const struct compared *row = record;
    const struct tcplan_platform_speed *speed = &row->ported->algorithm->speed[of];
    const double share = row->architectural ? tcplan_architectural_efficiency(speed)
                                            : tcplan_application_efficiency(speed);
    return speed->speed > 0 ? share_text(share, row->architectural && share > 1) : field_unknown();
}

static struct field_value mean_share(const struct compared *row) {
    const struct tcplan_portability *of = &row->ported->algorithm->portability;
    return row->architectural ? share_text(of->architectural, of->above_roof)
                              : share_text(of->application, false);
}

static const struct field_spread platforms = {platform_columns, platform_heading, platform_share};

#define SHARE_OF_FASTEST "share of the speed of the fastest algorithm"
#define SHARE_OF_ROOF "share of the speed that the platform allows"
#define PLATFORM r->platform
#define PORTABILITY r->algorithm->portability

/* clang-format off */

#define PLACED(F, T) \
    F(T, label, TEXT, field_printed("%s", platform_label(r->place).text), "label in tables of text", COLUMN(1, ""), .hidden = true) \
    F(T, file, TEXT, field_text(PLATFORM->path), "file of results", COLUMN(2, "file"), ALWAYS) \
    F(T, threads, INTEGER, field_integer(PLATFORM->threads), "threads", COLUMN(5, "threads"), .optional = '2', ALWAYS) \
    F(T, cpu, TEXT, field_word(PLATFORM->cpu), "processor", COLUMN(3, "CPU"), .optional = '5', ALWAYS) \
    F(T, blas, TEXT, field_word(PLATFORM->blas), "BLAS of the platform", COLUMN(4, "BLAS"), .optional = '6', ALWAYS) \
    F(T, gemm_gflops, NUMBER, field_number(PLATFORM->gemm_gflops), "speed of a large gemm", \
      COLUMN(6, "dgemm GFLOP/s"), .format = FIELD_DIGITS, .optional = '3', ALWAYS) \
    F(T, fma_gflops, NUMBER, rate_of(fma_of(PLATFORM)), "ceiling of arithmetic; absent: no ceilings for the platform", \
      COLUMN(7, "fma GFLOP/s"), .format = FIELD_DIGITS, .optional = '7') \
    F(T, gbytes_per_second, NUMBER, rate_of(load_of(PLATFORM)), "ceiling of loads from memory", \
      COLUMN(8, "load GB/s"), .format = FIELD_DIGITS, .optional = '8') \
    F(T, result_count, INTEGER, field_integer(PLATFORM->result_count), "contractions with results", COLUMN(9, "done"), .optional = '4', ALWAYS) \
    F(T, failed_count, INTEGER, field_integer(PLATFORM->failed_count), "failed contractions", COLUMN(10, "failed"), .optional = '1', ALWAYS)

#define SPEED(F, T) \
    F(T, file, TEXT, field_text(PLATFORM->path), "file of results", CSV(5), .hidden = true) \
    F(T, threads, INTEGER, field_integer(PLATFORM->threads), "threads", CSV(6), .hidden = true) \
    F(T, gflops, NUMBER, field_positive(r->speed->speed), "speed; absent: the algorithm did not run", CSV(7)) \
    F(T, application, NUMBER, field_number(tcplan_application_efficiency(r->speed)), SHARE_OF_FASTEST, CSV_AS(8, "application_efficiency"), ALWAYS) \
    F(T, architectural, NUMBER, field_number(tcplan_architectural_efficiency(r->speed)), SHARE_OF_ROOF, CSV_AS(9, "architectural_efficiency"), ALWAYS)

#define ALGORITHM(F, T) \
    F(T, name, TEXT, field_text(r->algorithm->name), "name of the algorithm", CSV_AS(4, "algorithm"), ALWAYS) \
    F(T, application, NUMBER, field_number(PORTABILITY.application), "harmonic mean: " SHARE_OF_FASTEST, CSV_AS(10, "application_portability"), ALWAYS) \
    F(T, architectural, NUMBER, field_number(PORTABILITY.architectural), "harmonic mean: " SHARE_OF_ROOF, CSV_AS(11, "architectural_portability"), ALWAYS) \
    F(T, above_roof, FLAG, field_flag(PORTABILITY.above_roof), "whether a speed of the algorithm exceeds the roof of its platform", ALWAYS) \
    F(T, platforms, LIST, platforms_visit(visit, r->report, r->algorithm), "speeds of the algorithm, in the order of the platforms", \
      .item = "platform", .fields = speed_fields, ALWAYS)

#define CONTRACTION(F, T) \
    F(T, name, TEXT, field_word(r->contraction->name), "name of the contraction in the library", CSV(1), ALWAYS) \
    F(T, library, TEXT, field_word(r->contraction->library), "file of the library that has the contraction", CSV(12), ALWAYS) \
    F(T, contraction, TEXT, field_text(r->contraction->contraction), "the contraction in tcplan's notation", CSV(2), ALWAYS) \
    F(T, sizes, SIZES, field_word(r->contraction->sizes), "extent of each index", CSV(3), ALWAYS) \
    F(T, intensity, NUMBER, field_number(r->contraction->intensity), "operations per byte", ALWAYS) \
    F(T, chosen, OBJECT, FIELD_VISIT(r), "each platform's own choice", .fields = algorithm_fields, .rows = true, ALWAYS) \
    F(T, algorithms, LIST, each_algorithm(visit, r), "algorithms, most portable first", .item = "algorithm", .fields = algorithm_fields, ALWAYS)

#define COMPARED(F, T) \
    F(T, contraction, TEXT, field_word(r->is_first ? r->ported->contraction->name : ""), "name of the contraction", COLUMN(1, "contraction")) \
    F(T, algorithm, TEXT, field_text(r->ported->algorithm->name), "name of the algorithm", COLUMN(2, "algorithm")) \
    F(T, shares, TEXT, field_unknown(), "share on each platform", COLUMN(3, ""), .right = true, .spread = &platforms) \
    F(T, mean, TEXT, mean_share(r), "harmonic mean", COLUMN(4, "portability"), .right = true)

#define MEAN(F, T) \
    F(T, application, NUMBER, field_number(r->application), SHARE_OF_FASTEST, ALWAYS) \
    F(T, architectural, NUMBER, field_number(r->architectural), SHARE_OF_ROOF, ALWAYS)

#define REPORT(F, T) \
    F(T, everywhere_count, INTEGER, field_integer(r->platforms->everywhere_count), "contractions with results on every platform", ALWAYS) \
    F(T, planned_on_each, OBJECT, FIELD_VISIT(&r->platforms->chosen), "harmonic means for each platform's own choice", .fields = mean_fields, ALWAYS) \
    F(T, one_algorithm, OBJECT, FIELD_VISIT(&r->platforms->one), "harmonic means for the most portable algorithms", .fields = mean_fields, ALWAYS) \
    F(T, platforms, LIST, platforms_visit(visit, r->platforms, NULL), "the platforms", .item = "platform", .fields = placed_fields, ALWAYS) \
    F(T, contractions, LIST, each_contraction(visit, r->platforms), "the contractions", .item = "contraction", .fields = contraction_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE_SHARED(placed, placed, PLACED);
FIELD_TABLE(speed, placed, SPEED);
FIELD_TABLE(algorithm, ported, ALGORITHM);
FIELD_TABLE(contraction, ported, CONTRACTION);
FIELD_TABLE(compared, compared, COMPARED);
FIELD_TABLE(mean, tcplan_portability_mean, MEAN);
FIELD_TABLE(report, portability_report, REPORT);

static void print_mean(FILE *file, const char *what, const struct tcplan_portability_mean *mean) {
    fprintf(file, "%-35s application %5.1f %%, architectural %5.1f %%\n", what,
            100 * mean->application, 100 * mean->architectural);
}

static void print_means(FILE *file, const struct tcplan_platforms *report) {
    if (report->everywhere_count == 0) {
        fprintf(
            file,
            "\nNone of the %lld contractions has results on every platform: there is no mean.\n",
            (long long)report->contraction_count);
        return;
    }
    fprintf(file,
            "\nHarmonic means over the %lld of %lld contractions with results on every platform:\n",
            (long long)report->everywhere_count, (long long)report->contraction_count);
    print_mean(file, "planned on each platform", &report->chosen);
    print_mean(file, "the most portable algorithm", &report->one);
}

/** Prints the platforms without ceilings. */
static void print_without(FILE *file, const struct tcplan_platforms *report) {
    int without = 0;
    for (int p = 0; p < report->platform_count; p++) {
        if (report->platform[p].ceilings) continue;
        fprintf(
            file, "%s%s",
            without++ > 0
                ? ", "
                : "Without ceilings, architectural efficiencies are relative to a large gemm, on ",
            platform_label(p).text);
    }
    if (without > 0) fputs(".\n", file);
}

static void print(struct writer *writer, const void *record) {
    static const struct field rows = {.fields = compared_fields, .each = each_compared};
    const struct portability_report *portability = record;
    const struct tcplan_platforms *report = portability->platforms;
    FILE *file = writer->file;
    fields_print_list(writer, field_named(report_fields, "platforms"), portability);
    fprintf(
        file,
        "\nApplication efficiency: speed relative to the fastest %s algorithm on each platform; portability is the harmonic mean.\n\n",
        report->predicted ? "predicted or measured" : "measured");
    fields_print_list(writer, &rows, &(struct compared){.report = portability});
    fputs(
        "\nArchitectural efficiency: share of the speed that each platform's ceilings allow; portability is the harmonic mean.\n\n",
        file);
    fields_print_list(writer, &rows,
                      &(struct compared){.report = portability, .architectural = true});
    print_means(file, report);
    print_without(file, report);
    if (report->above_roof)
        fputs("! Some speeds exceed their roof: do not trust the architectural efficiencies.\n",
              file);
}

VIEW(portability, report, "portability", print, "Comparison of results of several platforms.");
