#include "cli/render/results/portability_print.h"

#include <string.h>

#include "cli/render/view.h"

/* Text. */

enum { PLATFORM_COLUMNS_MAX = 10, LABEL_SIZE = 16 };

/** "A" to "Z", "A1", ... */
static void label_platform(char out[LABEL_SIZE], int p) {
    if (p < 26) {
        snprintf(out, LABEL_SIZE, "%c", 'A' + p);
    } else {
        snprintf(out, LABEL_SIZE, "%c%d", 'A' + p % 26, p / 26);
    }
}

/* The ceilings that its roofs are made of, or NULL: of arithmetic, and of loads from memory. */

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

/** A platform among all; with `speed`, what an algorithm does on it. */
struct placed {
    int place;
    const struct tcplan_platform *platform;
    const struct tcplan_platform_speed *speed;
};

static struct field_value rate_of(const struct tcplan_ceiling *ceiling) {
    return ceiling ? field_number(ceiling->rate) : field_unknown();
}

static struct field_value label(const void *record) {
    char text[LABEL_SIZE];
    label_platform(text, ((const struct placed *)record)->place);
    return field_owned(strdup(text));
}

/** Visits all platforms, with the speeds of an algorithm if there is one. */
static void each_platform(struct field_visit *visit, const struct tcplan_platforms *report,
                          const struct tcplan_ported_algorithm *algorithm) {
    for (int p = 0; p < report->platform_count; p++) {
        const struct placed placed = {p, &report->platform[p],
                                      algorithm ? &algorithm->speed[p] : NULL};
        FIELD_VISIT(&placed);
    }
}

/** An algorithm, or a contraction, of a report. */
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

#define SHARE_OF_FASTEST "share of the speed of the fastest algorithm"
#define SHARE_OF_ROOF "share of the speed that the platform allows"
#define PLATFORM r->platform
#define PORTABILITY r->algorithm->portability

/* clang-format off */

#define PLACED(F, T) \
    F(T, label, TEXT, label(r), "letter in the tables of text", COLUMN(1, ""), .hidden = true) \
    F(T, file, TEXT, field_text(PLATFORM->path), "file of results", COLUMN(2, "file"), ALWAYS) \
    F(T, threads, INTEGER, field_integer(PLATFORM->threads), "threads", COLUMN(5, "threads"), .optional = '2', ALWAYS) \
    F(T, cpu, TEXT, field_word(PLATFORM->cpu), "processor", COLUMN(3, "CPU"), .optional = '5', ALWAYS) \
    F(T, blas, TEXT, field_word(PLATFORM->blas), "its BLAS", COLUMN(4, "BLAS"), .optional = '6', ALWAYS) \
    F(T, gemm_gflops, NUMBER, field_number(PLATFORM->gemm_gflops), "speed of a large gemm", \
      COLUMN(6, "dgemm GFLOP/s"), .format = FIELD_DIGITS, .optional = '3', ALWAYS) \
    F(T, fma_gflops, NUMBER, rate_of(fma_of(PLATFORM)), "ceiling of arithmetic; absent: there are no ceilings of the platform", \
      COLUMN(7, "fma GFLOP/s"), .format = FIELD_DIGITS, .optional = '7') \
    F(T, gbytes_per_second, NUMBER, rate_of(load_of(PLATFORM)), "ceiling of loads from memory", \
      COLUMN(8, "load GB/s"), .format = FIELD_DIGITS, .optional = '8') \
    F(T, result_count, INTEGER, field_integer(PLATFORM->result_count), "contractions that were done", COLUMN(9, "done"), .optional = '4', ALWAYS) \
    F(T, failed_count, INTEGER, field_integer(PLATFORM->failed_count), "contractions that failed", COLUMN(10, "failed"), .optional = '1', ALWAYS)

#define SPEED(F, T) \
    F(T, file, TEXT, field_text(PLATFORM->path), "file of results", CSV(5), .hidden = true) \
    F(T, threads, INTEGER, field_integer(PLATFORM->threads), "threads", CSV(6), .hidden = true) \
    F(T, gflops, NUMBER, field_positive(r->speed->speed), "speed; absent: it did not run", CSV(7)) \
    F(T, application, NUMBER, field_number(tcplan_application_efficiency(r->speed)), SHARE_OF_FASTEST, CSV_AS(8, "application_efficiency"), ALWAYS) \
    F(T, architectural, NUMBER, field_number(tcplan_architectural_efficiency(r->speed)), SHARE_OF_ROOF, CSV_AS(9, "architectural_efficiency"), ALWAYS)

#define ALGORITHM(F, T) \
    F(T, name, TEXT, field_text(r->algorithm->name), "name of the algorithm", CSV_AS(4, "algorithm"), ALWAYS) \
    F(T, application, NUMBER, field_number(PORTABILITY.application), "harmonic mean: " SHARE_OF_FASTEST, CSV_AS(10, "application_portability"), ALWAYS) \
    F(T, architectural, NUMBER, field_number(PORTABILITY.architectural), "harmonic mean: " SHARE_OF_ROOF, CSV_AS(11, "architectural_portability"), ALWAYS) \
    F(T, above_roof, FLAG, field_flag(PORTABILITY.above_roof), "whether some speed exceeds its roof", ALWAYS) \
    F(T, platforms, LIST, each_platform(visit, r->report, r->algorithm), "its speeds, in the order of the platforms", \
      .item = "platform", .fields = speed_fields, ALWAYS)

#define CONTRACTION(F, T) \
    F(T, name, TEXT, field_word(r->contraction->name), "its name in the library", CSV(1), ALWAYS) \
    F(T, library, TEXT, field_word(r->contraction->library), "file of its library", CSV(12), ALWAYS) \
    F(T, contraction, TEXT, field_text(r->contraction->contraction), "as tcplan reads it", CSV(2), ALWAYS) \
    F(T, sizes, SIZES, field_word(r->contraction->sizes), "extent of each index", CSV(3), ALWAYS) \
    F(T, intensity, NUMBER, field_number(r->contraction->intensity), "operations a byte", ALWAYS) \
    F(T, chosen, OBJECT, FIELD_VISIT(r), "what each platform chose for itself", .fields = algorithm_fields, .rows = true, ALWAYS) \
    F(T, algorithms, LIST, each_algorithm(visit, r), "algorithms, the most portable first", .item = "algorithm", .fields = algorithm_fields, ALWAYS)

#define MEAN(F, T) \
    F(T, application, NUMBER, field_number(r->application), SHARE_OF_FASTEST, ALWAYS) \
    F(T, architectural, NUMBER, field_number(r->architectural), SHARE_OF_ROOF, ALWAYS)

