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
 * A sampler belongs to one thread at a time; while one is open the threads of the BLAS are its own.
 * It never prints, exits or reads the environment.
 */
#ifndef TCPLAN_SAMPLER_H
#define TCPLAN_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/export.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_SAMPLE_COUNTERS = 4 };

/** Measurements of one call, or of one parallel region as a whole. Texts live until the next
 * line. */
struct tcplan_call_sample {
    size_t line;        /**< of the call or `{omp` */
    const char *kernel; /**< as it was written, `dgemm@blis`; of a region `omp` */
    int calls;          /**< 1, or those in the region */
    uint64_t cycles;    /**< of the processor's constant counter: the time-stamp counter of x86 */
    double seconds;     /**< the same */
    double flops;       /**< operations of the call or all of the region, by its signature */
    bool disturbed; /**< the thread lost its core for a while that can have been in this call; not
                       known, and false, with several threads */
    int counters;   /**< how many were chosen by `set_counters` */
    const char *counter_name[TCPLAN_SAMPLE_COUNTERS];
    bool counted[TCPLAN_SAMPLE_COUNTERS];   /**< false: the system does not count it */
    double counter[TCPLAN_SAMPLE_COUNTERS]; /**< events during the call; of `flops` operations */
};

struct tcplan_sampler_options {
    int threads; /**< of the libraries; those that take calls in a parallel region, where libraries
                    have one */
    int64_t alignment_bytes;  /**< of all memory: a power of two */
    int64_t offset_bytes;     /**< offset of anonymous memory from the start of a page */
    int64_t max_memory_bytes; /**< of all buffers together; 0: what is available */
    double limit_seconds;     /**< of the calls up to a `go`; 0: none */
    bool check_only;          /**< checks lines without running calls or reserving memory */
    const char *counters; /**< where counts come from: `perf`, `none`, or a file of recorded ones
                             (docs/roofline.md) */

    void *context; /**< for the functions, each of which may be NULL */
    void (*sample)(void *context, const struct tcplan_call_sample *sample);
    void (*print)(void *context, const char *text); /**< output of the command `print`, without the
                                                       end of the line */
    void (*info)(void *context,
                 const char *text); /**< output of the command `info`, several lines */
    void (*note)(void *context, size_t line,
                 const char *text); /**< warnings: missing counters, failed routines */
};

/** One thread, memory aligned to 64 bytes from the beginning of a page on, no limit, counters of
 * perf; no functions. */
TCPLAN_API struct tcplan_sampler_options tcplan_sampler_defaults(void);

struct tcplan_sampler;

/**
 * Opens a sampler: sets the threads of all BLAS libraries, pins the calling thread to its core if
 * there is one thread, and makes the first BLAS call, which is not timed.
 *
 * @param out  receives it, to be closed with tcplan_sampler_close()
 * @return TCPLAN_OK; TCPLAN_INVALID if an option is refused; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_sampler_open(struct tcplan_sampler **out,
                                                  const struct tcplan_sampler_options *options,
                                                  struct tcplan_error *error);

/**
 * Takes one line: queues a call, or obeys a command. An error in a line leaves everything as it
 * was, but no queue that has had one is run: the next tcplan_sampler_go() is refused, until
 * tcplan_sampler_reset().
 *
 * @param text  without the end of the line
 * @return TCPLAN_OK; TCPLAN_INVALID with the line's number and the guilty place in it; of `go` as
 *         tcplan_sampler_go(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_sampler_line(struct tcplan_sampler *sampler, const char *text,
                                                  struct tcplan_error *error);

/**
 * Runs the queue, returns a sample for each call and region, and empties the queue. An empty queue
 * is fine.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a line of the queue was refused, a region is not closed, or
 *         pivots are no rows of their matrix; TCPLAN_BUSY if the limit passed, after the samples
 *         until then; TCPLAN_ENVIRONMENT if counters fail; TCPLAN_NO_MEMORY. error->line is that of
 *         the call, or 0
 */
TCPLAN_API enum tcplan_status tcplan_sampler_go(struct tcplan_sampler *sampler,
                                                struct tcplan_error *error);

/** Empties the queue and clears an error. Buffers stay. */
TCPLAN_API void tcplan_sampler_reset(struct tcplan_sampler *sampler);

/** Whether a call did not come back within the limit and still runs: the program should end by
 * _exit(), as its memory is in use. */
TCPLAN_API bool tcplan_sampler_given_up(const struct tcplan_sampler *sampler);

/** Restores threads and affinity and frees the sampler with all buffers; NULL is fine. Queued calls
 * do not run. */
TCPLAN_API void tcplan_sampler_close(struct tcplan_sampler *sampler);

#ifdef __cplusplus
}
#endif

#endif
