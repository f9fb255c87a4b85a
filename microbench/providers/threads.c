#include "microbench/providers/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "microbench/providers/blas.h"
#include "microbench/providers/symbol.h"

/* Maximum number of loans at a time; further borrowers use the present number of threads. */
enum { MOST_LOANS = 256 };

struct loan {
    uint64_t ticket;
    int threads;
};

/** The loans of a provider, the latest last. */
struct loans {
    atomic_int count; /* number of loans; changed while the lock is held */
    struct provider_threads before;
    struct loan loan[MOST_LOANS];
};

static struct loans loans_of[TCPLAN_PROVIDERS];
static uint64_t last_ticket;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Whether this process was forked after a library with GNU OpenMP was opened. GNU OpenMP keeps the
 * threads of a parallel region for the next region of the same thread. After a fork, the thread
 * that forked still counts these threads, but they do not exist, so its next region of more than
 * one thread would wait forever. libgomp's documentation leaves regions after a fork undefined.
 * Calls therefore use one thread in such a process.
 */

static atomic_bool is_forked;

/** Runs in the child of a fork: forgets the loans of threads that no longer exist. */
static void forget_threads(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (int p = 0; p < TCPLAN_PROVIDERS; p++) atomic_store(&loans_of[p].count, 0);
    atomic_store(&is_forked, true);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget_threads);
}

bool threads_die_in_forks(void *library) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void (*parallel)(void);
    const bool uses_openmp = symbol_find(library, "GOMP_parallel", &parallel);
    if (uses_openmp) pthread_once(&once, watch_forks);
    return uses_openmp;
}

int64_t threads_after_fork(int64_t threads) {
    return threads > 1 && atomic_load_explicit(&is_forked, memory_order_relaxed) ? 1 : threads;
}

/* Loans. */

static bool has_threads(enum tcplan_provider provider, int threads) {
    const struct provider_threads now = provider_of(provider)->threads(provider);
    return now.is_open && now.own == threads && threads_after_fork(now.own) == now.own;
}

uint64_t provider_borrow_threads(enum tcplan_provider provider, int threads) {
    const struct provider *own = provider_of(provider);
    struct loans *loans = &loans_of[provider];
    uint64_t ticket = 0;
    if (!own->set_threads) return 0;
    if (atomic_load_explicit(&loans->count, memory_order_acquire) == 0 &&
        has_threads(provider, threads))
        return 0;
    pthread_mutex_lock(&lock);
    const int count = atomic_load_explicit(&loans->count, memory_order_relaxed);
    if (count < MOST_LOANS) {
        if (count == 0) loans->before = own->threads(provider);
        loans->loan[count] = (struct loan){.ticket = ticket = ++last_ticket, .threads = threads};
        atomic_store_explicit(&loans->count, count + 1, memory_order_release);
        own->set_threads(provider, threads);
    }
    pthread_mutex_unlock(&lock);
    return ticket;
}

/** Restores the number of threads that a provider had before all loans; a provider that was
 * opened since then gets the BLAS's number. */
static void put_back(enum tcplan_provider provider) {
    const struct provider *own = provider_of(provider);
    const struct provider_threads before = loans_of[provider].before;
    if (!before.is_open) own->set_threads(provider, blas_threads());
    own->put_back(provider, before);
}

void provider_return_threads(enum tcplan_provider provider, uint64_t ticket) {
    struct loans *loans = &loans_of[provider];
    if (ticket == 0) return;
    pthread_mutex_lock(&lock);
    const int count = atomic_load_explicit(&loans->count, memory_order_relaxed);
    int place = count - 1;
    while (place > 0 && loans->loan[place].ticket != ticket) place--;
    memmove(&loans->loan[place], &loans->loan[place + 1],
            (size_t)(count - 1 - place) * sizeof *loans->loan);
    atomic_store_explicit(&loans->count, count - 1, memory_order_release);
    if (count == 1) {
        put_back(provider);
    } else if (place == count - 1) {
        provider_of(provider)->set_threads(provider, loans->loan[count - 2].threads);
    }
    pthread_mutex_unlock(&lock);
}
