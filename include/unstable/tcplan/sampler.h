/**
 * The Sampler: times calls of BLAS and LAPACK routines, given in lines of text (Peise,
 * dissertation, section 2.2.1; docs/sampler.md has the whole language).
 *
 *   struct tcplan_sampler *sampler;
 *   struct tcplan_sampler_options options = tcplan_sampler_defaults();
 *   options.sample = take;                                      receives a sample for each call
 *   tcplan_sampler_open(&sampler, &options, &error);
 *   tcplan_sampler_line(sampler, "dgemm N N 100 100 100 1 [10000] 100 [10000] 100 0 [10000] 100",
 *   &error);
 *   tcplan_sampler_go(sampler, &error);
 *   tcplan_sampler_close(sampler);
 *
 * Only one thread at a time may use a sampler. While it is open, it controls the number of threads
 * of the BLAS. It never prints, exits or reads the environment.
 */
#ifndef TCPLAN_SAMPLER_H
#define TCPLAN_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/binding.h"
#include "tcplan/export.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_SAMPLE_COUNTERS = 4 };

/** Measurements of one call, or of one parallel region as a whole. Texts are valid until the next
 * line is read. */
struct tcplan_call_sample {
    size_t line;        /**< line of the call, or of the `{omp` that begins the region */
    const char *kernel; /**< name of the routine as written, `dgemm@blis`; `omp` for a region */
    int calls;          /**< number of calls: 1, or the number in the region */
    uint64_t cycles;    /**< cycles of the processor's counter of constant rate (x86: the time-stamp
                           counter) */
    double seconds;     /**< the sample's time in seconds */
    double flops; /**< operations of the call, or of all calls in the region, by their signatures */
    double hz;    /**< frequency of the core after the call in Hz, as the system reports it; 0: the
                     system does not report it, or there are several threads */
    bool disturbed; /**< whether the thread may have lost its core during this call; always false
                       with several threads, where this is unknown */
    int counters;   /**< number of counters selected by `set_counters` */
    const char *counter_name[TCPLAN_SAMPLE_COUNTERS];
    bool counted[TCPLAN_SAMPLE_COUNTERS];   /**< for each counter: whether the system counts its
                                               events */
    double counter[TCPLAN_SAMPLE_COUNTERS]; /**< number of events during the call; for the counter
                                               `flops`, operations */
};

struct tcplan_sampler_options {
    int threads; /**< number of threads of the libraries; in a parallel region, number of threads
                    that run calls, each with one thread of the libraries */
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: not bound
                                    */
    bool no_warm_up; /**< whether the sampler makes no BLAS call when it opens; the first timed call
                        then includes the initialisation of the library */
    int64_t alignment_bytes;  /**< alignment of all memory: a power of two */
    int64_t offset_bytes;     /**< offset of memory without a name from the start of a page */
    int64_t max_memory_bytes; /**< memory limit for all buffers together; 0: the available memory */
    double limit_seconds;     /**< time limit of the calls up to a `go`; 0: none */
    bool check_only; /**< whether lines are only checked: no call runs, and no memory is reserved */
    const char *counters; /**< source of counts: `perf`, `none`, or a file of recorded counts
                             (docs/roofline.md) */

    void *context; /**< first argument of the callbacks below, each of which may be NULL */
    void (*sample)(void *context, const struct tcplan_call_sample *sample);
    void (*print)(void *context, const char *text); /**< receives the output of the command `print`,
                                                       without the newline */
    void (*info)(void *context,
                 const char *text); /**< receives the output of the command `info`, several lines */
    void (*note)(void *context, size_t line,
                 const char *text); /**< receives warnings: missing counters, failed routines */
};

/** Returns the defaults: one thread, memory aligned to 64 bytes and starting at the beginning of a
 * page, no limit, counters of perf, no callbacks. */
TCPLAN_API struct tcplan_sampler_options tcplan_sampler_defaults(void);

struct tcplan_sampler;

/**
 * Opens a sampler: sets the threads of all BLAS libraries, pins the calling thread to its core if
 * there is one thread, binds threads and memory, and makes the first BLAS call, which is not timed.
 *
 * @param out  receives the sampler, to be closed with tcplan_sampler_close()
 * @return TCPLAN_OK; TCPLAN_INVALID if an option is out of range, or this machine lacks a core or
 *         node of the binding; TCPLAN_ENVIRONMENT if the system refuses the binding;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_sampler_open(struct tcplan_sampler **out,
                                                  const struct tcplan_sampler_options *options,
                                                  struct tcplan_error *error);

/**
 * Reads one line: queues a call, or executes a command. An invalid line changes nothing, but the
 * queue cannot be run any more: tcplan_sampler_go() is refused until tcplan_sampler_reset().
 *
 * @param text  without the newline
 * @return TCPLAN_OK; TCPLAN_INVALID with the number of the line and the place of the error; for
 *     `go` also a status of tcplan_sampler_go(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_sampler_line(struct tcplan_sampler *sampler, const char *text,
                                                  struct tcplan_error *error);

/**
 * Runs the queued calls, passes a sample for each call and region to the callback, and empties the
 * queue. An empty queue is fine.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a queued line was invalid, a region is not closed, or
 *     pivots are not rows of their matrix; TCPLAN_BUSY if the time limit was exceeded, after the
 *     samples until then; TCPLAN_ENVIRONMENT if counters fail; TCPLAN_NO_MEMORY. error->line is
 *     the line of the call, or 0
 */
TCPLAN_API enum tcplan_status tcplan_sampler_go(struct tcplan_sampler *sampler,
                                                struct tcplan_error *error);

/** Empties the queue and clears an error. Buffers keep their contents. */
TCPLAN_API void tcplan_sampler_reset(struct tcplan_sampler *sampler);

/** Returns whether a call exceeded the time limit and is still running: the program should end with
 * _exit(), because the call uses its memory. */
TCPLAN_API bool tcplan_sampler_given_up(const struct tcplan_sampler *sampler);

/** Restores threads and affinity, and frees the sampler and all buffers; NULL is fine. Queued calls
 * are dropped. */
TCPLAN_API void tcplan_sampler_close(struct tcplan_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif
