#include "routines/sampler/timing/queue.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/providers/blas.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/ticks.h"
#include "routines/sampler/timing/dispatch.h"

/* Interval between readings of the thread's CPU time, which show whether the thread lost its core
 * in between. A reading costs some hundred nanoseconds. */
#define WATCH_SECONDS 1e-4
/* After the thread lost its core, calls that took at least this share of the lost time count as
 * disturbed: the loss may have occurred in several of them. */
#define LOST_SHARE 0.25
/* Additional wait after the limit, for a call that is about to end. */
#define GRACE_SECONDS 0.05

/** Calls that one thread makes in order. */
struct piece {
    int first;
    int count;
};

/** An item with one sample: a call, which is one piece, or the pieces of a region. */
struct unit {
    int tag;
    bool is_region;
    int first;
    int count;
};

/** A growable array. The arrays of all types begin with the same counters. */
struct list {
    void *at;
    int count;
    int capacity;
};

struct queue {
    struct list calls;  /* elements: const struct call * */
    struct list pieces; /* elements: struct piece */
    struct list units;  /* elements: struct unit */
    bool in_region, in_sequence;
    struct list samples; /* elements: struct sample; the capacity equals that of `units` */

    /* The state of the last run, or of the run in progress. */
    struct queue_options options;
    double hz;
    uint64_t watched_ticks; /* ticks at which the CPU time was read last */
    uint64_t watched_ns;    /* CPU time of the thread, read at `watched_ticks` */
    int watched;            /* number of completed samples when the CPU time was read last */
    struct counter_reading before[COUNTER_MAX_EVENTS], after[COUNTER_MAX_EVENTS];
    atomic_int done; /* number of completed samples */
    atomic_bool stop;
    atomic_int stopped_at; /* tag of the call that stopped the run */
    enum tcplan_status status;
    struct tcplan_error error;

    /* State of a run with a time limit. */
    bool given_up;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool finished;
};

static void *extend(struct list *list, size_t bytes, struct tcplan_error *error) {
    if (list->count == list->capacity) {
        const int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        void *larger = base_realloc(list->at, (size_t)capacity * bytes);
        if (!larger) {
            error_no_memory(error);
            return NULL;
        }
        list->at = larger;
        list->capacity = capacity;
    }
    return (char *)list->at + (size_t)list->count++ * bytes;
}

struct queue *queue_new(void) {
    pthread_condattr_t attributes;
    struct queue *queue = base_alloc_zero(1, sizeof *queue);
    if (!queue) return NULL;
    ticks_watch();
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    queue->stopped_at = -1;
    return queue;
}

void queue_free(struct queue *queue) {
    if (!queue || queue->given_up) return;
    base_free(queue->calls.at);
    base_free(queue->pieces.at);
    base_free(queue->units.at);
    base_free(queue->samples.at);
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->changed);
    base_free(queue);
}

static bool add_unit(struct queue *queue, int tag, bool is_region, struct tcplan_error *error) {
    struct unit *unit = extend(&queue->units, sizeof *unit, error);
    if (unit)
        *unit = (struct unit){.tag = tag, .is_region = is_region, .first = queue->pieces.count};
    return unit != NULL;
}

static bool add_piece(struct queue *queue, struct tcplan_error *error) {
    assert(queue->units.count > 0); /* a piece belongs to a unit */
    struct piece *piece = extend(&queue->pieces, sizeof *piece, error);
    if (!piece) return false;
    *piece = (struct piece){.first = queue->calls.count};
    ((struct unit *)queue->units.at)[queue->units.count - 1].count++;
    return true;
}