#define REPORT(F, T) \
    F(T, everywhere_count, INTEGER, field_integer(r->platforms->everywhere_count), "contractions that were done on every platform", ALWAYS) \
    F(T, planned_on_each, OBJECT, FIELD_VISIT(&r->platforms->chosen), "harmonic means of what each platform chose", .fields = mean_fields, ALWAYS) \
    F(T, one_algorithm, OBJECT, FIELD_VISIT(&r->platforms->one), "harmonic means of the most portable algorithms", .fields = mean_fields, ALWAYS) \
    F(T, platforms, LIST, each_platform(visit, r->platforms, NULL), "the platforms", .item = "platform", .fields = placed_fields, ALWAYS) \
    F(T, contractions, LIST, each_contraction(visit, r->platforms), "the contractions", .item = "contraction", .fields = contraction_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(placed, placed, PLACED);
FIELD_TABLE(speed, placed, SPEED);
FIELD_TABLE(algorithm, ported, ALGORITHM);
FIELD_TABLE(contraction, ported, CONTRACTION);
FIELD_TABLE(mean, tcplan_portability_mean, MEAN);
FIELD_TABLE(report, portability_report, REPORT);

static void add_share(struct table *table, double share) {
    if (share > 0) {
        table_add(table, "%.1f %%", 100 * share);
    } else {
        table_add(table, "0");
    }
}

static int platform_columns(const struct tcplan_platforms *report) {
    return report->platform_count <= PLATFORM_COLUMNS_MAX ? report->platform_count : 0;
}

/** One of the two efficiencies. */
struct efficiency {
    bool architectural;
    double (*of)(const struct tcplan_platform_speed *speed);
};

/** What exceeds what the platform can do is flagged. */
static void add_flagged(struct table *table, double share, bool flag) {
    if (flag) {
        table_add(table, "%.1f %% !", 100 * share);
    } else {
        add_share(table, share);
    }
}

static void add_algorithm(struct table *table, const struct tcplan_platforms *report,
                          const struct efficiency *efficiency, const char *contraction,
                          const struct tcplan_ported_algorithm *algorithm) {
    const struct tcplan_portability *portability = &algorithm->portability;
    table_add(table, "%s", contraction);
    table_add(table, "%s", algorithm->name);
    for (int p = 0; p < platform_columns(report); p++) {
        const double share = efficiency->of(&algorithm->speed[p]);
        if (algorithm->speed[p].speed > 0) {
            add_flagged(table, share, efficiency->architectural && share > 1);
        } else {
            table_add(table, "-");
        }
    }
    add_flagged(table,
                efficiency->architectural ? portability->architectural : portability->application,
                efficiency->architectural && portability->above_roof);
}

/** A column for each platform, unless there are very many, and the harmonic mean over all. */
static void print_contractions(struct writer *writer, const struct tcplan_platforms *report,
                               const struct efficiency *efficiency, bool all) {
    struct table table = {0};
    char columns[PLATFORM_COLUMNS_MAX + 4] = "ll";
    memset(columns + 2, 'r', 1 + (size_t)platform_columns(report));
    table.columns = columns;
    table_add(&table, "contraction");
    table_add(&table, "algorithm");
    for (int p = 0; p < platform_columns(report); p++) {
        char label[LABEL_SIZE];
        label_platform(label, p);
        table_add(&table, "%s", label);
    }
    table_add(&table, "portability");
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        add_algorithm(&table, report, efficiency, c->name, &c->chosen);
        for (const struct tcplan_ported_algorithm *a = c->algorithms;
             a && (all || a == c->algorithms); a = a->next) {
            add_algorithm(&table, report, efficiency, "", a);
        }
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_mean(FILE *file, const char *what, const struct tcplan_portability_mean *mean) {
    fprintf(file, "%-35s application %5.1f %%, architectural %5.1f %%\n", what,
            100 * mean->application, 100 * mean->architectural);
}

static void print_means(FILE *file, const struct tcplan_platforms *report) {
    if (report->everywhere_count == 0) {
        fprintf(file,
                "\nNone of the %lld contractions was done on every platform: there is no mean.\n",
                (long long)report->contraction_count);
        return;
    }
    fprintf(
        file,
        "\nHarmonic means over the %lld of %lld contractions that were done on every platform:\n",
        (long long)report->everywhere_count, (long long)report->contraction_count);
    print_mean(file, "planned on each platform", &report->chosen);
    print_mean(file, "one algorithm, the most portable", &report->one);
}

/** Which platforms have no ceilings. */
static void print_without(FILE *file, const struct tcplan_platforms *report) {
    int without = 0;
    for (int p = 0; p < report->platform_count; p++) {
        char label[LABEL_SIZE];
        if (report->platform[p].ceilings) continue;
        label_platform(label, p);
        fprintf(
            file, "%s%s",
            without++ > 0
                ? ", "
                : "Architectural efficiencies are shares of a large gemm's speed, as there are no ceilings, on ",
            label);
    }
    if (without > 0) fputs(".\n", file);
}

static void print(struct writer *writer, const void *record) {
    static const struct efficiency application = {.of = tcplan_application_efficiency},
                                   architectural = {.architectural = true,
                                                    .of = tcplan_architectural_efficiency};
    const struct portability_report *portability = record;
    const struct tcplan_platforms *report = portability->platforms;
    FILE *file = writer->file;
    fields_print_list(writer, field_named(report_fields, "platforms"), portability);
    fprintf(
        file,
        "\nApplication efficiency: shares of the fastest %s algorithm on each platform; portability is their harmonic mean.\n\n",
        report->predicted ? "predicted or measured" : "measured");
    print_contractions(writer, report, &application, portability->all);
    fputs(
        "\nArchitectural efficiency: shares of the speed that each platform's ceilings allow; portability is their harmonic mean.\n\n",
        file);
    print_contractions(writer, report, &architectural, portability->all);
    print_means(file, report);
    print_without(file, report);
    if (report->above_roof)
        fputs("! Some speed exceeds its roof: architectural efficiencies are not to be trusted.\n",
              file);
}

const struct view portability_view = {.element = "portability",
                                      .says = "Results of several platforms side by side.",
                                      .fields = report_fields,
                                      .text = print};
