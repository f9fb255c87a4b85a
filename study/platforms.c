#include "tcplan/study/platforms.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "tcplan/contraction.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"

enum { SLOTS = 4096 };

struct platforms_private {
    struct arena arena;
    const struct tcplan_roofline *const *ceilings;
    int ceiling_count;
    struct tcplan_ported_contraction *last;
    struct tcplan_ported_contraction *slot[SLOTS]; /* hash table by key_of() */
};

static const char *keep(struct tcplan_platforms *report, const char *text) {
    const char *copy = arena_strndup(&report->private_part->arena, text, strlen(text));
    return copy ? copy : "";
}

/* Platforms. */

/** Returns whether ceilings and results belong to the same machine. Unknown properties count as
 * equal. */
static bool is_machine(const struct tcplan_machine *machine,
                       const struct tcplan_provenance *provenance) {
    bool same = strcmp(machine->cpu, provenance->cpu) == 0 && machine->cores == provenance->cores &&
                machine->processing_units == provenance->processing_units &&
                machine->cache_count == provenance->cache_count;
    for (int c = 0; c < provenance->cache_count && same; c++)
        same = machine->cache[c].size_bytes == provenance->cache_bytes[c];
    return same;
}

/** Returns the first ceilings with this machine and number of threads, or NULL. */
static const struct tcplan_roofline *find_ceilings(const struct tcplan_platforms *report,
                                                   const struct tcplan_result *result) {
    const struct platforms_private *private_part = report->private_part;
    for (int c = 0; c < private_part->ceiling_count; c++) {
        const struct tcplan_roofline *ceilings = private_part->ceilings[c];
        const bool fits =
            is_machine(&ceilings->machine, result->provenance) && result->threads <= INT_MAX &&
            tcplan_roofline_compute(ceilings, "fma", TCPLAN_DOUBLE, 0, (int)result->threads);
        if (fits) return ceilings;
    }
    return NULL;
}

static const char *keep_blas(struct tcplan_platforms *report,
                             const struct tcplan_provenance *provenance) {
    char text[256];
    snprintf(text, sizeof text, "%s %s%s%s%s", provenance->blas_name, provenance->blas_version,
             *provenance->blas_core ? " (" : "", provenance->blas_core,
             *provenance->blas_core ? ")" : "");
    return keep(report, text);
}

/** Returns the number of the platform to which a record belongs; -1 if there are too many
 * platforms. */
static int platform_of(struct tcplan_platforms *report, const char *path,
                       const struct tcplan_result *result) {
    const struct tcplan_provenance *provenance = result->provenance;
    for (int p = 0; p < report->platform_count; p++) {
        const struct tcplan_platform *known = &report->platform[p];
        if (known->path == path && known->provenance == provenance->id &&
            known->threads == result->threads)
            return p;
    }
    if (report->platform_count == TCPLAN_PLATFORMS_MAX) return -1;
    struct tcplan_platform *added = &report->platform[report->platform_count];
    *added = (struct tcplan_platform){.path = path,
                                      .provenance = provenance->id,
                                      .threads = result->threads,
                                      .cpu = keep(report, provenance->cpu),
                                      .blas = keep_blas(report, provenance),
                                      .ceilings = find_ceilings(report, result)};
    return report->platform_count++;
}

/* Contractions. */

/** Bounds of a contraction's speed. */
struct bounds {
    double intensity; /* floating-point operations per byte that every algorithm must move; 0:
                         unknown */
    double roof; /* highest speed that the ceilings of a platform allow, in GFLOP/s; 0: unknown */
};

/**
 * Finds the bounds of a record's contraction.
 *
 * @param platform  NULL: without `roof`
 */
