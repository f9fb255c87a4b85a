/*
 * Random products by random algorithms, executed in every possible way, for some time or a number
 * of checks: scripts/torture. Checks run in a child process, so that crashes and hangs are found
 * as well as wrong numbers. A failing check is reduced, and printed with the command that repeats
 * it.
 *
 * usage: torture [--seconds N] [--checks N] [--seed N] [--large] [--check LINE]
 */
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ast/algorithm/provider.h"
#include "support/random_algorithm.h"
#include "support/rng.h"
#include "tcplan/blas.h"
#include "torture/execute.h"
#include "torture/expression.h"
#include "torture/subject.h"

enum { TOGETHER = 100, MOST_ALGORITHMS = 15, MOST_FAILURES = 5, MOST_SHRINKS = 600, WHY = 800 };
enum { LONG_ONES = 500 }; /* one of this many products of --large has extents around 2^31 bytes */

/* Seconds of processor time after which a check counts as hanging, and seconds of wall-clock time,
 * if it sleeps; compiling many functions takes longest. */
enum { HANGS_CPU = 120, HANGS_LONG = 1200, HANGS_TIME = 1800 };

struct options {
    double seconds;
    uint64_t checks;
    uint64_t seed;
    bool is_large;
    const char *line;
};

/** Data shared between the processes. */
struct shared {
    uint64_t next; /* the next seed */
    uint64_t done[SUBJECT_WAYS];
    uint64_t skipped[SUBJECT_WAYS];
    volatile sig_atomic_t is_stopped; /* whether ending was requested; the program then ends with a
                                         summary */
    struct subject current;
    char why[WHY];
};

static struct shared *shared;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t checks_done(void) {
    uint64_t sum = 0;
    for (int way = 0; way < SUBJECT_WAYS; way++) sum += shared->done[way];
    return sum;
}

/* The checking process. */

static bool is_long(const struct subject *subject) {
    for (int i = 0; i < subject->index_count; i++) {
        if (subject->extent[i] >= SUBJECT_LONG) return true;
    }
    return false;
}

static void watch(const struct subject *subject) {
    const struct itimerval limit = {.it_value.tv_sec = is_long(subject) ? HANGS_LONG : HANGS_CPU};
    shared->current = *subject;
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(HANGS_TIME);
}

static void count(const struct subject *subject, enum execute_outcome outcome) {
    if (outcome == EXECUTE_RIGHT) shared->done[subject->way]++;
    if (outcome == EXECUTE_SKIPPED) shared->skipped[subject->way]++;
    if (outcome != EXECUTE_WRONG) return;
    shared->current = *subject;
    _exit(1);
}

static void check(const struct subject *subject) {
    watch(subject);
    count(subject, execute(subject, shared->why, sizeof shared->why));
}

/** Emitted checks that wait for their compilation: products by provider, and expressions.
 */
struct waiting {
    int count;
    struct subject subject[TOGETHER];
};

static struct waiting waiting[TCPLAN_PROVIDERS + 1];

static void check_emitted(struct waiting *batch) {
    enum execute_outcome outcome[TOGETHER] = {0};
    if (batch->count == 0) return;
    watch(&batch->subject[0]);
    execute_emitted(batch->subject, batch->count, outcome, shared->why, sizeof shared->why);
    for (int s = 0; s < batch->count; s++) count(&batch->subject[s], outcome[s]);
    batch->count = 0;
}

/**
 * Adds an emitted check. Seeds that differ by one do not share compiler and level, so the first
 * check of a batch determines them. Every third check that would start a batch is compiled alone,
 * because other functions in a file may hide missing or superfluous declarations.
 */
static void add_emitted(const struct subject *subject, struct waiting *batch) {
    struct subject *own = &batch->subject[batch->count++];
    const bool is_alone = batch->count == 1 && subject->seed % 3 == 0;
    *own = *subject;
    own->compiler = batch->count > 1 ? batch->subject[0].compiler : (int)(subject->seed / 3 % 2);
    own->level = batch->count > 1 ? batch->subject[0].level : (int)(subject->seed / 5 % 4);
    if (batch->count == TOGETHER || is_alone) check_emitted(batch);
}

static enum tcplan_provider draw_provider(uint64_t *random) {
    struct tcplan_provider_info info;
    const enum tcplan_provider provider = (enum tcplan_provider)rng_below(random, TCPLAN_PROVIDERS);
    if (provider_traits_of(provider)->is_compiled && !rng_once_in(random, 12))
        return TCPLAN_PROVIDER_BLAS; /* compiling takes long */
    return tcplan_provider_info(&info, provider) ? provider : TCPLAN_PROVIDER_BLAS;
}

/** Limits threads: those of BLIS spin at barriers, so with fewer cores than threads each call takes
 * a time slice per thread. */
static int threads_for(enum tcplan_provider provider, int threads) {
    cpu_set_t own;
    if (provider != TCPLAN_PROVIDER_BLIS) return threads;
    return sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) >= threads ? threads : 1;
}

/** Returns whether an algorithm calls a kernel for each of 2^27 values, which would take seconds.
 */
static bool loops_long(const struct tcplan_algorithm *algorithm,
                       const struct tcplan_contraction *contraction,
                       const struct subject *subject) {
    for (int l = 0; l < algorithm->loop_count; l++) {
        if (algorithm->loop[l] < contraction->index_count &&
            contraction->index[algorithm->loop[l]].name[0] == subject_letter(0))
            return subject->extent[0] >= SUBJECT_LONG;
    }
    return false;
}

static void check_algorithm(struct subject *subject, const struct tcplan_contraction *contraction,
                            uint64_t *random) {
    struct tcplan_algorithm algorithm;
    const enum tcplan_provider provider = draw_provider(random);
    if (!random_algorithm(&algorithm, contraction, provider, random)) return;
    if (loops_long(&algorithm, contraction, subject) && !rng_once_in(random, 30)) return;
    const bool is_parallel =
        rng_once_in(random, 3) && random_parallel_loop(&algorithm, contraction, random);
    subject->threads = is_parallel ? threads_for(provider, 1 + rng_below(random, 4)) : 1;
    char *name = tcplan_algorithm_name(&algorithm, contraction, subject->dtype);
    const bool fits = name && strlen(name) < sizeof subject->algorithm;
    if (fits) snprintf(subject->algorithm, sizeof subject->algorithm, "%s", name);
    free(name);
    if (!fits) return;
    subject->way = SUBJECT_PROGRAM;
    check(subject);
    subject->way = SUBJECT_API;
    if (rng_once_in(random, 2)) check(subject);
    subject->way = SUBJECT_EMITTED;
    if (rng_once_in(random, 60)) add_emitted(subject, &waiting[provider]);
}

static void check_product(uint64_t seed, struct subject_limits limits) {
    struct subject subject;
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    uint64_t random = seed ^ 0xa1607;
    if (limits.is_large && seed % LONG_ONES == 0) {
        subject_draw_long(&subject, seed);
    } else {
        subject_draw(&subject, seed, limits);
    }
    if (!subject_problem(&contraction, &problem, &subject, &error)) {
        snprintf(shared->why, sizeof shared->why, "refused: %s", error.message);
        count(&subject, EXECUTE_WRONG);
    }
    const int algorithms = 1 + rng_below(&random, MOST_ALGORITHMS);
    for (int a = 0; a < algorithms; a++) check_algorithm(&subject, contraction, &random);
    tcplan_contraction_free(contraction);
    *subject.algorithm = '\0';
    subject.threads = threads_for(TCPLAN_PROVIDER_BLIS, 1 + rng_below(&random, 2));
    subject.way = SUBJECT_CHOSEN;
    if (rng_once_in(&random, 4)) check(&subject);
    subject.way = SUBJECT_TAPP;
    if (rng_once_in(&random, 4)) check(&subject);
}

