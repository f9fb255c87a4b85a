#include "cli/portability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "tcplan/contraction.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"

static const char *keep(struct portability_report *report, const char *text) {
    const char *copy = arena_strndup(&report->arena, text, strlen(text));
    return copy ? copy : "";
}

/* Platforms. */

static const char *keep_blas(struct portability_report *report, const struct tcplan_provenance *provenance) {
    char text[256];
    snprintf(text, sizeof text, "%s %s%s%s%s", provenance->blas_name, provenance->blas_version, *provenance->blas_core ? " (" : "",
             provenance->blas_core, *provenance->blas_core ? ")" : "");
    return keep(report, text);
}

/** The place of a record's platform; -1 after a message. `file`: what all platforms of the file have in common. */
static int platform_of(struct portability_report *report, const struct platform *file, const struct tcplan_result *result) {
    const struct tcplan_provenance *provenance = result->provenance;
    for (int p = 0; p < report->platform_count; p++) {
        const struct platform *known = &report->platform[p];
        if (known->path == file->path && known->provenance == provenance->id && known->threads == result->threads) return p;
    }
    if (report->platform_count == PLATFORMS_MAX) {
        diagnose("'%.200s': more than %d platforms (files, provenances in them, numbers of threads)", file->path, PLATFORMS_MAX);
        return -1;
    }
    struct platform *added = &report->platform[report->platform_count];
    *added = *file;
    added->provenance = provenance->id;
    added->threads = result->threads;
    added->cpu = keep(report, provenance->cpu);
    added->blas = keep_blas(report, provenance);
    return report->platform_count++;
}

/* Contractions. */

/** Operations for each byte that no algorithm can avoid; 0 where the texts are not understood. */
static double intensity_of(const struct tcplan_result *result) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_problem problem;
    int64_t extent[TCPLAN_MAX_INDICES];
    double intensity = 0;
    if (tcplan_contraction_parse(&contraction, result->contraction, result->order, NULL) != TCPLAN_OK) return 0;
    if (tcplan_strides_parse(contraction, result->strides ? result->strides : "", NULL) == TCPLAN_OK &&
        tcplan_sizes_parse(&sizes, contraction, result->sizes, NULL) == TCPLAN_OK) {
        tcplan_sizes_point(sizes, 0, extent);
        if (tcplan_problem_init(&problem, contraction, extent, result->dtype, NULL) == TCPLAN_OK) {
            const bool updates = problem.beta.re != 0 || problem.beta.im != 0;
            const double elems = tcplan_problem_own_elems(&problem, TCPLAN_A) + tcplan_problem_own_elems(&problem, TCPLAN_B) +
                                 (updates ? 2 : 1) * tcplan_problem_own_elems(&problem, TCPLAN_C);
            if (problem.flops > 0) intensity = problem.flops / (elems * (double)problem.element_bytes);
        }
        tcplan_sizes_free(sizes);
    }
    tcplan_contraction_free(contraction);
    return intensity;
}

/** What makes two records be about the same thing, on whatever platform; to be freed, NULL when memory is out. */
static char *key_of(const struct tcplan_result *result) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s|%s/%s|%s|%s|%c%d", result->library, result->group, result->name, result->contraction, result->sizes,
               tcplan_dtype_letter(result->dtype), (int)result->order);
    if (result->strides && *result->strides) strbuf_add(&text, "|%s", result->strides);
    return strbuf_finish(&text);
}

static size_t slot_of(const char *key) {
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (; *key; key++) hash = (hash ^ (unsigned char)*key) * 1099511628211U;
    return hash % PORTABILITY_SLOTS;
}

static struct ported_contraction *append_contraction(struct portability_report *report, const struct tcplan_result *result,
                                                     const char *key) {
    struct ported_contraction *added = arena_alloc(&report->arena, sizeof *added);
    if (!added) return NULL;
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", result->group, *result->group ? "/" : "", result->name);
    added->key = keep(report, key);
    added->name = keep(report, name);
    added->library = keep(report, result->library);
    added->contraction = keep(report, result->contraction);
    added->sizes = keep(report, result->sizes);
    added->dtype = result->dtype;
    added->intensity = intensity_of(result);
    added->chosen.name = "each its own";
    added->same_slot = report->slot[slot_of(key)];
    report->slot[slot_of(key)] = added;
    *(report->last ? &report->last->next : &report->contractions) = added;
    report->last = added;
    report->contraction_count++;
    return added;
}