static struct bounds bounds_of(const struct tcplan_result *result,
                               const struct tcplan_platform *platform) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_problem problem;
    int64_t extent[TCPLAN_MAX_INDICES];
    struct bounds out = {0};
    if (result->sections && *result->sections)
        return out; /* the extents alone do not determine the work: blocks do */
    if (tcplan_contraction_parse(&contraction, result->contraction, result->order, NULL) !=
        TCPLAN_OK)
        return out;
    if (tcplan_strides_parse(contraction, result->strides ? result->strides : "", NULL) ==
            TCPLAN_OK &&
        tcplan_sizes_parse(&sizes, contraction, result->sizes, NULL) == TCPLAN_OK) {
        tcplan_sizes_point(sizes, 0, extent);
        if (tcplan_problem_init(&problem, contraction, extent, result->dtype, NULL) == TCPLAN_OK) {
            const bool updates = problem.beta.re != 0 || problem.beta.im != 0;
            const enum tcplan_operand added =
                tcplan_contraction_has_addend(contraction) ? TCPLAN_ADDEND : TCPLAN_C;
            const double elems = tcplan_problem_own_elems(&problem, TCPLAN_A) +
                                 tcplan_problem_own_elems(&problem, TCPLAN_B) +
                                 tcplan_problem_own_elems(&problem, TCPLAN_C) +
                                 (updates ? tcplan_problem_own_elems(&problem, added) : 0);
            if (problem.flops > 0)
                out.intensity = problem.flops / (elems * (double)problem.element_bytes);
            if (platform && platform->ceilings)
                out.roof =
                    tcplan_roofline_roof(platform->ceilings, &problem, (int)platform->threads);
        }
        tcplan_sizes_free(sizes);
    }
    tcplan_contraction_free(contraction);
    return out;
}

/** Returns a key that comparable records of all platforms share, to be freed; NULL if memory
 * runs out. */
static char *key_of(const struct tcplan_result *result) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s|%s/%s|%s|%s|%c%d", result->library, result->group, result->name,
               result->contraction, result->sizes, tcplan_dtype_letter(result->dtype),
               (int)result->order);
    if (result->strides && *result->strides) strbuf_add(&text, "|%s", result->strides);
    return strbuf_finish(&text);
}

static size_t slot_of(const char *key) {
    return hash_text(key) % SLOTS;
}

static struct tcplan_ported_contraction *append_contraction(struct tcplan_platforms *report,
                                                            const struct tcplan_result *result,
                                                            const char *key) {
    struct tcplan_ported_contraction *added =
        arena_alloc(&report->private_part->arena, sizeof *added);
    if (!added) return NULL;
    char name[256];
    snprintf(name, sizeof name, "%s%s%s", result->group, *result->group ? "/" : "", result->name);
    added->key = keep(report, key);
    added->name = keep(report, name);
    added->library = keep(report, result->library);
    added->contraction = keep(report, result->contraction);
    added->sizes = keep(report, result->sizes);
    added->dtype = result->dtype;
    added->flops = result->flops;
    added->intensity = bounds_of(result, NULL).intensity;
    added->chosen.name = "each its own";
    added->same_slot = report->private_part->slot[slot_of(key)];
    report->private_part->slot[slot_of(key)] = added;
    *(report->private_part->last ? &report->private_part->last->next : &report->contractions) =
        added;
    report->private_part->last = added;
    report->contraction_count++;
    return added;
}

/** Finds or adds the contraction of a record; returns NULL if memory runs out. */
static struct tcplan_ported_contraction *contraction_of(struct tcplan_platforms *report,
                                                        const struct tcplan_result *result) {
    char *key = key_of(result);
    if (!key) return NULL;
    struct tcplan_ported_contraction *found = report->private_part->slot[slot_of(key)];
    while (found && strcmp(found->key, key) != 0) found = found->same_slot;
    if (!found) found = append_contraction(report, result, key);
    free(key);
    return found;
}

static struct tcplan_ported_algorithm *algorithm_of(struct tcplan_platforms *report,
                                                    struct tcplan_ported_contraction *contraction,
                                                    const char *name) {
    struct tcplan_ported_algorithm **end = &contraction->algorithms;
    for (; *end; end = &(*end)->next) {
        if (strcmp((*end)->name, name) == 0) return *end;
    }
    *end = arena_alloc(&report->private_part->arena, sizeof **end);
    if (*end) (*end)->name = keep(report, name);
    return *end;
}

/* Records. */

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