enum tcplan_status queue_add(struct queue *queue, const struct call *call, int tag,
                             struct tcplan_error *error) {
    const struct call **place = extend(&queue->calls, sizeof(const struct call *), error);
    if (!place) return TCPLAN_NO_MEMORY;
    *place = call;
    queue->calls.count--; /* the call is counted again when its unit and its piece were added */
    if (!queue->in_region && !add_unit(queue, tag, false, error)) return TCPLAN_NO_MEMORY;
    if (!queue->in_sequence && !add_piece(queue, error)) return TCPLAN_NO_MEMORY;
    queue->calls.count++;
    ((struct piece *)queue->pieces.at)[queue->pieces.count - 1].count++;
    return TCPLAN_OK;
}

enum tcplan_status queue_begin_region(struct queue *queue, int tag, struct tcplan_error *error) {
    assert(!queue->in_region && !queue->in_sequence); /* regions do not nest */
    if (!add_unit(queue, tag, true, error)) return TCPLAN_NO_MEMORY;
    queue->in_region = true;
    return TCPLAN_OK;
}

void queue_end_region(struct queue *queue) {
    assert(queue->in_region && !queue->in_sequence);
    queue->in_region = false;
}

enum tcplan_status queue_begin_sequence(struct queue *queue, struct tcplan_error *error) {
    assert(queue->in_region && !queue->in_sequence); /* a sequence is a part of a region */
    if (!add_piece(queue, error)) return TCPLAN_NO_MEMORY;
    queue->in_sequence = true;
    return TCPLAN_OK;
}

void queue_end_sequence(struct queue *queue) {
    assert(queue->in_sequence);
    queue->in_sequence = false;
}

int queue_length(const struct queue *queue) {
    return queue->units.count;
}

void queue_clear(struct queue *queue) {
    if (queue->given_up) return;
    queue->calls.count = queue->pieces.count = queue->units.count = queue->samples.count = 0;
    queue->in_region = queue->in_sequence = false;
    atomic_store(&queue->done, 0);
    queue->stopped_at = -1;
}

/* Running. One thread executes everything in this part, except the calls of regions. */

/** Reads the CPU time, and marks the samples since the last reading in which the thread may have
 * lost its core. */
static void look(struct queue *queue) {
    struct sample *samples = queue->samples.at;
    const uint64_t ticks = ticks_read();
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    const double wall_ns = (double)(ticks - queue->watched_ticks) / queue->hz * 1e9;
    const double had_ns = (double)(cpu_ns - queue->watched_ns);
    const int done = atomic_load_explicit(&queue->done, memory_order_relaxed);
    if (queue->options.threads <= 1 && clock_disturbed(wall_ns, had_ns)) {
        const double least = LOST_SHARE * (wall_ns - had_ns) * 1e-9 * queue->hz;
        for (int s = queue->watched; s < done; s++)
            samples[s].disturbed = (double)samples[s].ticks >= least;
    }
    assert(done >= queue->watched && done <= queue->units.count);
    queue->watched = done;
    queue->watched_ns = clock_thread_cpu_ns();
    queue->watched_ticks = ticks_read();
}

static void count_events(struct queue *queue, struct sample *sample) {
    const struct counter_source *source = queue->options.source;
    const struct counter_totals totals = counter_between(source, queue->before, queue->after);
    for (int c = 0; c < queue->options.counters; c++) {
        const enum counter_quantity quantity = queue->options.counter[c];
        sample->counter[c] = totals.known[quantity] ? totals.amount[quantity] : NAN;
        for (int e = 0; e < source->count;
             e++) { /* the event counts cache lines, converted to bytes here */
            if (quantity == COUNTER_MISSES && source->event[e].quantity == quantity)
                sample->counter[c] /= source->event[e].weight;
        }
    }
}

static bool read_counters(struct queue *queue, struct counter_reading *out) {
    if (!queue->options.source) return true;
    queue->status = counter_read(queue->options.source, out, &queue->error);
    return queue->status == TCPLAN_OK;
}

