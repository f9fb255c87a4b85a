/*
 * Threads that execute the parts of a function together. Each thread takes parts that no thread
 * has taken, its own first. The caller executes all parts if no other thread is ready in time, for
 * example on a busy machine; it waits only for parts that were begun. A program has one team; a
 * caller that finds it in use executes all parts itself. Threads of the team wait actively for
 * about as long as a wake-up takes, then sleep. Include places.h first.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__GNUC__)
#define TEAM_ONE __attribute__((weak)) /* one definition for all emitted files of a program */
void tcplan_end_team(void) __attribute__((weak, destructor));
#else
#define TEAM_ONE static
static void tcplan_end_team(void);
#endif

enum {
    TEAM_THREADS = 4096,    /* maximum number of threads, and most parts of a section */
    TEAM_ACTIVE_NS = 50000, /* about the time that a system takes to wake a thread */
    TEAM_ROUNDS = 1000 /* checks of an actively waiting thread between two calls of sched_yield() */
};

/* A part: the numbers of the sections in which a thread last took it, and last completed it. */
struct team_part {
    _Alignas(64) _Atomic uint64_t taken;
    _Atomic uint64_t done;
};

struct team_member;
typedef void team_function(struct team_member *member, void *context);

struct team {
    atomic_int is_at_work;
    _Atomic uint64_t open; /* number of the first section of the current function; 0: no function */
    atomic_int joined;     /* number of threads that execute the function, without the caller */
    atomic_int sleeping;
    atomic_int ends;
    uint64_t section; /* number of the last section */
    team_function *function;
    void *context;
    int threads; /* number of threads that the function may use */
    int count;   /* number of started threads, without the caller */
    int knows_forks;
    pthread_t thread[TEAM_THREADS];
    atomic_int begun[TEAM_THREADS]; /* result of places_thread() for each thread; 0: the thread was
                                       not started */
    struct places places;
    pthread_mutex_t mutex; /* protects sleeping and waking */
    pthread_cond_t wake;
    struct team_part part[TEAM_THREADS];
};

TEAM_ONE struct team tcplan_team_2 = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                                      .wake = PTHREAD_COND_INITIALIZER};

/* A thread's progress in a function: all threads execute the same sections in the same order. */
struct team_member {
    int number;
    int is_alone;
    uint64_t section;
};

static inline void team_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void team_await(const struct team_part *part, uint64_t section) {
    for (int round = 0; atomic_load_explicit(&part->done, memory_order_acquire) < section;
         round++) {
        if (round < TEAM_ROUNDS) {
            team_pause();
        } else {
            sched_yield();
        }
    }
}

/* Takes a part; returns 0 if another thread has taken it. */
static int team_take(struct team_part *part, uint64_t section) {
    uint64_t before = atomic_load_explicit(&part->taken, memory_order_relaxed);
    return before < section && atomic_compare_exchange_strong(&part->taken, &before, section);
}

/*
 * Returns the next part to execute in a section of `parts` parts, after `before`, the part just
 * completed (or -1). Returns -1 when threads have completed all parts. If other threads are
 * already in later sections, all parts are complete.
 */
static ptrdiff_t team_next(struct team_member *member, int parts, ptrdiff_t before) {
    struct team_part *part = tcplan_team_2.part;
    if (member->is_alone) return before + 1 < parts ? before + 1 : -1;
    if (before < 0) {
        member->section++;
    } else {
        atomic_store_explicit(&part[before].done, member->section, memory_order_release);
    }
    for (int p = 0; p < parts; p++) {
        const int own = (member->number + p) % parts;
        if (team_take(&part[own], member->section)) return own;
    }
    for (int p = 0; p < parts; p++) team_await(&part[p], member->section);
    return -1;
}