/** Adds the algorithms of a record to a contraction; returns false if memory runs out. */
static bool add_algorithms(struct tcplan_platforms *report, int p,
                           struct tcplan_ported_contraction *contraction,
                           const struct tcplan_result *result) {
    const bool measured = tcplan_result_fastest(result) != NULL;
    const double best = 1e-9 * result->flops / fastest_seconds(result, measured);
    const double roof = bounds_of(result, &report->platform[p]).roof;
    report->predicted = report->predicted || !measured;
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const double seconds = seconds_of(&result->algorithm[a], measured);
        const bool won = &result->algorithm[a] == tcplan_result_winner(result);
        if (!(seconds > 0) && !won) continue;
        struct tcplan_ported_algorithm *algorithm =
            algorithm_of(report, contraction, result->algorithm[a].name);
        if (!algorithm) return false;
        if (seconds > 0)
            algorithm->speed[p] =
                (struct tcplan_platform_speed){.speed = 1e-9 * result->flops / seconds,
                                               .roof = roof > 0 ? roof : result->gemm_gflops,
                                               .best = best};
        if (won) {
            contraction->chosen.speed[p] = algorithm->speed[p];
            contraction->winner[p] = algorithm;
        }
    }
    contraction->limit_seconds[p] = result->limit_seconds;
    return true;
}

/** A file that is being read. */
struct reading {
    struct tcplan_platforms *report;
    const char *path;
};

/** Adds a record to the report (a tcplan_result_fn). */
static enum tcplan_status add_record(void *context, const struct tcplan_result *result,
                                     struct tcplan_error *error) {
    const struct reading *reading = context;
    struct tcplan_platforms *report = reading->report;
    const int p = platform_of(report, reading->path, result);
    if (p < 0) {
        return error_set(
            error, TCPLAN_INVALID,
            "'%.150s': more than %d platforms (files, provenances in them, numbers of threads)",
            reading->path, TCPLAN_PLATFORMS_MAX);
    }
    struct tcplan_ported_contraction *contraction = contraction_of(report, result);
    if (!contraction) return error_no_memory(error);
    struct tcplan_platform *platform = &report->platform[p];
    if (result->reason || result->algorithm_count == 0) {
        platform->failed_count++;
        return TCPLAN_OK;
    }
    contraction->done_count += !contraction->done[p];
    contraction->done[p] = true;
    platform->result_count++;
    platform->gemm_gflops +=
        (result->gemm_gflops - platform->gemm_gflops) / (double)platform->result_count;
    return add_algorithms(report, p, contraction, result) ? TCPLAN_OK : error_no_memory(error);
}

/* Portability, computed after all files are read. */

static int compare_portability(const void *a, const void *b) {
    const struct tcplan_ported_algorithm *x = *(struct tcplan_ported_algorithm *const *)a;
    const struct tcplan_ported_algorithm *y = *(struct tcplan_ported_algorithm *const *)b;
    if (x->portability.application != y->portability.application) {
        return x->portability.application > y->portability.application ? -1 : 1;
    }
    if (x->portability.supported != y->portability.supported)
        return x->portability.supported > y->portability.supported ? -1 : 1;
    return strcmp(x->name, y->name);
}

/** Sorts the algorithms by portability, highest first; returns false if memory runs out. */
static bool sort_algorithms(struct tcplan_ported_contraction *contraction) {
    size_t count = 0;
    for (struct tcplan_ported_algorithm *a = contraction->algorithms; a; a = a->next) count++;
    struct tcplan_ported_algorithm **list = base_alloc_zero(count + 1, sizeof(void *));
    if (!list) return false;
    count = 0;
    for (struct tcplan_ported_algorithm *a = contraction->algorithms; a; a = a->next)
        list[count++] = a;
    qsort(list, count, sizeof(void *), compare_portability);
    for (size_t a = 0; a < count; a++) list[a]->next = list[a + 1];
    contraction->algorithms = list[0];
    free(list);
    return true;
}

static bool rate_contraction(struct tcplan_platforms *report,
                             struct tcplan_ported_contraction *contraction) {
    const size_t count = (size_t)report->platform_count;
    for (struct tcplan_ported_algorithm *a = contraction->algorithms; a; a = a->next) {
        a->portability = tcplan_portability_over(a->speed, count);
        report->above_roof = report->above_roof || a->portability.above_roof;
    }
    contraction->chosen.portability = tcplan_portability_over(contraction->chosen.speed, count);
    return sort_algorithms(contraction);
}

