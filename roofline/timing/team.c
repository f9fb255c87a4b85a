#include "roofline/timing/team.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cachesim/places.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/pin.h"
#include "microbench/timing/reference.h"

/** A thread did not have its core if its CPU time lags behind wall time by more than SLACK_NS, the
 * cost of two clock readings, plus this share. */
#define SLACK_NS 3000
#define SLACK_SHARE 0.005

enum { SPINS_BEFORE_YIELD = 20000 };

struct member {
    struct team *team;
    int number;
    int processor; /* processor of the thread; -1: not bound */
    pthread_t thread;
    uint64_t start_ns; /* start of the last window */
    uint64_t end_ns;
    bool disturbed;
    bool correct;
    struct reference *reference;
    double reference_seconds; /* mean time of the references before and after the last window */
};

struct team {
    int threads;
    int started; /* number of running threads, including the caller */
    bool bound;
    struct pin pin; /* affinity of the caller */
    struct member *member;

    pthread_mutex_t mutex;
    pthread_cond_t posted;
    uint64_t job; /* number of the current job; the mutex protects this member and all members of
                     the job */
    bool ending;
    int active;
    team_fn *work;
    void *context;
    struct team_series *series; /* series to time; NULL: a single untimed run */
    uint64_t series_start_ns;

    atomic_int arrived;
    atomic_uint phase;
    atomic_bool over; /* whether the series is over */
};

/** Waits until all active threads have arrived. Spins, so that the start of a window does not
 * depend on being woken. */
static void meet(struct team *team) {
    const unsigned phase = atomic_load(&team->phase);
    const int active = team->active; /* read first: after the last arrival, the next job sets it */
    const int arrived = atomic_fetch_add(&team->arrived, 1) + 1;
    assert(arrived <= active); /* no thread arrives twice */
    if (arrived == active) {
        atomic_store(&team->arrived, 0);
        atomic_store(&team->phase, phase + 1);
        return;
    }
    int spins = 0;
    while (atomic_load_explicit(&team->phase, memory_order_acquire) == phase) {
        if (spins == SPINS_BEFORE_YIELD) {
            sched_yield();
        } else {
            spins++;
        }
    }
}

static long context_switches(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw + usage.ru_nvcsw : 0;
}

static void run_window(struct member *member, int64_t window) {
    struct team *team = member->team;
    struct reference *reference = team->series->references ? member->reference : NULL;
    const double before = reference_seconds(reference);
    meet(team);
    const long switches = context_switches();
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    meet(team);
    member->start_ns = clock_now_ns();
    member->correct = team->work(team->context, member->number, window);
    member->end_ns = clock_now_ns();
    const double wall_ns = (double)(member->end_ns - member->start_ns);
    const double used_ns = (double)(clock_thread_cpu_ns() - cpu_ns);
    member->disturbed =
        context_switches() != switches || used_ns + SLACK_NS < wall_ns * (1 - SLACK_SHARE);
    member->reference_seconds = sqrt(before * reference_seconds(reference));
    meet(team);
}

/** Counts or drops the last window and decides whether the series is over. Called by the first
 * thread when all have arrived. */
static void judge(struct team *team, bool counts) {
    struct team_series *series = team->series;
    uint64_t start_ns = UINT64_MAX;
    uint64_t end_ns = 0;
    bool disturbed = false;
    double reference_seconds = 0;
    for (int t = 0; t < team->active; t++) {
        const struct member *member = &team->member[t];
        start_ns = member->start_ns < start_ns ? member->start_ns : start_ns;
        end_ns = member->end_ns > end_ns ? member->end_ns : end_ns;
        disturbed = disturbed || member->disturbed;
        reference_seconds = fmax(reference_seconds, member->reference_seconds);
        series->wrong = series->wrong || !member->correct;
    }
    assert(!counts ||
           series->counted < series->wanted); /* the caller's arrays have room for another window */
    assert(end_ns >= start_ns);
    if (counts && disturbed) series->dropped++;
    if (counts && !disturbed && series->references)
        series->references[series->counted] = reference_seconds;
    if (counts && !disturbed)
        series->seconds[series->counted++] = 1e-9 * (double)(end_ns - start_ns);
    const double elapsed = 1e-9 * (double)(end_ns - team->series_start_ns);
    atomic_store(&team->over, series->wrong || series->counted == series->wanted ||
                                  series->counted + series->dropped == series->attempts ||
                                  (series->most_seconds > 0 && elapsed > series->most_seconds));
}

