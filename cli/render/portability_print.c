#include <jansson.h>

#include "cli/render/csv_line.h"
#include "cli/render/json_text.h"
#include "cli/render/portability_print.h"
#include "cli/render/table.h"

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

static void add_platform(struct table *table, const struct tcplan_platform *platform, int p) {
    char label[LABEL_SIZE];
    label_platform(label, p);
    table_add(table, "%s", label);
    table_add(table, "%s", platform->path);
    table_add(table, "%s", platform->cpu);
    table_add(table, "%s", platform->blas);
    table_add(table, "%lld", (long long)platform->threads);
    table_add(table, "%.4g", platform->gemm_gflops);
    table_add(table, platform->gigabytes > 0 ? "%.4g" : "-", platform->gigabytes);
    table_add(table, "%lld", (long long)platform->result_count);
    table_add(table, "%lld", (long long)platform->failed_count);
}

static bool print_platforms(FILE *file, const struct tcplan_platforms *report) {
    static const char *const headings[] = {"", "file", "CPU", "BLAS", "threads", "dgemm GFLOP/s", "GB/s", "done", "failed"};
    struct table table = {.columns = "llllrrrrr"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++) table_add(&table, "%s", headings[h]);
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

static void add_algorithm(struct table *table, const struct tcplan_platforms *report, const char *contraction,
                          const struct tcplan_ported_algorithm *algorithm) {
    table_add(table, "%s", contraction);
    table_add(table, "%s", algorithm->name);
    for (int p = 0; p < platform_columns(report); p++) add_share(table, tcplan_application_efficiency(&algorithm->speed[p]));
    add_share(table, algorithm->portability.application);
    if (algorithm->portability.above_roof) {
        table_add(table, "%.1f %% !", 100 * algorithm->portability.architectural);
    } else {
        add_share(table, algorithm->portability.architectural);
    }
}

static bool print_contractions(FILE *file, const struct tcplan_platforms *report, bool all) {
    struct table table = {0};
    char columns[PLATFORM_COLUMNS_MAX + 5] = "ll";
    int count = 2;
    for (int p = 0; p < platform_columns(report) + 2; p++) columns[count++] = 'r';
    columns[count] = '\0';
    table.columns = columns;
    table_add(&table, "contraction");
    table_add(&table, "algorithm");
    for (int p = 0; p < platform_columns(report); p++) {
        char label[LABEL_SIZE];
        label_platform(label, p);
        table_add(&table, "%s", label);
    }
    table_add(&table, "application");
    table_add(&table, "architectural");
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        add_algorithm(&table, report, c->name, &c->chosen);
        for (const struct tcplan_ported_algorithm *a = c->algorithms; a && (all || a == c->algorithms); a = a->next) {
            add_algorithm(&table, report, "", a);
        }
    }
    return table_print(&table, file);
}

static void print_mean(FILE *file, const char *what, const struct tcplan_portability_mean *mean) {
    fprintf(file, "%-35s application %5.1f %%, architectural %5.1f %%\n", what, 100 * mean->application, 100 * mean->architectural);
}

static void print_means(FILE *file, const struct tcplan_platforms *report) {
    if (report->everywhere_count == 0) {
        fprintf(file, "\nNone of the %lld contractions was done on every platform: there is no mean.\n",
                (long long)report->contraction_count);
        return;
    }
    fprintf(file, "\nHarmonic means over the %lld of %lld contractions that were done on every platform:\n",
            (long long)report->everywhere_count, (long long)report->contraction_count);
    print_mean(file, "planned on each platform", &report->chosen);
    print_mean(file, "one algorithm, the most portable", &report->one);
}

bool portability_text(FILE *file, const struct tcplan_platforms *report, bool all) {
    if (!print_platforms(file, report)) return false;
    fprintf(file,
            "\nShares of the fastest %s algorithm on each platform, and portability: harmonic means over the platforms\n"
            "of these shares (application) and of shares of what the platform can do (architectural).\n\n",
            report->predicted ? "predicted or measured" : "measured");
    if (!print_contractions(file, report, all)) return false;
    print_means(file, report);
    if (report->above_roof) fputs("! Some speed exceeds its roof: architectural efficiencies are not to be trusted.\n", file);
    return true;
}

/* CSV: a line for each algorithm and platform. */

static bool print_lines(FILE *file, const struct tcplan_platforms *report, const struct tcplan_ported_contraction *contraction,
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
    fputs("name,contraction,sizes,algorithm,file,threads,gflops,application_efficiency,architectural_efficiency,application_portability,"
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

/* JSON. Out of memory, a value is missing, and printing says so. */

static json_t *algorithm_json(const struct tcplan_platforms *report, const struct tcplan_ported_algorithm *algorithm) {
    json_t *platforms = json_array();
    for (int p = 0; p < report->platform_count; p++) {
        const struct tcplan_platform_speed *speed = &algorithm->speed[p];
        json_array_append_new(platforms,
                              json_pack("{s:f, s:f, s:f}", "gflops", speed->speed, "application", tcplan_application_efficiency(speed),
                                        "architectural", tcplan_architectural_efficiency(speed)));
    }
    return json_pack("{s:o, s:f, s:f, s:b, s:o}", "name", json_text(algorithm->name), "application", algorithm->portability.application,
                     "architectural", algorithm->portability.architectural, "above_roof", algorithm->portability.above_roof, "platforms",
                     platforms);
}

static json_t *contraction_json(const struct tcplan_platforms *report, const struct tcplan_ported_contraction *contraction) {
    json_t *algorithms = json_array();
    for (const struct tcplan_ported_algorithm *a = contraction->algorithms; a; a = a->next) {
        json_array_append_new(algorithms, algorithm_json(report, a));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o}", "name", json_text(contraction->name), "library",
                     json_text(contraction->library), "contraction", json_text(contraction->contraction), "sizes",
                     json_text(contraction->sizes), "intensity", contraction->intensity, "chosen",
                     algorithm_json(report, &contraction->chosen), "algorithms", algorithms);
}

static json_t *platform_json(const struct tcplan_platform *platform) {
    return json_pack("{s:o, s:I, s:o, s:o, s:f, s:f, s:I, s:I}", "file", json_text(platform->path), "threads",
                     (json_int_t)platform->threads, "cpu", json_text(platform->cpu), "blas", json_text(platform->blas), "gemm_gflops",
                     platform->gemm_gflops, "gbytes_per_second", platform->gigabytes, "done", (json_int_t)platform->result_count, "failed",
                     (json_int_t)platform->failed_count);
}

static json_t *mean_json(const struct tcplan_portability_mean *mean) {
    return json_pack("{s:f, s:f}", "application", mean->application, "architectural", mean->architectural);
}

bool portability_json(FILE *file, const struct tcplan_platforms *report) {
    json_t *platforms = json_array();
    json_t *contractions = json_array();
    for (int p = 0; p < report->platform_count; p++) json_array_append_new(platforms, platform_json(&report->platform[p]));
    for (const struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        json_array_append_new(contractions, contraction_json(report, c));
    }
    json_t *root = json_pack("{s:o, s:o, s:I, s:o, s:o}", "platforms", platforms, "contractions", contractions, "everywhere",
                             (json_int_t)report->everywhere_count, "planned_on_each", mean_json(&report->chosen), "one_algorithm",
                             mean_json(&report->one));
    const bool printed = root && json_dumpf(root, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    json_decref(root);
    return printed;
}
