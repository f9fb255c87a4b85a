/*
 * Measures the cost of models: evaluating one, and loading 200 of them from the store. Times are
 * CPU times of this thread. The models are fitted to invented times; nothing is measured.
 *
 * usage: bench_models [ROUNDS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/sorted.h"
#include "models/refinement.h"
#include "tcplan/store.h"

enum { MODELS = 200, ROUTINES = 20, EVALUATIONS = 200000, POINTS = 1024, MOST_ROUNDS = 1000 };

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "bench_models: %s\n", what);
    exit(1);
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Models. */

/** Returns an invented time: a smooth function of the sizes, but no polynomial, so that pieces are
 * halved. */
static double time_of(const int64_t size[], int count) {
    double product = 50;
    for (int i = 0; i < count; i++)
        product *= (double)size[i] * (1 + 0.1 * sin((double)size[i] / 50));
    return 500 + product;
}

static struct tcplan_model *generate(int count, const int degree[], int pieces) {
    struct tcplan_model_domain domain = {.count = count};
    struct tcplan_model_config config = tcplan_model_config_default(count, 1);
    static struct model_point point[POINTS];
    struct model_refinement *refinement;
    struct tcplan_model *model;
    config.most_pieces = pieces;
    for (int i = 0; i < count; i++) {
        domain.low[i] = 24;
        domain.high[i] = i == 0 ? 536 : 4152;
    }
    require(model_refinement_new(&refinement, &domain, degree, &config, NULL) == TCPLAN_OK,
            "no refinement");
    for (size_t wanted; (wanted = model_refinement_next(refinement, point, POINTS)) > 0;) {
        for (size_t p = 0; p < wanted && p < POINTS; p++) {
            double ns[] = {time_of(point[p].size, count), 1.01 * time_of(point[p].size, count)};
            struct tcplan_model_sample sample;
            require(tcplan_model_sample_make(&sample, point[p].size, count, ns, 2, NULL) ==
                            TCPLAN_OK &&
                        model_refinement_add(refinement, &sample, 0, NULL) == TCPLAN_OK,
                    "no sample");
        }
    }
    require(model_refinement_result(&model, refinement, NULL) == TCPLAN_OK, "no model");
    model_refinement_free(refinement);
    for (int i = 0; i < count; i++)
        snprintf(model->size_name[i], TCPLAN_MODEL_SIZE_NAME, "%c", "mnk"[i]);
    model->setup = (struct tcplan_model_setup){.provider = "own", .threads = 1};
    return model;
}

/* Evaluating. */

static void evaluate(const char *name, const struct tcplan_model *model, int rounds) {
    static int64_t size[POINTS][TCPLAN_MODEL_SIZES];
    static double taken[MOST_ROUNDS];
    struct random random = {1};
    double sum = 0;
    for (int p = 0; p < POINTS; p++) {
        for (int i = 0; i < model->domain.count; i++) {
            size[p][i] = model->domain.low[i] +
                         random_below(&random, model->domain.high[i] - model->domain.low[i] + 1);
        }
    }
    for (int r = 0; r < rounds; r++) {
        const double begin = cpu_seconds();
        for (int e = 0; e < EVALUATIONS; e++) {
            struct tcplan_model_estimate estimate;
            tcplan_model_evaluate(&estimate, model, size[e % POINTS]);
            sum += estimate.ns[TCPLAN_MODEL_MINIMUM];
        }
        taken[r] = (cpu_seconds() - begin) / EVALUATIONS;
    }
    sort_numbers(taken, (size_t)rounds);
    printf(
        "evaluate %-22s %3zu pieces of %2d coefficients  %6.1f ns  (median of %d rounds at %d random points; minimum %.1f)%s\n",
        name, model->piece_count,
        tcplan_model_coefficients(model->piece[0].degree, model->domain.count),
        1e9 * taken[rounds / 2], rounds, POINTS, 1e9 * taken[0], sum > 0 ? "" : " ");
}

/* Loading. */

static void keep(const struct tcplan_store *store, struct tcplan_model *model) {
    static const struct tcplan_model *model_at[MODELS];
    for (int m = 0; m < MODELS; m++) {
        snprintf(model->case_text, sizeof model->case_text,
                 "dtrsm%d side=L uplo=L transA=N diag=N alpha=%d", m % ROUTINES, m / ROUTINES);
        model_at[m] = tcplan_model_copy(model);
        require(model_at[m] != NULL, "no memory");
    }
    require(tcplan_store_keep_models(store, model_at, MODELS, NULL) == TCPLAN_OK,
            "the store cannot be written");
    for (int m = 0; m < MODELS; m++)
        tcplan_model_free((struct tcplan_model *)(uintptr_t)model_at[m]);
}

static void load(const struct tcplan_store *store, size_t pieces, int coefficients, int rounds) {
    static double taken[MOST_ROUNDS];
    struct tcplan_store_list list;
    double bytes = 0;
    require(tcplan_store_list(&list, store, NULL) == TCPLAN_OK, "no list");
    for (size_t i = 0; i < list.count; i++) bytes += (double)list.item[i].bytes;
    for (int r = 0; r < rounds; r++) {
        struct tcplan_models *models;
        const double begin = cpu_seconds();
        require(tcplan_store_models(&models, store, NULL) == TCPLAN_OK &&
                    tcplan_models_count(models) == MODELS,
                "not all models are found");
        taken[r] = cpu_seconds() - begin;
        tcplan_models_free(models);
    }
    sort_numbers(taken, (size_t)rounds);
    printf(
        "load     %d models of %zu pieces of %d coefficients in %zu files, %.2f MB  %.2f ms  (median of %d rounds; minimum %.2f)\n",
        MODELS, pieces, coefficients, list.count, 1e-6 * bytes, 1e3 * taken[rounds / 2], rounds,
        1e3 * taken[0]);
    tcplan_store_list_free(&list);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 51;
    const int dtrsm_degree[] = {2, 1}, dgemm_degree[] = {1, 1, 1};
    char folder[] = "/tmp/tcplan-bench-models-XXXXXX", command[64];
    require(rounds >= 1 && rounds <= MOST_ROUNDS, "expected rounds from 1 to 1000");
    require(mkdtemp(folder) != NULL, "no folder in /tmp");
    struct tcplan_model *dtrsm = generate(2, dtrsm_degree, 9),
                        *dgemm = generate(3, dgemm_degree, 64);
    struct tcplan_store store = {.folder = folder};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    evaluate("as dtrsm, two sizes", dtrsm, rounds);
    evaluate("as dgemm, three sizes", dgemm, rounds);
    keep(&store, dtrsm);
    load(&store, dtrsm->piece_count, tcplan_model_coefficients(dtrsm->piece[0].degree, 2), rounds);
    tcplan_model_free(dtrsm);
    tcplan_model_free(dgemm);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : 1;
}