/** NULL when memory is out. */
static struct ported_contraction *contraction_of(struct portability_report *report, const struct tcplan_result *result) {
    char *key = key_of(result);
    if (!key) return NULL;
    struct ported_contraction *found = report->slot[slot_of(key)];
    while (found && strcmp(found->key, key) != 0) found = found->same_slot;
    if (!found) found = append_contraction(report, result, key);
    free(key);
    return found;
}

static struct ported_algorithm *algorithm_of(struct portability_report *report, struct ported_contraction *contraction, const char *name) {
    struct ported_algorithm **end = &contraction->algorithms;
    for (; *end; end = &(*end)->next) {
        if (strcmp((*end)->name, name) == 0) return *end;
    }
    *end = arena_alloc(&report->arena, sizeof **end);
    if (*end) (*end)->name = keep(report, name);
    return *end;
}

/* Records. */

/** Measured times where there are any, otherwise predicted ones. */
static double seconds_of(const struct tcplan_result_algorithm *algorithm, bool measured) {
    return measured ? algorithm->measured_seconds : algorithm->predicted_seconds;
}

static double fastest_seconds(const struct tcplan_result *result, bool measured) {
    double fastest = INFINITY;
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const double seconds = seconds_of(&result->algorithm[a], measured);
        if (seconds > 0) fastest = fmin(fastest, seconds);
    }
    return fastest;
}

/** The ceiling of a large gemm, and of the bandwidth at the contraction's intensity where that is known. */
static double roof_of(const struct platform *platform, const struct ported_contraction *contraction, double gemm_gflops) {
    const double fed = platform->gigabytes * contraction->intensity;
    return fed > 0 && gemm_gflops > 0 ? fmin(fed, gemm_gflops) : gemm_gflops;
}

static enum exit_status add_algorithms(struct portability_report *report, int p, struct ported_contraction *contraction,
                                       const struct tcplan_result *result) {
    const bool measured = tcplan_result_fastest(result) != NULL;
    const double best = 1e-9 * result->flops / fastest_seconds(result, measured);
    report->predicted = report->predicted || !measured;
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const double seconds = seconds_of(&result->algorithm[a], measured);
        if (!(seconds > 0)) continue;
        struct ported_algorithm *algorithm = algorithm_of(report, contraction, result->algorithm[a].name);
        if (!algorithm) return diagnose_no_memory();
        algorithm->speed[p] = (struct tcplan_platform_speed){
            .speed = 1e-9 * result->flops / seconds, .roof = roof_of(&report->platform[p], contraction, result->gemm_gflops), .best = best};
        if (a == 0) contraction->chosen.speed[p] = algorithm->speed[p];
    }
    return EXIT_DONE;
}

static enum exit_status add_record(struct portability_report *report, const struct platform *file, const struct tcplan_result *result) {
    const int p = platform_of(report, file, result);
    if (p < 0) return EXIT_REFUSED;
    struct ported_contraction *contraction = contraction_of(report, result);
    if (!contraction) return diagnose_no_memory();
    struct platform *platform = &report->platform[p];
    if (result->reason || result->algorithm_count == 0) {
        platform->failed_count++;
        return EXIT_DONE;
    }
    contraction->done_count += !contraction->done[p];
    contraction->done[p] = true;
    platform->result_count++;
    platform->gemm_gflops += (result->gemm_gflops - platform->gemm_gflops) / (double)platform->result_count;
    return add_algorithms(report, p, contraction, result);
}

static enum exit_status read_file(struct portability_report *report, const struct platform *file) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    struct tcplan_error error;
    enum tcplan_status status = tcplan_results_open(&results, file->path, &error);
    if (status != TCPLAN_OK) return diagnose_error(&error, NULL);
    enum exit_status outcome = EXIT_DONE;
    do {
        status = tcplan_results_next(results, &result, &error);
        if (status != TCPLAN_OK) {
            outcome = diagnose_error(&error, NULL);
        } else if (result) {
            outcome = add_record(report, file, result);
        }
    } while (result && status == TCPLAN_OK && outcome == EXIT_DONE);
    tcplan_results_close(results);
    return outcome;
}

/* What comes of it. */

