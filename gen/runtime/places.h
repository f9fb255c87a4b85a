/*
 * Binds cooperating threads to processors. A system may run a woken thread next to its waker, even
 * if other processors are idle. So the processors available to the caller are divided into shares
 * of neighbours, one for each thread, within which the system may move the thread. The caller
 * itself is not bound: if it has moved to another thread's share, that thread gets the caller's
 * former share. Nothing is divided if there are fewer processors than threads, or on systems other
 * than Linux.
 */
#include <sched.h>
#include <stdatomic.h>

enum { PLACES_PROCESSORS = 4096 }; /* maximum number of processors */

struct places {
    int threads;                  /* number of threads with shares; 0: none */
    int owned[PLACES_PROCESSORS]; /* share of each thread, the caller's first */
    int share[PLACES_PROCESSORS]; /* share that each processor belongs to; -1: none */
};

#if defined(__linux__)
#include <sys/syscall.h>

enum { PLACES_BITS = 8 * (int)sizeof(unsigned long) };

/* declared here, as the C library declares it only on request */
#ifndef CPU_ZERO /* <sched.h> does not define it without _GNU_SOURCE */
int sched_getcpu(void);
#endif
long syscall(long, ...);

/* Returns the system's id of the calling thread; 0: unknown. */
static int places_thread(void) {
    return (int)syscall(SYS_gettid);
}

static int places_has(const unsigned long mask[], int processor) {
    return (int)(mask[processor / PLACES_BITS] >> processor % PLACES_BITS & 1);
}

static void places_bind(const struct places *places, int thread, int share) {
    unsigned long mask[PLACES_PROCESSORS / PLACES_BITS] = {0};
    for (int p = 0; p < PLACES_PROCESSORS; p++) {
        if (places->share[p] == share) mask[p / PLACES_BITS] |= 1ul << p % PLACES_BITS;
    }
    syscall(SYS_sched_setaffinity, thread, sizeof mask, mask);
}

/* Divides the processors available to the caller into `threads` shares; sets no shares if there
 * are too few. */
static void places_deal(struct places *places, int threads) {
    unsigned long mask[PLACES_PROCESSORS / PLACES_BITS] = {0};
    int allowed = 0, before = 0;
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) mask[0] = 0;
    for (int p = 0; p < PLACES_PROCESSORS; p++) allowed += places_has(mask, p);
    for (int p = 0; p < PLACES_PROCESSORS; p++) {
        const int is_allowed = allowed >= threads && places_has(mask, p);
        places->share[p] = is_allowed ? before++ * threads / allowed : -1;
    }
}

/* Gives a share to each of `threads` threads, including the caller. `thread[t]` is places_thread()
 * of thread t, from 1 on; 0: it has not started, and no thread is bound yet. */
static void places_take(struct places *places, int threads, atomic_int *thread) {
    const int processor = sched_getcpu();
    if (processor < 0 || processor >= PLACES_PROCESSORS || threads > PLACES_PROCESSORS) return;
    if (places->threads == threads && places->share[processor] == places->owned[0]) return;
    for (int t = 1; t < threads; t++) {
        if (atomic_load(&thread[t]) == 0) return;
    }
    const int is_known = places->threads == threads && places->share[processor] >= 0;
    if (!is_known) places_deal(places, threads);
    const int own = places->share[processor];
    places->threads = own >= 0 ? threads : 0;
    if (own < 0) return;
    for (int t = 1; t < threads; t++) {
        const int had = places->owned[t];
        if (is_known && had != own) continue;
        places->owned[t] = is_known ? places->owned[0] : t <= own ? t - 1 : t;
        places_bind(places, atomic_load(&thread[t]), places->owned[t]);
    }
    places->owned[0] = own;
}
#else
static int places_thread(void) {
    return 0;
}

static void places_take(struct places *places, int threads, atomic_int *thread) {
    (void)places, (void)threads, (void)thread;
}
#endif
