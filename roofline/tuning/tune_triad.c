#include "roofline/tuning/tune_triad.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/timing/clock.h"
#include "roofline/kernels/kernels.h"
#include "roofline/timing/team.h"
#include "roofline/timing/workspace.h"

enum {
    VECTORS = 3,
    TIMES_THE_CACHES = 4,
    UNKNOWN_CACHE_BYTES = 1 << 26,
    LINE_BYTES = 64,
    SHIFT_LINES = 17,
    PATTERN_PERIOD = 61
};

/* The configurations. */

static void add_length(int64_t *length, int *count, int64_t bytes) {
    if (*count < TRIAD_MAX_LENGTHS) length[(*count)++] = bytes;
}

/** Returns the total capacity of the caches of a level that serve this many cores. */
static int64_t bytes_of(const struct tcplan_cache_level *cache, int cores, int sockets) {
    const int sharers = cache->shared_by > 0 ? cache->shared_by : 1;
    const int caches = (cores + sharers - 1) / sharers;
    return cache->size_bytes * (caches > sockets ? caches : sockets);
}

/** Chooses the lengths of vectors, as bytes of all vectors together, in ascending order; returns
 * their number. */
static int choose_lengths(struct triad_choices *out, int64_t length[TRIAD_MAX_LENGTHS],
                          const struct tcplan_machine *machine, const struct places *places,
                          bool in_memory, int64_t most) {
    const int sockets = places_sockets(places);
    const int caches = machine->cache_count;
    const int64_t last = caches > 0 ? bytes_of(&machine->cache[caches - 1], places->count, sockets)
                                    : UNKNOWN_CACHE_BYTES;
    const int64_t before =
        caches > 1 ? bytes_of(&machine->cache[caches - 2], places->count, sockets) : 0;
    int count = 0;
    if (in_memory) {
        out->wanted_bytes = TIMES_THE_CACHES * last;
        out->reduced = most < out->wanted_bytes;
        if (most < last)
            return 0; /* vectors that fit the available memory would fit the caches, too */
        add_length(length, &count, out->reduced ? most : out->wanted_bytes);
        if (most >= 2 * out->wanted_bytes) add_length(length, &count, 2 * out->wanted_bytes);
        return count;
    }
    const int64_t largest = last / 2 < most ? last / 2 : most;
    if (caches < 2 || last <= before) return 0;
    for (int64_t bytes = 2 * before; bytes < largest && count < TRIAD_MAX_LENGTHS - 1; bytes *= 2)
        add_length(length, &count, bytes);
    add_length(length, &count, largest);
    return count;
}

/** Chooses the numbers of threads: one, a quarter, a half and all, in ascending order without
 * duplicates; returns how many there are. */
static int choose_counts(int counts[TRIAD_MAX_COUNTS], int places) {
    const int wanted[TRIAD_MAX_COUNTS] = {1, (places + 3) / 4, (places + 1) / 2, places};
    int count = 0;
    for (int w = 0; w < TRIAD_MAX_COUNTS; w++) {
        if (count == 0 || wanted[w] > counts[count - 1]) counts[count++] = wanted[w];
    }
    return count;
}

static bool spread_is_close(const struct places *places, int threads) {
    int close[PLACES_MAX], spread[PLACES_MAX];
    places_choose(close, places, PLACE_CLOSE, threads);
    places_choose(spread, places, PLACE_SPREAD, threads);
    return memcmp(close, spread, (size_t)threads * sizeof *close) == 0;
}

/** Adds the affinities and placements of memory for one length and number of threads. */
static void add_choices(struct triad_choices *out, const struct places *places, int64_t bytes,
                        int threads) {
    const int64_t unit = (int64_t)threads * STREAM_BLOCK_ELEMS;
    const int64_t units = bytes / (TRIAD_ELEMENT_BYTES * unit);
    if (units == 0) return; /* the length is less than one block for each thread */
    const int affinities = spread_is_close(places, threads) ? 1 : 2;
    const int placements = places_nodes(places) > 1 ? 2 : 1;
    for (int a = 0; a < affinities; a++) {
        for (int p = 0; p < placements; p++) {
            out->choice[out->count++] =
                (struct triad_choice){.elements = units * unit,
                                      .threads = threads,
                                      .affinity = a == 0 ? PLACE_CLOSE : PLACE_SPREAD,
                                      .interleaved = p == 1};
        }
    }
}

void triad_choices_make(struct triad_choices *out, const struct tcplan_machine *machine,
                        const struct places *places, bool in_memory, int64_t most_bytes) {
    int64_t length[TRIAD_MAX_LENGTHS];
    int counts[TRIAD_MAX_COUNTS];
    *out = (struct triad_choices){0};
    const int lengths = choose_lengths(out, length, machine, places, in_memory, most_bytes);
    const int thread_counts = choose_counts(counts, places->count);
    for (int l = 0; l < lengths; l++) {
        for (int t = 0; t < thread_counts; t++) add_choices(out, places, length[l], counts[t]);
    }
}

/* Invocations. */

struct triad {
    const struct triad_run *run;
    const struct stream_kernel *kernel;
    struct team *team;
    char **region;  /* region of each thread: its parts of the vectors, one after the other */
    size_t bytes;   /* bytes of a thread's region */
    int64_t window; /* number of the next window */
};

/** Returns a thread's part of a vector. The vectors begin on different cache lines of a page. */
static double *vector_of(const struct triad *triad, int thread, int vector) {
    const size_t part = triad->bytes / VECTORS / LINE_BYTES * LINE_BYTES;
    return (double *)(void *)(triad->region[thread] + (size_t)vector * part);
}

static int64_t part_elements(const struct triad *triad) {
    return triad->run->choice.elements / triad->run->choice.threads;
}

static bool fill(void *context, int thread, int64_t window) {
    const struct triad *triad = context;
    double *at = (double *)(void *)triad->region[thread];
    (void)window;
    for (size_t i = 0; i < triad->bytes / sizeof *at; i++) at[i] = (double)(1 + i % PATTERN_PERIOD);
    return true;
}

static bool pass(void *context, int thread, int64_t window) {
    const struct triad *triad = context;
    const struct stream stream = {.a = vector_of(triad, thread, 0),
                                  .b = vector_of(triad, thread, 1),
                                  .c = vector_of(triad, thread, 2),
                                  .s = 3,
                                  .elems = part_elements(triad),
                                  .passes = 1};
    (void)window;
    triad->kernel->run(&stream);
    return true;
}

static const struct stream_kernel *find_kernel(void) {
    const struct kernel_set *set[KERNEL_SETS];
    kernels_choose(set);
    for (int k = 0; set[0] && k < set[0]->stream_count; k++) {
        if (set[0]->stream[k].operation == STREAM_TRIAD) return &set[0]->stream[k];
    }
    return NULL;
}

static void end(void *context) {
    struct triad *triad = context;
    for (int t = 0; triad->region && t < triad->run->choice.threads; t++) {
        if (triad->region[t]) munmap(triad->region[t], triad->bytes);
    }
    base_free(triad->region);
    triad->region = NULL;
    team_free(triad->team);
    triad->team = NULL;
}

static enum tcplan_status map(struct triad *triad, struct tcplan_error *error) {
    const struct triad_choice *choice = &triad->run->choice;
    triad->bytes =
        VECTORS * ((size_t)part_elements(triad) * sizeof(double) + SHIFT_LINES * LINE_BYTES);
    triad->region = base_alloc((size_t)choice->threads * sizeof *triad->region);
    if (!triad->region) return error_no_memory(error);
    memset(triad->region, 0, (size_t)choice->threads * sizeof *triad->region);
    for (int t = 0; t < choice->threads; t++) {
        triad->region[t] = workspace_map(triad->bytes, false);
        if (!triad->region[t]) return error_no_memory(error);
        if (choice->interleaved && !places_interleave(triad->region[t], triad->bytes)) {
            return error_set(error, TCPLAN_NOT_APPLICABLE,
                             "the system does not interleave memory over its nodes");
        }
    }
    return TCPLAN_OK;
}

static enum tcplan_status begin(void *context, struct tcplan_error *error) {
    struct triad *triad = context;
    const int threads = triad->run->choice.threads;
    enum tcplan_status status = team_new(&triad->team, threads, triad->run->processor, error);
    if (status == TCPLAN_OK) status = map(triad, error);
    if (status != TCPLAN_OK) {
        end(triad);
        return status;
    }
    team_run(triad->team, threads, fill, triad);
    team_run(triad->team, threads, pass, triad);
    return TCPLAN_OK;
}

static struct autotune_sample iterate(void *context) {
    struct triad *triad = context;
    double seconds = 0;
    struct team_series series = {
        .first = triad->window++, .warm = true, .wanted = 1, .attempts = 1, .seconds = &seconds};
    team_time(triad->team, triad->run->choice.threads, pass, triad, &series);
    if (series.counted == 0) return (struct autotune_sample){.disturbed = true};
    return (struct autotune_sample){.value = 1e-9 * TRIAD_ELEMENT_BYTES *
                                             (double)triad->run->choice.elements / seconds};
}

static uint64_t now_ns(void *context) {
    (void)context;
    return clock_now_ns();
}

enum tcplan_status triad_invoke(struct autotune_invocation *out, const struct triad_run *run,
                                const struct stop_rules *rules, double best,
                                struct tcplan_error *error) {
    struct triad triad = {.run = run, .kernel = find_kernel()};
    const struct autotune_benchmark benchmark = {
        .context = &triad, .begin = begin, .iterate = iterate, .end = end, .now_ns = now_ns};
    if (!triad.kernel)
        return error_set(error, TCPLAN_ENVIRONMENT, "there is no triad kernel for this processor");
    return autotune_invoke(out, &benchmark, rules, best, error);
}