static void run_series(struct member *member) {
    struct team *team = member->team;
    for (int64_t w = 0; !atomic_load(&team->over); w++) {
        run_window(member, team->series->first + w);
        if (member->number == 0) judge(team, w > 0 || team->series->warm);
        meet(team);
    }
}

static void do_job(struct member *member) {
    struct team *team = member->team;
    if (team->series) {
        run_series(member);
    } else {
        member->correct = team->work(team->context, member->number, 0);
    }
    meet(team);
}

static void bind(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *run_member(void *argument) {
    struct member *member = argument;
    struct team *team = member->team;
    uint64_t done = 0;
    if (member->processor >= 0) bind(member->processor);
    for (;;) {
        pthread_mutex_lock(&team->mutex);
        while (team->job == done && !team->ending) pthread_cond_wait(&team->posted, &team->mutex);
        const bool ending = team->ending;
        done = team->job;
        const bool active = member->number < team->active;
        pthread_mutex_unlock(&team->mutex);
        if (ending) return NULL;
        if (active) do_job(member);
    }
}

/** Gives the active threads a job, does the caller's part and waits for the others. */
static void post(struct team *team, int active, team_fn *work, void *context,
                 struct team_series *series) {
    pthread_mutex_lock(&team->mutex);
    assert(active > 0 && active <= team->started && !team->ending);
    team->active = active;
    team->work = work;
    team->context = context;
    team->series = series;
    atomic_store(&team->over, false);
    team->job++;
    pthread_cond_broadcast(&team->posted);
    pthread_mutex_unlock(&team->mutex);
    do_job(&team->member[0]);
}

bool team_run(struct team *team, int active, team_fn *work, void *context) {
    bool correct = true;
    post(team, active, work, context, NULL);
    for (int t = 0; t < active; t++) correct = correct && team->member[t].correct;
    return correct;
}

void team_time(struct team *team, int active, team_fn *work, void *context,
               struct team_series *series) {
    assert(series->wanted > 0 && series->attempts >= series->wanted);
    series->counted = series->dropped = 0;
    series->wrong = false;
    team->series_start_ns = clock_now_ns();
    post(team, active, work, context, series);
}

static enum tcplan_status start(struct team *team, struct tcplan_error *error) {
    for (int t = 1; t < team->threads; t++, team->started++) {
        if (pthread_create(&team->member[t].thread, NULL, run_member, &team->member[t]) != 0) {
            return error_set(error, TCPLAN_ENVIRONMENT, "cannot start thread %d of %d", t + 1,
                             team->threads);
        }
    }
    return TCPLAN_OK;
}

/** Assigns threads to processors, one on each core. If there are more threads than cores, no thread
 * is bound. */
static void assign(struct team *team, const int *given) {
    struct places places = {0};
    int core[PLACES_MAX];
    const int *processor = given ? given : core;
    if (!given) (void)places_load(&places, NULL, NULL);
    team->bound = given || places.count >= team->threads;
    if (!given && team->bound) places_choose(core, &places, PLACE_CLOSE, team->threads);
    for (int t = 0; t < team->threads; t++) {
        team->member[t] = (struct member){.team = team,
                                          .number = t,
                                          .processor = team->bound ? processor[t] : -1,
                                          .reference = reference_new()};
    }
    if (!team->bound) return;
    team->pin = pin_thread();
    bind(processor[0]);
}

enum tcplan_status team_new(struct team **out, int threads, const int *processor,
                            struct tcplan_error *error) {
    struct team *team = base_alloc(sizeof *team);
    struct member *member = base_alloc((size_t)threads * sizeof *member);
    if (!team || !member) {
        base_free(team);
        base_free(member);
        return error_no_memory(error);
    }
    memset(team, 0, sizeof *team);
    team->threads = threads;
    team->started = 1;
    team->member = member;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->posted, NULL);
    assign(team, processor);
    enum tcplan_status status = start(team, error);
    if (status == TCPLAN_OK) {
        *out = team;
    } else {
        team_free(team);
    }
    return status;
}

int team_most_threads(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 0;
}

bool team_is_bound(const struct team *team) {
    return team->bound;
}

void team_free(struct team *team) {
    if (!team) return;
    pthread_mutex_lock(&team->mutex);
    team->ending = true;
    pthread_cond_broadcast(&team->posted);
    pthread_mutex_unlock(&team->mutex);
    for (int t = 1; t < team->started; t++) pthread_join(team->member[t].thread, NULL);
    if (team->bound) pin_release(&team->pin);
    pthread_cond_destroy(&team->posted);
    pthread_mutex_destroy(&team->mutex);
    for (int t = 0; t < team->threads; t++) reference_free(team->member[t].reference);
    base_free(team->member);
    base_free(team);
}
