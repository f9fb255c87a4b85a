#include "tcplan/region.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "roofline/regions/board.h"
#include "roofline/regions/list.h"

enum { MOST_OPEN = 64, NO_REGION = -1 };

/** A region of this process. */
struct region {
    struct board_slot *slot;
    int inside;     /* number of threads in the region */
    double entered; /* time at which the first thread in the region entered it */
    bool is_read;   /* whether `before` could be read */
    struct counter_reading before[COUNTER_MAX_EVENTS]; /* the machine's counters at the time
                                                          `entered` */
};

/** A call of tcplan_region_begin() for which the end is still missing. */
struct open {
    int region;
    bool is_inner; /* whether the thread was already in the region */
    bool is_read;  /* whether `before` could be read */
    struct counter_reading before[COUNTER_MAX_EVENTS];
};

/** State of a thread; freed when the thread ends. */
struct thread {
    struct counter_source *source; /* counters of the thread */
    int depth; /* number of open begins; those beyond MOST_OPEN are not measured */
    struct open open[MOST_OPEN];
    bool was_in[BOARD_SLOTS];
};

/** State of the process. The lock protects all members except `state` and the board. */
static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_key_t key;
    atomic_int state;
    struct board *board;
    struct counter_source *machine; /* counters of the machine; NULL: not opened yet */
    int regions;
    struct region region[BOARD_SLOTS];
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

enum state { STATE_UNKNOWN, STATE_OFF, STATE_ON };

static _Thread_local struct thread *this_thread;

/* Setup. */

/** Frees a thread's state when the thread ends. For regions that the thread left open, no end by
 * this thread is expected, and its work in them is not counted. */
static void free_thread(void *memory) {
    struct thread *thread = memory;
    this_thread = NULL;
    pthread_mutex_lock(&recorder.lock);
    for (int o = 0; o < thread->depth && o < MOST_OPEN; o++) {
        if (thread->open[o].region != NO_REGION) recorder.region[thread->open[o].region].inside--;
    }
    pthread_mutex_unlock(&recorder.lock);
    counter_close(thread->source);
    base_free(thread);
}

/** Resets the state in a forked process, which has its own slots and counters and is in no region.
 */
static void forget(void) {
    pthread_mutex_init(&recorder.lock, NULL);
    if (this_thread) free_thread(this_thread);
    counter_close(recorder.machine);
    recorder.machine = NULL;
    recorder.regions = 0;
    pthread_setspecific(recorder.key, NULL);
}

static void set_up(void) {
    pthread_key_create(&recorder.key, free_thread);
    pthread_atfork(NULL, NULL, forget);
}

/** Returns the board shared with the command; NULL if this program is not measured. */
static struct board *shared_board(void) {
    const char *text = getenv(BOARD_VARIABLE);
    struct stat status;
    char *end;
    if (!text || *text < '0' || *text > '9') return NULL;
    const long descriptor = strtol(text, &end, 10);
    if (*end || descriptor > 1 << 20 || fstat((int)descriptor, &status) != 0 ||
        status.st_size < (off_t)sizeof(struct board))
        return NULL;
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, (int)descriptor, 0);
    if (board == MAP_FAILED) return NULL;
    if (board->magic == BOARD_MAGIC && board->bytes == sizeof *board) return board;
    munmap(board, sizeof *board);
    return NULL;
}

/** Returns whether regions are measured. The first call determines this. */
static bool is_on(void) {
    const int state = atomic_load_explicit(&recorder.state, memory_order_acquire);
    if (state != STATE_UNKNOWN) return state == STATE_ON;
    pthread_mutex_lock(&recorder.lock);
    if (atomic_load(&recorder.state) == STATE_UNKNOWN) {
        recorder.board = shared_board();
        atomic_store(&recorder.state, recorder.board ? STATE_ON : STATE_OFF);
    }
    pthread_mutex_unlock(&recorder.lock);
    return atomic_load(&recorder.state) == STATE_ON;
}

/** Opens and starts a source of counts. If that fails, returns a source that counts nothing and has
 * the reason; NULL if out of memory. */
static struct counter_source *open_source(unsigned quantities) {
    const struct counter_target target = {.quantities = quantities};
    struct counter_source *source = NULL;
    struct tcplan_error error = {0};
    if (counter_open(&source, recorder.board->source, &target, &error) != TCPLAN_OK)
        source = counter_none(error.message);
    if (source && counter_start(source, &error) != TCPLAN_OK) {
        counter_close(source);
        source = counter_none(error.message);
    }
    return source;
}