static int64_t team_now_ns(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits for a new function, actively at first. */
static void team_await_work(struct team *team, uint64_t seen) {
    const int64_t start_ns = team_now_ns();
    int64_t waited_ns = 0;
    while (waited_ns >= 0 && waited_ns < TEAM_ACTIVE_NS) {
        const uint64_t open = atomic_load(&team->open);
        if ((open != 0 && open != seen) || atomic_load(&team->ends)) return;
        team_pause();
        waited_ns = team_now_ns() - start_ns;
    }
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        atomic_fetch_add(&team->sleeping, 1);
        const uint64_t open = atomic_load(&team->open);
        if ((open != 0 && open != seen) || atomic_load(&team->ends)) break;
        pthread_cond_wait(&team->wake, &team->mutex);
    }
    atomic_fetch_sub(&team->sleeping, 1);
    pthread_mutex_unlock(&team->mutex);
}

static void team_wake(struct team *team) {
    if (atomic_load(&team->sleeping) == 0) return;
    pthread_mutex_lock(&team->mutex);
    atomic_store(&team->sleeping, 0);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
}

/* A thread of the team: executes functions until the team ends; `number` is its number. */
static void *team_thread(void *number) {
    struct team *team = &tcplan_team_2;
    struct team_member member = {.number = (int)(intptr_t)number};
    uint64_t seen = 0;
    atomic_store(&team->begun[member.number], places_thread());
    while (!atomic_load(&team->ends)) {
        atomic_fetch_add(&team->joined, 1);
        const uint64_t open = atomic_load(&team->open);
        if (open != 0 && open != seen && member.number < team->threads) {
            member.section = open - 1;
            team->function(&member, team->context);
        }
        atomic_fetch_sub(&team->joined, 1);
        if (open != 0) seen = open;
        team_await_work(team, seen);
    }
    return NULL;
}

/* Called in the child after a fork, where the other threads do not exist. */
static void team_forget(void) {
    struct team *team = &tcplan_team_2;
    while (team->count > 0) atomic_store(&team->begun[team->count--], 0);
    team->places.threads = 0;
    team->section += UINT64_C(1) << 32; /* above the numbers of all sections of the parent */
    atomic_store(&team->open, 0);
    atomic_store(&team->joined, 0);
    atomic_store(&team->sleeping, 0);
    atomic_store(&team->is_at_work, 0);
    team->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    team->wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/* Starts further threads, up to `threads` in total, or as many as the system permits. */
static void team_grow(struct team *team, int threads) {
    if (!team->knows_forks) team->knows_forks = pthread_atfork(NULL, NULL, team_forget) == 0;
    while (team->count + 1 < threads) {
        if (pthread_create(&team->thread[team->count], NULL, team_thread,
                           (void *)(intptr_t)(team->count + 1)) != 0)
            return;
        team->count++;
    }
}

/* Runs a function in the calling thread, as number 0, and in up to `threads` - 1 others, all with
 * the same context. */
static void team_run(int threads, team_function *function, void *context) {
    struct team *team = &tcplan_team_2;
    struct team_member member = {.is_alone = threads < 2 || threads > TEAM_THREADS ||
                                             atomic_exchange(&team->is_at_work, 1)};
    if (member.is_alone) {
        function(&member, context);
        return;
    }
    team_grow(team, threads);
    if (team->count + 1 >= threads) places_take(&team->places, threads, team->begun);
    team->function = function;
    team->context = context;
    team->threads = threads;
    member.section = team->section;
    atomic_store(&team->open, team->section + 1);
    team_wake(team);
    function(&member, context);
    atomic_store(&team->open, 0);
    for (int round = 0; atomic_load(&team->joined) > 0; round++) {
        if (round < TEAM_ROUNDS) {
            team_pause();
        } else {
            sched_yield();
        }
    }
    team->section = member.section;
    atomic_store(&team->is_at_work, 0);
}

/* Ends the team's threads; called when the program ends or the library is unloaded. */
void tcplan_end_team(void) {
    struct team *team = &tcplan_team_2;
    while (atomic_exchange(&team->is_at_work, 1)) sched_yield();
    atomic_store(&team->ends, 1);
    team_wake(team);
    for (; team->count > 0; team->count--) {
        pthread_join(team->thread[team->count - 1], NULL);
        atomic_store(&team->begun[team->count],
                     0); /* set once more, as a thread may have started just now */
    }
    team->places.threads = 0;
    atomic_store(&team->ends, 0);
    atomic_store(&team->is_at_work, 0);
}