static void check_expression(uint64_t seed) {
    struct subject subject;
    expression_draw(&subject, seed);
    subject.threads = threads_for(TCPLAN_PROVIDER_BLIS, subject.threads);
    if (subject.expression.is_emitted) {
        add_emitted(&subject, &waiting[TCPLAN_PROVIDERS]);
    } else {
        check(&subject);
    }
}

static void check_all(const struct options *options, double end) {
    const struct subject_limits limits = {.points = options->is_large ? 1 << 8 : 1 << 14,
                                          .is_large = options->is_large};
    while (now() < end && checks_done() < options->checks && !shared->is_stopped) {
        const uint64_t seed = shared->next++;
        check_product(seed, limits);
        if (!limits.is_large) check_expression(seed);
    }
    for (size_t b = 0; b < sizeof waiting / sizeof *waiting && !shared->is_stopped; b++)
        check_emitted(&waiting[b]);
}

static void begin_checking(void) {
    const struct rlimit none = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* this process does not outlive the watching one */
    signal(SIGINT, SIG_IGN); /* the watching process decides when to end: a signal may be sent to
                                the whole group */
    signal(SIGTERM, SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    mallopt(M_PERTURB, 0x100); /* fills allocated memory with garbage */
    execute_set_note(watch);
}

/* The watching process. */

static const char *way_name(enum subject_way way) {
    static const char *const names[SUBJECT_WAYS] = {
        "in-process", "by the library", "chosen by estimate",
        "by TAPP",    "emitted",        "of several tensors"};
    return names[way];
}

/** Waits for a child; 0: no failure. shared->why describes the failure, starting with its kind. */
static int outcome_of(pid_t child) {
    int status = 0;
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const int signal = WTERMSIG(status);
    snprintf(shared->why, sizeof shared->why, "%s: signal %d, %s",
             signal == SIGALRM || signal == SIGPROF ? "hang" : "crash", signal, strsignal(signal));
    return 1;
}

static int check_apart(const struct subject *subject) {
    const pid_t child = fork();
    if (child == 0) {
        begin_checking();
        check(subject);
        _exit(0);
    }
    return outcome_of(child);
}

/** Returns whether two failures have the same kind: their first words are equal. */
static bool is_alike(const char *one, const char *other) {
    return strcspn(one, " :") == strcspn(other, " :") &&
           strncmp(one, other, strcspn(one, " :")) == 0;
}

static void shrink(struct subject *subject, char *why, size_t size) {
    int attempts = 0;
    for (bool is_smaller = true; is_smaller && attempts < MOST_SHRINKS && !shared->is_stopped;) {
        is_smaller = false;
        struct subject smaller;
        for (int step = 0, answer; (answer = subject_shrink(&smaller, subject, step)) >= 0 &&
                                   attempts < MOST_SHRINKS && !shared->is_stopped;
             step++) {
            if (answer == 0) continue;
            attempts++;
            if (check_apart(&smaller) != 1 || !is_alike(shared->why, why)) continue;
            *subject = smaller;
            snprintf(why, size, "%s", shared->why);
            is_smaller = true;
        }
    }
}

static void describe(const struct subject *subject, const char *why) {
    char *notation = subject_notation(subject), *sizes = subject_sizes(subject),
         *strides = subject_strides(subject), *line = subject_line(subject);
    fprintf(
        stderr,
        "failed %s: '%s' --sizes '%s' --strides '%s' --dtype %c%s --algorithm \"%s\" --threads %d\n  %s\n  repeat: scripts/torture --check \"%s\"\n",
        way_name(subject->way), notation, sizes, strides, tcplan_dtype_letter(subject->dtype),
        subject->order == TCPLAN_ROW_MAJOR ? " --row-major" : "", subject->algorithm,
        subject->threads, why, line);
    free(notation);
    free(sizes);
    free(strides);
    free(line);
}

static void report_failure(void) {
    struct subject subject = shared->current;
    char why[WHY];
    snprintf(why, sizeof why, "%s", shared->why);
    describe(&subject, why);
    if (check_apart(&subject) != 1) {
        fprintf(stderr, "  by itself it passes\n");
        return;
    }
    shrink(&subject, why, sizeof why);
    fprintf(stderr, "smaller:\n");
    describe(&subject, why);
}

static int repeat(const char *line) {
    struct subject subject;
    if (!subject_read(&subject, line)) {
        fprintf(stderr, "torture: this is no check: %s\n", line);
        return 2;
    }
    const int outcome = check_apart(&subject);
    if (outcome == 0) printf("%s\n", shared->done[subject.way] ? "right" : shared->why);
    if (outcome != 0) describe(&subject, shared->why);
    return outcome != 0;
}

static void print_done(double seconds, int failures) {
    uint64_t skipped = 0;
    for (int way = 0; way < SUBJECT_WAYS; way++) skipped += shared->skipped[way];
    printf("%llu checks in %.0f s, %.0f a second, %d failed:", (unsigned long long)checks_done(),
           seconds, (double)checks_done() / seconds, failures);
    for (int way = 0; way < SUBJECT_WAYS; way++)
        printf(" %llu %s%s", (unsigned long long)shared->done[way], way_name((enum subject_way)way),
               way + 1 < SUBJECT_WAYS ? "," : ";");
    printf(" %llu drawn that do not apply; the next seed is %llu\n", (unsigned long long)skipped,
           (unsigned long long)shared->next);
}

static void stop(int signal) {
    (void)signal;
    shared->is_stopped = 1;
}

static int torture(const struct options *options) {
    const double start = now(), end = start + options->seconds;
    const struct sigaction stops = {.sa_handler = stop};
    int failures = 0;
    sigaction(SIGINT, &stops, NULL);
    sigaction(SIGTERM, &stops, NULL);
    shared->next = options->seed;
    execute_sweep();
    while (failures < MOST_FAILURES && now() < end && checks_done() < options->checks &&
           !shared->is_stopped) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            begin_checking();
            check_all(options, end);
            _exit(0);
        }
        if (outcome_of(child) == 0) continue;
        failures++;
        report_failure();
    }
    execute_sweep();
    print_done(now() - start, failures);
    return failures > 0;
}

