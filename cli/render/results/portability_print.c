#include "cli/render/results/portability_print.h"

#include <string.h>

#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"

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

static void add_platform(struct table *table, const struct tcplan_platform *platform, int p) {
    char label[LABEL_SIZE];
    label_platform(label, p);
    table_add(table, "%s", label);
    table_add(table, "%s", platform->path);
    table_add(table, "%s", platform->cpu);
    table_add(table, "%s", platform->blas);
    table_add(table, "%lld", (long long)platform->threads);
    table_add(table, "%.4g", platform->gemm_gflops);
    const struct tcplan_ceiling *fma = fma_of(platform), *load = load_of(platform);
    table_add(table, fma ? "%.4g" : "-", fma ? fma->rate : 0.0);
    table_add(table, load ? "%.4g" : "-", load ? load->rate : 0.0);
    table_add(table, "%lld", (long long)platform->result_count);
    table_add(table, "%lld", (long long)platform->failed_count);
}

static bool print_platforms(FILE *file, const struct tcplan_platforms *report) {
    static const char *const headings[] = {"",        "file",          "CPU",         "BLAS",
                                           "threads", "dgemm GFLOP/s", "fma GFLOP/s", "load GB/s",
                                           "done",    "failed"};
    struct table table = {.columns = "llllrrrrrr", .optional = "0056237841"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(&table, "%s", headings[h]);
    for (int p = 0; p < report->platform_count; p++) add_platform(&table, &report->platform[p], p);
    return table_print(&table, file);
}

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
        add_flagged(table, share, efficiency->architectural && share > 1);
    }
    add_flagged(table,
                efficiency->architectural ? portability->architectural : portability->application,
                efficiency->architectural && portability->above_roof);
}

/** A column for each platform, unless there are very many, and the harmonic mean over all. */
static bool print_contractions(FILE *file, const struct tcplan_platforms *report,
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
    return table_print(&table, file);
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

bool portability_text(FILE *file, const struct tcplan_platforms *report, bool all) {
    static const struct efficiency application = {.of = tcplan_application_efficiency},
                                   architectural = {.architectural = true,
                                                    .of = tcplan_architectural_efficiency};
    if (!print_platforms(file, report)) return false;
    fprintf(
        file,
        "\nApplication efficiency: shares of the fastest %s algorithm on each platform; portability is their harmonic mean.\n\n",
        report->predicted ? "predicted or measured" : "measured");
    if (!print_contractions(file, report, &application, all)) return false;
    fputs(
        "\nArchitectural efficiency: shares of the speed that each platform's ceilings allow; portability is their harmonic mean.\n\n",
        file);
    if (!print_contractions(file, report, &architectural, all)) return false;
    print_means(file, report);
    print_without(file, report);
    if (report->above_roof)
        fputs("! Some speed exceeds its roof: architectural efficiencies are not to be trusted.\n",
              file);
    return true;
}

/* CSV: a line for each algorithm and platform. */

static bool print_lines(FILE *file, const struct tcplan_platforms *report,
                        const struct tcplan_ported_contraction *contraction,
                        const struct tcplan_ported_algorithm *algorithm) {
    for (int p = 0; p < report->platform_count; p++) {
        const struct tcplan_platform_speed *speed = &algorithm->speed[p];
        struct csv_line line = {0};
        csv_add_text(&line, contraction->name);
        csv_add_text(&line, contraction->contraction);
        csv_add_text(&line, contraction->sizes);
        csv_add_text(&line, algorithm->name);
        csv_add_text(&line, report->platform[p].path);
        csv_add_integer(&line, report->platform[p].threads);
        csv_add_number(&line, speed->speed > 0, speed->speed);
        csv_add_number(&line, true, tcplan_application_efficiency(speed));
        csv_add_number(&line, true, tcplan_architectural_efficiency(speed));
        csv_add_number(&line, true, algorithm->portability.application);
        csv_add_number(&line, true, algorithm->portability.architectural);
        csv_add_text(&line, contraction->library);
        if (!csv_print(&line, file)) return false;
    }
    return true;
}

bool portability_csv(FILE *file, const struct tcplan_platforms *report) {
    fputs(
        "name,contraction,sizes,algorithm,file,threads,gflops,application_efficiency,architectural_efficiency,application_portability,"
        "architectural_portability,library\n",
        file);
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        if (!print_lines(file, report, c, &c->chosen)) return false;
        for (const struct tcplan_ported_algorithm *a = c->algorithms; a; a = a->next) {
            if (!print_lines(file, report, c, a)) return false;
        }
    }
    return true;
}