static int compare_portability(const void *a, const void *b) {
    const struct ported_algorithm *x = *(struct ported_algorithm *const *)a;
    const struct ported_algorithm *y = *(struct ported_algorithm *const *)b;
    if (x->portability.application != y->portability.application) {
        return x->portability.application > y->portability.application ? -1 : 1;
    }
    if (x->portability.supported != y->portability.supported) return x->portability.supported > y->portability.supported ? -1 : 1;
    return strcmp(x->name, y->name);
}

/** The most portable first. */
static bool sort_algorithms(struct ported_contraction *contraction) {
    size_t count = 0;
    for (struct ported_algorithm *a = contraction->algorithms; a; a = a->next) count++;
    struct ported_algorithm **list = base_alloc_zero(count + 1, sizeof(void *));
    if (!list) return false;
    count = 0;
    for (struct ported_algorithm *a = contraction->algorithms; a; a = a->next) list[count++] = a;
    qsort(list, count, sizeof(void *), compare_portability);
    for (size_t a = 0; a < count; a++) list[a]->next = list[a + 1];
    contraction->algorithms = list[0];
    free(list);
    return true;
}

static bool rate_contraction(struct portability_report *report, struct ported_contraction *contraction) {
    const size_t count = (size_t)report->platform_count;
    for (struct ported_algorithm *a = contraction->algorithms; a; a = a->next) {
        a->portability = tcplan_portability_over(a->speed, count);
        report->above_roof = report->above_roof || a->portability.above_roof;
    }
    contraction->chosen.portability = tcplan_portability_over(contraction->chosen.speed, count);
    return sort_algorithms(contraction);
}

/** Harmonic means over contractions are sums of inverses first. */
static void add_inverse(struct portability_mean *sum, const struct tcplan_portability *portability) {
    sum->application += 1 / portability->application;
    sum->architectural += 1 / portability->architectural;
}

static void divide(struct portability_mean *sum, int64_t count) {
    sum->application = count > 0 ? (double)count / sum->application : 0;
    sum->architectural = count > 0 ? (double)count / sum->architectural : 0;
}

static enum exit_status rate(struct portability_report *report) {
    for (struct ported_contraction *c = report->contractions; c; c = c->next) {
        if (!rate_contraction(report, c)) return diagnose_no_memory();
        if (c->done_count < (size_t)report->platform_count || !c->algorithms) continue;
        report->everywhere_count++;
        add_inverse(&report->one, &c->algorithms->portability);
        add_inverse(&report->chosen, &c->chosen.portability);
    }
    divide(&report->one, report->everywhere_count);
    divide(&report->chosen, report->everywhere_count);
    return EXIT_DONE;
}

/** `bandwidth` is one number for each file, separated by commas; it is known before records are read. */
static enum exit_status check_bandwidths(const struct options *options) {
    const char *text = options->bandwidth;
    int count = 0;
    for (const char *at = text; at && *at;) {
        char *end;
        const double number = strtod(at, &end);
        if (end == at || !(number > 0) || !isfinite(number) || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0')) break;
        count++;
        at = *end == ',' ? end + 1 : end;
        if (*at == '\0' && count == options->argument_count) return EXIT_DONE;
    }
    if (!text) return EXIT_DONE;
    diagnose("--bandwidth expects one number of GB/s for each of the %d files, as 28.5,57; found '%.200s'", options->argument_count, text);
    return EXIT_USAGE;
}

/** The number for a file, by its place; 0 where there are none. */
static double bandwidth_of(const struct options *options, int file) {
    const char *text = options->bandwidth;
    for (int f = 0; text && f < file; f++) text = strchr(text, ',') + 1;
    return text ? strtod(text, NULL) : 0;
}

enum exit_status portability_make(struct portability_report *out, const struct options *options) {
    *out = (struct portability_report){.options = options};
    enum exit_status status = check_bandwidths(options);
    for (int f = 0; f < options->argument_count && status == EXIT_DONE; f++) {
        const struct platform file = {.path = options->arguments[f], .gigabytes = bandwidth_of(options, f)};
        status = read_file(out, &file);
    }
    return status == EXIT_DONE ? rate(out) : status;
}

void portability_free(struct portability_report *report) {
    arena_free(&report->arena);
    *report = (struct portability_report){0};
}