/** Sets variables that libraries read when they are loaded. */
static void set_environment(char **argv) {
    if (getenv("TCPLAN_TORTURE")) return;
    setenv("TCPLAN_TORTURE", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("TCPLAN_STORE", "", 1);
    setenv("TCPLAN_PLANS", "", 1);
    execv("/proc/self/exe", argv);
}

static bool read_options(struct options *out, int argc, char **argv) {
    for (int a = 1; a < argc; a++) {
        const char *value = a + 1 < argc ? argv[a + 1] : NULL;
        if (strcmp(argv[a], "--large") == 0) {
            out->is_large = true;
            continue;
        }
        if (!value) return false;
        a++;
        if (strcmp(argv[a - 1], "--check") == 0) {
            out->line = value;
        } else if (strcmp(argv[a - 1], "--seconds") == 0) {
            out->seconds = strtod(value, NULL);
        } else if (strcmp(argv[a - 1], "--checks") == 0) {
            out->checks = strtoull(value, NULL, 10);
        } else if (strcmp(argv[a - 1], "--seed") == 0) {
            out->seed = strtoull(value, NULL, 10);
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    struct options options = {.seconds = 1e9, .checks = UINT64_MAX, .seed = 1};
    if (!read_options(&options, argc, argv)) {
        fprintf(stderr,
                "usage: torture [--seconds N] [--checks N] [--seed N] [--large] [--check LINE]\n");
        return 2;
    }
    set_environment(argv);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 3;
    return options.line ? repeat(options.line) : torture(&options);
}