/** Makes the calls of a region on its threads. */
static struct dispatch_times run_pieces(const struct queue *queue, const struct unit *unit) {
    const struct piece *pieces = (const struct piece *)queue->pieces.at + unit->first;
    const struct call *const *calls = queue->calls.at;
    struct dispatch_times times;
    const int threads = queue->options.threads > 1 ? queue->options.threads : 1;
    (void)threads; /* the parameter is unused without OpenMP */
    times.begin = ticks_begin();
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)
#endif
    for (int p = 0; p < unit->count; p++) {
        for (int c = 0; c < pieces[p].count; c++) call_make(calls[pieces[p].first + c]);
    }
    times.end = ticks_end();
    return times;
}

static struct dispatch_times run_unit(const struct queue *queue, const struct unit *unit) {
    const struct piece *pieces = queue->pieces.at;
    if (!unit->is_region)
        return dispatch_timed(
            ((const struct call *const *)queue->calls.at)[pieces[unit->first].first]);
    const struct blas_threads before = blas_take_threads(1);
    const struct dispatch_times times = run_pieces(queue, unit);
    blas_put_threads_back(&before);
    return times;
}

static bool pivots_are_good(struct queue *queue, const struct unit *unit) {
    const struct call *const *calls = queue->calls.at;
    const struct piece *pieces = queue->pieces.at;
    for (int p = unit->first; p < unit->first + unit->count; p++) {
        for (int c = pieces[p].first; c < pieces[p].first + pieces[p].count; c++) {
            if (!calls[c]->pivots || call_pivots_are_good(calls[c])) continue;
            queue->status =
                error_set(&queue->error, TCPLAN_INVALID,
                          "the pivots that %s reads are not rows of its matrix (1 to %lld)",
                          calls[c]->routine.signature->name, (long long)calls[c]->pivot_most);
            return false;
        }
    }
    return true;
}

/** Runs one unit; returns false if the run must end before it. */
static bool run_next(struct queue *queue, int u) {
    const struct unit *unit = (const struct unit *)queue->units.at + u;
    struct sample *sample = (struct sample *)queue->samples.at + u;
    queue->stopped_at = unit->tag;
    if (atomic_load_explicit(&queue->stop, memory_order_relaxed) || !pivots_are_good(queue, unit))
        return false;
    if (!read_counters(queue, queue->before)) return false;
    if (queue->options.frequency) frequency_begin(queue->options.frequency);
    const struct dispatch_times times = run_unit(queue, unit);
    if (!read_counters(queue, queue->after)) return false;
    sample->tag = unit->tag;
    sample->ticks = times.end > times.begin ? times.end - times.begin
                                            : 1; /* a counter with a rate of 25 MHz may not advance
                                                    during a short call */
    if (queue->options.source) count_events(queue, sample);
    sample->hz = queue->options.frequency ? frequency_read(queue->options.frequency) : 0;
    atomic_store_explicit(&queue->done, u + 1, memory_order_release);
    if ((double)(times.end - queue->watched_ticks) > WATCH_SECONDS * queue->hz) look(queue);
    return true;
}

/** Starts the threads of parallel regions before the first region is timed. */
static void start_team(const struct queue *queue) {
    const struct unit *units = queue->units.at;
    bool has_region = false;
    for (int u = 0; u < queue->units.count; u++) has_region = has_region || units[u].is_region;
    if (!has_region || queue->options.threads <= 1) return;
#ifdef _OPENMP
#pragma omp parallel num_threads(queue->options.threads)
    { ticks_read(); }
#endif
}

static void run_all(struct queue *queue) {
    start_team(queue);
    if (queue->options.source) queue->status = counter_start(queue->options.source, &queue->error);
    if (queue->status != TCPLAN_OK) return;
    queue->watched_ns = clock_thread_cpu_ns();
    queue->watched_ticks = ticks_read();
    int u = 0;
    while (u < queue->units.count && run_next(queue, u)) u++;
    if (u == queue->units.count) queue->stopped_at = -1;
    look(queue);
    if (queue->options.source) counter_stop(queue->options.source, NULL);
}

static void *run_in_thread(void *context) {
    struct queue *queue = context;
    run_all(queue);
    pthread_mutex_lock(&queue->mutex);
    queue->finished = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

/** Waits for the end of the run; false if the limit passes first. */
static bool wait_for(struct queue *queue, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((seconds - whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&queue->mutex);
    while (!queue->finished && pthread_cond_timedwait(&queue->changed, &queue->mutex, &until) == 0)
        continue;
    const bool finished = queue->finished;
    pthread_mutex_unlock(&queue->mutex);
    return finished;
}

static enum tcplan_status refuse_time(const struct queue *queue, struct tcplan_error *error) {
    return error_set(error, TCPLAN_BUSY,
                     queue->given_up ? "a call has not returned within %.4g s"
                                     : "not all calls were made within %.4g s",
                     queue->options.limit_seconds);
}

/** Runs the queue in a thread of its own, which can be abandoned. */
static enum tcplan_status run_limited(struct queue *queue, struct tcplan_error *error) {
    pthread_t thread;
    queue->finished = false;
    if (pthread_create(&thread, NULL, run_in_thread, queue) != 0) {
        return error_set(error, TCPLAN_ENVIRONMENT,
                         "cannot start a thread for calls with a time limit");
    }
    bool finished = wait_for(queue, queue->options.limit_seconds);
    if (!finished) {
        atomic_store(&queue->stop, true);
        finished = wait_for(queue, GRACE_SECONDS);
        queue->given_up = !finished;
    }
    if (finished) {
        pthread_join(thread, NULL);
    } else {
        pthread_detach(thread);
    }
    return atomic_load(&queue->stop) && (queue->given_up || queue->stopped_at >= 0)
               ? refuse_time(queue, error)
               : TCPLAN_OK;
}

/** Allocates memory for all samples and writes to it, so that timed calls meet no new pages. */
static bool reserve_samples(struct queue *queue) {
    const size_t bytes = (size_t)queue->units.count * sizeof(struct sample);
    if (queue->samples.capacity < queue->units.count) {
        void *larger = base_realloc(queue->samples.at, bytes);
        if (!larger) return false;
        queue->samples.at = larger;
        queue->samples.capacity = queue->units.count;
    }
    if (bytes > 0) memset(queue->samples.at, 0, bytes);
    return true;
}

enum tcplan_status queue_run(struct queue *queue, const struct queue_options *options,
                             struct tcplan_error *error) {
    queue->options = *options;
    queue->status = TCPLAN_OK;
    queue->watched = 0;
    queue->stopped_at = -1;
    atomic_store(&queue->done, 0);
    atomic_store(&queue->stop, false);
    if (queue->given_up) return refuse_time(queue, error);
    if (queue->units.count == 0) return TCPLAN_OK;
    if (!reserve_samples(queue)) return error_no_memory(error);
    queue->hz = ticks_hz();
    enum tcplan_status status = TCPLAN_OK;
    if (options->limit_seconds > 0) {
        status = run_limited(queue, error);
    } else {
        run_all(queue);
    }
    if (status == TCPLAN_OK && queue->status != TCPLAN_OK) {
        status = queue->status;
        if (error) *error = queue->error;
    }
    queue->samples.count = atomic_load_explicit(&queue->done, memory_order_acquire);
    const double ns_per_tick = 1e9 / ticks_hz();
    struct sample *samples = queue->samples.at;
    for (int s = 0; s < queue->samples.count; s++)
        samples[s].ns = (double)samples[s].ticks * ns_per_tick;
    return status;
}

const struct sample *queue_samples(const struct queue *queue, int *count) {
    *count = queue->samples.count;
    return queue->samples.at;
}

int queue_stopped_at(const struct queue *queue) {
    return queue->stopped_at;
}

bool queue_given_up(const struct queue *queue) {
    return queue->given_up;
}