/** Records on the board why counts are missing, only once for each quantity, because the reasons
 * are the same for all threads. */
static void report_reasons(const struct counter_source *source, unsigned quantities) {
    struct board *board = recorder.board;
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        if (quantities & 1U << q && !board->why_not[q][0])
            snprintf(board->why_not[q], COUNTER_REASON, "%s", source->why_not[q]);
    }
    snprintf(board->class, sizeof board->class, "%s", source->class->name);
    atomic_store(&board->has_reasons, 1);
}

/** Returns the calling thread's state, with its source open; NULL if out of memory. */
static struct thread *enter_thread(void) {
    if (this_thread) return this_thread;
    pthread_once(&recorder.once, set_up);
    struct thread *thread = base_alloc_zero(1, sizeof *thread);
    if (!thread) return NULL;
    thread->source = open_source(COUNTER_OF_THREADS);
    if (!thread->source) {
        base_free(thread);
        return NULL;
    }
    pthread_setspecific(recorder.key, thread);
    pthread_mutex_lock(&recorder.lock);
    report_reasons(thread->source, COUNTER_OF_THREADS);
    if (!recorder.machine && (recorder.machine = open_source(COUNTER_OF_MACHINE)))
        report_reasons(recorder.machine, COUNTER_OF_MACHINE);
    pthread_mutex_unlock(&recorder.lock);
    return this_thread = thread;
}

static bool read_counters(struct counter_source *source, struct counter_reading *out) {
    return source && counter_read(source, out, NULL) == TCPLAN_OK;
}

/* Regions. The caller holds the lock. */

static bool is_called(int region, const char *name) {
    return strncmp(recorder.region[region].slot->name, name, TCPLAN_REGION_NAME - 1) == 0;
}

static int find_region(const char *name) {
    for (int r = 0; r < recorder.regions; r++) {
        if (is_called(r, name)) return r;
    }
    return NO_REGION;
}

static int find_or_claim(const char *name) {
    const int found = find_region(name);
    if (found != NO_REGION || recorder.regions == BOARD_SLOTS) return found;
    struct board_slot *slot = board_claim(recorder.board, name);
    if (!slot) return NO_REGION;
    recorder.region[recorder.regions] = (struct region){.slot = slot};
    return recorder.regions++;
}

static bool is_in(const struct thread *thread, int region) {
    for (int o = 0; o < thread->depth && o < MOST_OPEN; o++) {
        if (thread->open[o].region == region) return true;
    }
    return false;
}

/** Makes a thread enter a region. The first thread starts the clock and the machine's counters. */
static void enter(struct thread *thread, int number) {
    struct region *region = &recorder.region[number];
    region->slot->calls++;
    region->slot->open++;
    if (!thread->was_in[number]) region->slot->threads++;
    thread->was_in[number] = true;
    if (region->inside++ > 0) return;
    region->is_read = read_counters(recorder.machine, region->before);
    region->entered = monotonic_seconds();
}

/** Adds to a sum the counts of a source for the given quantities, and 0 for all other
 * quantities. */
static void add_part(struct counter_totals *sum, const struct counter_source *source,
                     unsigned quantities, const struct counter_reading *from,
                     const struct counter_reading *to, bool is_read) {
    struct counter_totals part =
        is_read ? counter_between(source, from, to) : (struct counter_totals){0};
    for (int q = 0; q < COUNTER_QUANTITIES; q++) {
        if (quantities & 1U << q) continue;
        part.known[q] = true;
        part.amount[q] = 0;
        part.share[q] = 1;
    }
    counter_add(sum, &part);
}

/**
 * Makes a thread leave a region. The last thread stops the clock.
 *
 * @param now  the thread's counters; NULL: they could not be read
 */
static void leave(struct thread *thread, const struct open *open, const struct counter_reading *now,
                  double seconds) {
    struct region *region = &recorder.region[open->region];
    region->slot->open--;
    struct counter_totals *totals = &region->slot->totals;
    if (!open->is_inner)
        add_part(totals, thread->source, COUNTER_OF_THREADS, open->before, now,
                 now && open->is_read);
    if (--region->inside > 0) return;
    struct counter_reading machine[COUNTER_MAX_EVENTS];
    region->slot->seconds += seconds - region->entered;
    const bool is_read = read_counters(recorder.machine, machine) && region->is_read;
    add_part(totals, recorder.machine, COUNTER_OF_MACHINE, region->before, machine, is_read);
}

/* The two public functions. */

void tcplan_region_begin(const char *name) {
    if (!is_on() || !name) return;
    struct thread *thread = enter_thread();
    if (!thread) return;
    if (thread->depth >= MOST_OPEN) {
        thread->depth++;
        return;
    }
    struct open *open = &thread->open[thread->depth];
    pthread_mutex_lock(&recorder.lock);
    const int region = find_or_claim(name);
    open->region = region;
    open->is_inner = region != NO_REGION && is_in(thread, region);
    if (region != NO_REGION) enter(thread, region);
    pthread_mutex_unlock(&recorder.lock);
    thread->depth++;
    /* The counters are read at the end, so that the work of this function is not counted. */
    open->is_read = read_counters(thread->source, open->before);
}

static void report_lost(const char *name) {
    struct board *board = recorder.board;
    if (atomic_exchange(&board->has_lost_name, 1) == 0)
        snprintf(board->lost_name, sizeof board->lost_name, "%s", name ? name : "");
    atomic_fetch_add(&board->lost_ends, 1);
}

/** Returns the number of the latest begin of a name; negative if there is none. */
static int find_open(const struct thread *thread, const char *name) {
    for (int o = thread->depth - 1; o >= 0; o--) {
        if (thread->open[o].region == NO_REGION) continue;
        if (is_called(thread->open[o].region, name)) return o;
    }
    return -1;
}

/** Returns the number of the latest begin of a region without a slot; negative if there is none. */
static int find_unnamed(const struct thread *thread) {
    int o = thread->depth - 1;
    while (o >= 0 && thread->open[o].region != NO_REGION) o--;
    return o;
}

void tcplan_region_end(const char *name) {
    if (!is_on()) return;
    struct counter_reading now[COUNTER_MAX_EVENTS];
    struct thread *thread = this_thread;
    /* The counters are read at the beginning, so that the work of this function is not counted. */
    const bool is_read = thread && read_counters(thread->source, now);
    const double seconds = monotonic_seconds();
    if (thread && thread->depth > MOST_OPEN) {
        thread->depth--;
        return;
    }
    pthread_mutex_lock(&recorder.lock);
    int o = thread && name ? find_open(thread, name) : -1;
    if (o < 0 && thread && name && find_region(name) == NO_REGION) o = find_unnamed(thread);
    if (o < 0) {
        report_lost(name);
    } else {
        if (thread->open[o].region != NO_REGION)
            leave(thread, &thread->open[o], is_read ? now : NULL, seconds);
        thread->depth--;
        memmove(&thread->open[o], &thread->open[o + 1],
                (size_t)(thread->depth - o) * sizeof *thread->open);
    }
    pthread_mutex_unlock(&recorder.lock);
}

/** Opens a source of counts and closes it, so that errors in files of counts are reported. */
static enum tcplan_status check_source(const char *counters, struct tcplan_error *error) {
    struct counter_source *source = NULL;
    const enum tcplan_status status =
        counter_open(&source, counters, &(struct counter_target){0}, error);
    if (status == TCPLAN_OK) counter_close(source);
    return status;
}

enum tcplan_status tcplan_region_measure(const char *counters, struct tcplan_error *error) {
    if (is_on())
        return error_set(error, TCPLAN_BUSY, "regions are already measured by %s",
                         getenv(BOARD_VARIABLE) ? "the program's parent" : "this program");
    if (strlen(counters) >= BOARD_SOURCE)
        return error_set(error, TCPLAN_INVALID, "the name of the counts is longer than %d bytes",
                         BOARD_SOURCE - 1);
    const enum tcplan_status status = check_source(counters, error);
    if (status != TCPLAN_OK) return status;
    struct board *board = base_alloc_zero(1, sizeof *board);
    if (!board) return error_no_memory(error);
    board_begin(board, counters);
    pthread_mutex_lock(&recorder.lock);
    recorder.board = board;
    atomic_store(&recorder.state, STATE_ON);
    pthread_mutex_unlock(&recorder.lock);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_region_results(struct tcplan_regions **out, struct tcplan_error *error) {
    if (!is_on()) return TCPLAN_NOT_APPLICABLE;
    struct tcplan_regions *regions = regions_new("none");
    if (!regions) return error_no_memory(error);
    pthread_mutex_lock(&recorder.lock);
    if (recorder.board->class[0])
        snprintf(regions->source, sizeof regions->source, "%s", recorder.board->class);
    const bool is_read = board_read(regions, recorder.board);
    pthread_mutex_unlock(&recorder.lock);
    if (!is_read) {
        tcplan_regions_free(regions);
        return error_no_memory(error);
    }
    *out = regions;
    return TCPLAN_OK;
}
