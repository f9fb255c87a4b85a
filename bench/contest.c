/**
 * Executes algorithms alternately, to judge the choices of rankings. As in the comparison of a
 * ranking, references measure the speed of the core around and during the executions
 * (microbench/predict/cutoff.h).
 *
 *   bench_contest [--random N] [--seed N] [--seconds S] [--most S] [--rounds N] [--picks N]
 *   [--offsets] CONTRACTION SIZES NAME...
 *
 * Arrays start 16 bytes after the beginning of a page, as with malloc, on pages of the default
 * size. In addition to the named algorithms, --random draws N from all candidates of the `full`
 * space (tcplan/candidates.h). First, each algorithm runs twice; a run is stopped, and its
 * algorithm excluded, when it takes 1.5 times as long as the fastest so far. Then the named
 * algorithms, and the others within 25 % of the fastest, run alternately, for at most --rounds
 * rounds. After five rounds, only those within 15 % of the fastest continue, and the first --picks
 * of the named ones. They continue for --seconds, or at least six rounds; --most limits the whole
 * time. Each round has its own random order, because an algorithm affects the next ones by what it
 * leaves in the caches. With --offsets, the first named algorithm then runs on arrays 0 to 56
 * bytes after the beginning of a page, alternately.
 *
 * Prints JSON: for each round the times of the runs, and these times scaled to the mean reference
 * (microbench/timing/drift.h); and that reference, with which other processes are compared.
 * bench/decision makes the figures.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/subject.h"
#include "microbench/predict/cutoff.h"
#include "microbench/program/program.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/reference.h"
#include "microbench/timing/session.h"
#include "microbench/timing/statistics.h"
#include "tcplan/candidates.h"

enum {
    MOST_CONTENDERS = 1024,
    MOST_FINALISTS = 20,
    FIRST_RUNS = 2,
    FIRST_ROUNDS = 5,
    FEWEST_ROUNDS = 11,
    MOST_ROUNDS = 200,
    OFFSETS = 8,
    OFFSET_ROUNDS = 7
};

enum { LINE = 64, MALLOC_OFFSET = 16 };

#define OUT_FACTOR 1.5
#define FINAL_FACTOR 1.25
#define LAST_FACTOR 1.15

/* Share of the time limit that first runs of randomly drawn algorithms may take. */
#define FIRST_SHARE 0.4

#define LIST_SECONDS 3

/* Runs shorter than this are preceded by a warm-up run. */
#define SHORT_SECONDS 2e-3

struct contender {
    char *name;
    bool drawn;
    bool final;
    int rounds; /**< number of rounds with this algorithm */
    struct tcplan_nest *nest;
    struct tcplan_program *program; /**< program of the nest; NULL: not in use, or it cannot run */
    double first_seconds;
    double seconds[MOST_ROUNDS];
    struct drift_sample sample[MOST_ROUNDS]; /**< the times of the runs, together with their
                                                references */
    double alike[MOST_ROUNDS];               /**< times corrected by the references */
};

struct contest {
    uint64_t start_ns;
    struct subject subject;
    struct tcplan_problem problem;
    struct buffers buffers;
    int random;
    uint64_t seed;
    double seconds;
    double most_seconds; /**< seconds after which no round starts, except the first five rounds */
    int most_rounds;
    int picks; /**< number of the first named algorithms that are never excluded */
    struct random order;
    bool offsets;
    int count;
    int named; /**< number of named algorithms, which come first */
    int tried; /**< number of algorithms drawn at random */
    int rounds;
    struct reference *reference;
    bool watches_memory; /**< whether the reference reads memory; otherwise it computes */
    struct drift drift;
    struct contender contender[MOST_CONTENDERS];
    int offset_rounds;
    double offset_seconds[OFFSETS][OFFSET_ROUNDS];
};

static void usage(void) {
    fputs(
        "usage: bench_contest [--random N] [--seed N] [--seconds S] [--most S] [--rounds N] [--picks N] [--offsets] CONTRACTION SIZES NAME...\n",
        stderr);
    exit(2);
}

static int parse(struct contest *contest, int count, char *arguments[]) {
    int a = 1;
    for (; a < count && strncmp(arguments[a], "--", 2) == 0; a++) {
        const char *option = arguments[a];
        if (strcmp(option, "--offsets") == 0) {
            contest->offsets = true;
            continue;
        }
        if (++a >= count) usage();
        if (strcmp(option, "--random") == 0) {
            contest->random = (int)strtol(arguments[a], NULL, 10);
        } else if (strcmp(option, "--seed") == 0) {
            contest->seed = strtoull(arguments[a], NULL, 10);
        } else if (strcmp(option, "--seconds") == 0) {
            contest->seconds = strtod(arguments[a], NULL);
        } else if (strcmp(option, "--most") == 0) {
            contest->most_seconds = strtod(arguments[a], NULL);
        } else if (strcmp(option, "--rounds") == 0) {
            contest->most_rounds = (int)strtol(arguments[a], NULL, 10);
        } else if (strcmp(option, "--picks") == 0) {
            contest->picks = (int)strtol(arguments[a], NULL, 10);
        } else {
            usage();
        }
    }
    if (count < a + 3 || contest->most_rounds < 1 || contest->most_rounds > MOST_ROUNDS ||
        contest->random < 0)
        usage();
    return a;
}

static struct contender *add(struct contest *contest, const char *name, bool drawn) {
    for (int c = 0; c < contest->count; c++) {
        if (strcmp(contest->contender[c].name, name) == 0) return NULL;
    }
    if (contest->count == MOST_CONTENDERS) return NULL;
    struct contender *added = &contest->contender[contest->count++];
    *added = (struct contender){.name = strdup(name), .drawn = drawn};
    if (!added->name) exit(3);
    return added;
}

/** Appends the algorithms drawn at random to the named ones. */
static void draw(struct contest *contest) {
    const struct tcplan_rank_options options = {
        .space = TCPLAN_SPACE_FULL, .threads = 1, .time_limit_seconds = LIST_SECONDS};
    struct tcplan_candidate_list *list;
    struct tcplan_error error;
    struct random random = {contest->seed};
    if (contest->random == 0) return;
    subject_check(contest->subject.notation,
                  tcplan_candidates_list(&list, &contest->problem, &options, &error), &error);
    for (size_t left = list->count, wanted = (size_t)contest->random; left > 0 && wanted > 0;
         left--, wanted--) {
        const size_t one = (size_t)random_below(&random, (int64_t)left);
        char *name = tcplan_algorithm_name(&list->candidate[one].algorithm,
                                           contest->problem.contraction, contest->problem.dtype);
        if (!name) exit(3);
        wanted +=
            !add(contest, name, true); /* the algorithm is already in the list: draw another one */
        free(name);
        list->candidate[one] = list->candidate[left - 1];
    }
    tcplan_candidate_list_free(list);
}

static void open_program(struct contest *contest, struct contender *contender) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    const struct tcplan_contraction *contraction = contest->problem.contraction;
    const char *name = contender->name;
    subject_check(
        name, tcplan_algorithm_parse(&algorithm, contraction, contest->problem.dtype, name, &error),
        &error);
    subject_check(name, tcplan_nest_build(&contender->nest, contraction, &algorithm, &error),
                  &error);
    program_build_on(&contender->program, contender->nest, &contest->problem,
                     &contest->buffers.scratch, NULL, NULL);
}

static void close_program(struct contender *contender) {
    tcplan_program_free(contender->program);
    tcplan_nest_free(contender->nest);
    contender->program = NULL;
    contender->nest = NULL;
}

static bool is_over(const struct contest *contest) {
    return (double)(clock_now_ns() - contest->start_ns) * 1e-9 > contest->most_seconds;
}

static double left_seconds(const struct contest *contest, uint64_t start_ns, double share) {
    return contest->seconds * share - (double)(clock_now_ns() - start_ns) * 1e-9;
}

/** Times the first two runs of every algorithm; returns the shortest time. */
static double first_runs(struct contest *contest) {
    const uint64_t start_ns = clock_now_ns();
    double fastest = INFINITY;
    for (int c = 0; c < contest->count; c++) {
        struct contender *contender = &contest->contender[c];
        if (contender->drawn && left_seconds(contest, start_ns, FIRST_SHARE) < 0) break;
        contender->first_seconds = INFINITY;
        contest->tried += contender->drawn;
        const double limit_ns = contender->drawn ? fastest * OUT_FACTOR * 1e9 : INFINITY;
        open_program(contest, contender);
        for (int r = 0; contender->program && r < FIRST_RUNS; r++) {
            const struct cutoff_run run =
                cutoff_execute(contender->program, &contest->buffers, limit_ns);
            if (!run.finished) break;
            contender->first_seconds = fmin(contender->first_seconds, run.ns * 1e-9);
        }
        close_program(contender);
        fastest = fmin(fastest, contender->first_seconds);
    }
    return fastest;
}

/** Sorts by time, with algorithms that did not run last. */
static int compare_first(const void *a, const void *b) {
    const double x = ((const struct contender *)a)->first_seconds;
    const double y = ((const struct contender *)b)->first_seconds;
    return x == 0 || y == 0 ? (x == 0) - (y == 0) : (x > y) - (x < y);
}

/** Selects all named algorithms that can run, and the fastest of the others. */
static void choose_finalists(struct contest *contest, double fastest) {
    int finalists = 0;
    qsort(contest->contender + contest->named, (size_t)(contest->count - contest->named),
          sizeof *contest->contender, compare_first);
    for (int c = 0; c < contest->count; c++) {
        struct contender *contender = &contest->contender[c];
        if (contender->first_seconds == 0 || isinf(contender->first_seconds)) continue;
        if (contender->drawn &&
            (finalists >= MOST_FINALISTS || contender->first_seconds > fastest * FINAL_FACTOR))
            continue;
        open_program(contest, contender);
        contender->final = contender->program != NULL;
        finalists += contender->final;
    }
}

static void warm_up(struct contest *contest, const struct contender *contender) {
    if (contender->first_seconds < SHORT_SECONDS)
        cutoff_warm_up(contender->program, &contest->buffers, INFINITY, CUTOFF_WARM_UP_NS);
}

static struct drift_sample run(struct contest *contest, const struct contender *contender) {
    return cutoff_sample(contender->program, &contest->buffers, contender->first_seconds * 1e9,
                         INFINITY, contest->reference);
}

/** Writes the algorithms that still run, in a random order (Fisher and Yates). */
static int draw_order(struct contest *contest, struct contender *order[MOST_CONTENDERS]) {
    int count = 0;
    for (int c = 0; c < contest->count; c++) {
        if (contest->contender[c].final) order[count++] = &contest->contender[c];
    }
    for (int left = count; left > 1; left--) {
        const int64_t one = random_below(&contest->order, left);
        struct contender *drawn = order[one];
        order[one] = order[left - 1];
        order[left - 1] = drawn;
    }
    return count;
}

static void run_round(struct contest *contest) {
    struct contender *order[MOST_CONTENDERS];
    const int count = draw_order(contest, order);
    const int round = contest->rounds++;
    for (int k = 0; k < count; k++) {
        struct contender *contender = order[k];
        warm_up(contest, contender);
        contender->sample[round] = run(contest, contender);
        contender->seconds[round] = contender->sample[round].seconds;
        /* not excluded before, because the first runs found cold caches */
        contender->first_seconds = fmin(contender->first_seconds, contender->seconds[round]);
        contender->rounds = contest->rounds;
    }
}

static double median_of(const struct contender *contender) {
    return statistics_median(contender->seconds, contender->rounds);
}

/** Excludes slower algorithms whose times are known well enough, unless they are named. */
static void leave_out_slow_ones(struct contest *contest) {
    double fastest = INFINITY;
    for (int c = 0; c < contest->count; c++) {
        if (contest->contender[c].final) fastest = fmin(fastest, median_of(&contest->contender[c]));
    }
    for (int c = 0; c < contest->count; c++) {
        struct contender *contender = &contest->contender[c];
        contender->final = contender->final &&
                           (c < contest->picks || median_of(contender) <= LAST_FACTOR * fastest);
    }
}

/* The following functions correct times for the drift of the core. */

static void regress(const struct contender *contender, struct drift_regression *regression) {
    drift_begin_series(regression);
    for (int r = 0; r < contender->rounds; r++)
        drift_add(regression, contender->sample[r].seconds, contender->sample[r].reference_seconds);
}

/** Computes times scaled to the mean reference. The elasticity is that of the contender's own runs
 * if they determine it, otherwise that of all runs. */
static void note_alike(struct contest *contest) {
    const struct drift_timing *timing;
    struct drift_regression all = {0};
    const int timings = reference_timings(contest->reference, &timing);
    contest->drift = drift_of(timing, timings);
    for (int c = 0; c < contest->count; c++) regress(&contest->contender[c], &all);
    const double work = reference_count(contest->reference, contest->problem.flops,
                                        tcplan_compulsory_bytes(&contest->problem));
    const double expected = drift_expected_elasticity(work, contest->drift.good_seconds,
                                                      contest->contender[0].first_seconds);
    for (int c = 0; c < contest->count; c++) {
        struct contender *contender = &contest->contender[c];
        struct drift_regression own = {0};
        regress(contender, &own);
        const double elasticity = drift_elasticity(&own, drift_elasticity(&all, expected));
        for (int r = 0; r < contender->rounds; r++)
            contender->alike[r] = contender->seconds[r] *
                                  drift_factor(elasticity, contender->sample[r].reference_seconds,
                                               contest->drift.mean_seconds);
    }
}

static void run_rounds(struct contest *contest) {
    const uint64_t start_ns = clock_now_ns();
    while (
        contest->rounds < contest->most_rounds &&
        (contest->rounds < FEWEST_ROUNDS || left_seconds(contest, start_ns, 1 - FIRST_SHARE) > 0)) {
        if (contest->rounds >= FIRST_ROUNDS && is_over(contest)) break;
        run_round(contest);
        if (contest->rounds == FIRST_ROUNDS) leave_out_slow_ones(contest);
    }
    note_alike(contest);
}

static void move(struct contest *contest, ptrdiff_t bytes) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (contest->buffers.tensor[t].base) contest->buffers.tensor[t].base += bytes;
    }
}

static void run_offsets(struct contest *contest) {
    struct contender *first = &contest->contender[0];
    if (!contest->offsets || first->rounds == 0) return;
    move(contest, -MALLOC_OFFSET);
    for (int r = 0; r < OFFSET_ROUNDS && (r == 0 || !is_over(contest)); r++) {
        contest->offset_rounds++;
        for (int o = 0; o < OFFSETS; o++) {
            move(contest, 8 * o);
            warm_up(contest, first);
            contest->offset_seconds[o][r] = run(contest, first).seconds;
            move(contest, -8 * o);
        }
    }
    move(contest, MALLOC_OFFSET);
}

static void print_numbers(const char *name, const double number[], int count) {
    printf("\"%s\": [", name);
    for (int n = 0; n < count; n++) printf("%s%.6g", n > 0 ? "," : "", number[n]);
    printf("]");
}

static void print(const struct contest *contest) {
    printf("{\"random\": %d, \"tried\": %d, \"first_rounds\": %d, ", contest->random,
           contest->tried, FIRST_ROUNDS);
    printf("\"core\": {\"reference\": \"%s\", \"mean_reference_seconds\": %.6g, ",
           contest->watches_memory ? "memory" : "core", contest->drift.mean_seconds);
    printf("\"good_reference_seconds\": %.6g}, \"contenders\": [", contest->drift.good_seconds);
    const char *before = "\n";
    for (int c = 0; c < contest->count; c++) {
        const struct contender *contender = &contest->contender[c];
        if (contender->rounds == 0) continue;
        printf("%s{\"name\": \"%s\", \"drawn\": %s, ", before, contender->name,
               contender->drawn ? "true" : "false");
        print_numbers("seconds", contender->seconds, contender->rounds);
        printf(", ");
        print_numbers("alike_seconds", contender->alike, contender->rounds);
        printf("}");
        before = ",\n";
    }
    printf("],\n\"offsets\": [");
    for (int o = 0; contest->offsets && o < OFFSETS; o++) {
        printf("%s{\"bytes\": %d, ", o > 0 ? ",\n" : "\n", 8 * o);
        print_numbers("seconds", contest->offset_seconds[o], contest->offset_rounds);
        printf("}");
    }
    printf("]}\n");
}

int main(int count, char *arguments[]) {
    static struct contest contest = {
        .seconds = 10, .most_seconds = INFINITY, .most_rounds = MOST_ROUNDS, .seed = 1};
    struct tcplan_error error;
    const int first = parse(&contest, count, arguments);
    contest.start_ns = clock_now_ns();
    contest.order = (struct random){contest.seed};
    contest.subject = subject_open(arguments[first], arguments[first + 1]);
    contest.problem = subject_problem(&contest.subject, 0);
    subject_check(arguments[first],
                  buffers_reserve(&contest.buffers, &contest.problem, LINE, SIZE_MAX / 2, &error),
                  &error);
    move(&contest, MALLOC_OFFSET - LINE);
    buffers_back_all(&contest.buffers);
    for (int a = first + 2; a < count; a++) add(&contest, arguments[a], false);
    contest.named = contest.count;
    draw(&contest);
    struct session session;
    if (session_begin(&session, 1, NULL) != TCPLAN_OK) return 3;
    choose_finalists(&contest, first_runs(&contest));
    contest.reference = reference_new();
    reference_choose(contest.reference, contest.problem.flops,
                     tcplan_compulsory_bytes(&contest.problem)); /* the reference that rankings use
                                                                  */
    contest.watches_memory = reference_kind(contest.reference) == REFERENCE_MEMORY;
    run_rounds(&contest);
    run_offsets(&contest);
    reference_free(contest.reference);
    session_end(&session);
    print(&contest);
    for (int c = 0; c < contest.count; c++) {
        close_program(&contest.contender[c]);
        free(contest.contender[c].name);
    }
    buffers_free(&contest.buffers);
    subject_close(&contest.subject);
    return 0;
}