/** Adds the inverses of a contraction's portability to sums, from which divide() computes
 * harmonic means. */
static void add_inverse(struct tcplan_portability_mean *sum,
                        const struct tcplan_portability *portability) {
    sum->application += 1 / portability->application;
    sum->architectural += 1 / portability->architectural;
}

static void divide(struct tcplan_portability_mean *sum, int64_t count) {
    sum->application = count > 0 ? (double)count / sum->application : 0;
    sum->architectural = count > 0 ? (double)count / sum->architectural : 0;
}

static bool has_one_winner(const struct tcplan_ported_contraction *contraction,
                           int platform_count) {
    for (int p = 0; p < platform_count; p++) {
        if (contraction->winner[p] != contraction->winner[0]) return false;
    }
    return contraction->winner[0] != NULL;
}

/** Computes the portability of all contractions; returns false if memory runs out. */
static bool rate(struct tcplan_platforms *report) {
    for (struct tcplan_ported_contraction *c = report->contractions; c; c = c->next) {
        if (!rate_contraction(report, c)) return false;
        if (c->done_count < (size_t)report->platform_count || !c->algorithms) continue;
        report->everywhere_count++;
        report->one_winner_count += has_one_winner(c, report->platform_count);
        add_inverse(&report->one, &c->algorithms->portability);
        add_inverse(&report->chosen, &c->chosen.portability);
    }
    divide(&report->one, report->everywhere_count);
    divide(&report->chosen, report->everywhere_count);
    return true;
}

static struct tcplan_platforms *allocate(void) {
    struct tcplan_platforms *report = base_alloc_zero(1, sizeof *report);
    if (report) report->private_part = base_alloc_zero(1, sizeof *report->private_part);
    if (report && report->private_part) return report;
    base_free(report);
    return NULL;
}

enum tcplan_status tcplan_platforms_read(struct tcplan_platforms **out, const char *const paths[],
                                         int count, const struct tcplan_roofline *const ceilings[],
                                         int ceiling_count, struct tcplan_error *error) {
    struct tcplan_platforms *report = allocate();
    if (!report) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    report->private_part->ceilings = ceilings;
    report->private_part->ceiling_count = ceiling_count;
    for (int f = 0; f < count && status == TCPLAN_OK; f++) {
        struct reading reading = {.report = report, .path = paths[f]};
        status = tcplan_results_walk(paths[f], add_record, &reading, NULL, error);
    }
    if (status == TCPLAN_OK && !rate(report)) status = error_no_memory(error);
    if (status == TCPLAN_OK) {
        *out = report;
    } else {
        tcplan_platforms_free(report);
    }
    return status;
}

double tcplan_ported_seconds(const struct tcplan_ported_contraction *contraction,
                             const struct tcplan_ported_algorithm *algorithm, int on) {
    const double gflops = algorithm ? algorithm->speed[on].speed : 0;
    return gflops > 0 ? 1e-9 * contraction->flops / gflops : 0;
}

double tcplan_winner_loss(const struct tcplan_ported_contraction *contraction, int of, int on) {
    const double best = tcplan_ported_seconds(contraction, contraction->winner[on], on);
    return best > 0 ? tcplan_ported_seconds(contraction, contraction->winner[of], on) / best : 0;
}

struct tcplan_winners_loss tcplan_winners_loss(const struct tcplan_platforms *platforms, int of,
                                               int on) {
    struct tcplan_winners_loss out = {0};
    double logarithms = 0;
    for (const struct tcplan_ported_contraction *c = platforms->contractions; c; c = c->next) {
        const double loss = tcplan_winner_loss(c, of, on);
        if (!(loss > 0)) continue;
        out.count++;
        logarithms += log(loss);
        if (loss > out.worst) {
            out.worst = loss;
            out.worst_of = c;
        }
    }
    if (out.count > 0) out.mean = exp(logarithms / (double)out.count);
    return out;
}

void tcplan_platforms_free(struct tcplan_platforms *platforms) {
    if (!platforms) return;
    arena_free(&platforms->private_part->arena);
    base_free(platforms->private_part);
    base_free(platforms);
}