/* JSON and XML. */

static void write_shares(struct document *document, double application, double architectural) {
    document->kind->number(document, "application", application);
    document->kind->number(document, "architectural", architectural);
}

static void write_platform(struct document *document, const struct tcplan_platform *platform) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "platform");
    kind->text(document, "file", platform->path);
    kind->integer(document, "threads", platform->threads);
    kind->text(document, "cpu", platform->cpu);
    kind->text(document, "blas", platform->blas);
    kind->number(document, "gemm_gflops", platform->gemm_gflops);
    if (fma_of(platform)) kind->number(document, "fma_gflops", fma_of(platform)->rate);
    if (load_of(platform)) kind->number(document, "gbytes_per_second", load_of(platform)->rate);
    kind->integer(document, "result_count", platform->result_count);
    kind->integer(document, "failed_count", platform->failed_count);
    kind->end(document);
}

/** @param name  of the object */
static void write_algorithm(struct document *document, const char *name,
                            const struct tcplan_platforms *report,
                            const struct tcplan_ported_algorithm *algorithm) {
    const struct document_kind *kind = document->kind;
    kind->object(document, name);
    kind->text(document, "name", algorithm->name);
    write_shares(document, algorithm->portability.application,
                 algorithm->portability.architectural);
    kind->boolean(document, "above_roof", algorithm->portability.above_roof);
    kind->list(document, "platforms");
    for (int p = 0; p < report->platform_count; p++) {
        const struct tcplan_platform_speed *speed = &algorithm->speed[p];
        kind->object(document, "platform");
        kind->number(document, "gflops", speed->speed);
        write_shares(document, tcplan_application_efficiency(speed),
                     tcplan_architectural_efficiency(speed));
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

static void write_contraction(struct document *document, const struct tcplan_platforms *report,
                              const struct tcplan_ported_contraction *contraction) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "contraction");
    kind->text(document, "name", contraction->name);
    kind->text(document, "library", contraction->library);
    kind->text(document, "contraction", contraction->contraction);
    kind->sizes(document, contraction->sizes);
    kind->number(document, "intensity", contraction->intensity);
    write_algorithm(document, "chosen", report, &contraction->chosen);
    kind->list(document, "algorithms");
    for (const struct tcplan_ported_algorithm *a = contraction->algorithms; a; a = a->next) {
        write_algorithm(document, "algorithm", report, a);
    }
    kind->end(document);
    kind->end(document);
}

static void write_mean(struct document *document, const char *name,
                       const struct tcplan_portability_mean *mean) {
    document->kind->object(document, name);
    write_shares(document, mean->application, mean->architectural);
    document->kind->end(document);
}

void document_portability(struct writer *writer, const struct tcplan_platforms *report) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "portability");
    kind->integer(document, "everywhere_count", report->everywhere_count);
    write_mean(document, "planned_on_each", &report->chosen);
    write_mean(document, "one_algorithm", &report->one);
    kind->list(document, "platforms");
    for (int p = 0; p < report->platform_count; p++) write_platform(document, &report->platform[p]);
    kind->end(document);
    kind->list(document, "contractions");
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next)
        write_contraction(document, report, c);
    kind->end(document);
    kind->end(document);
}
