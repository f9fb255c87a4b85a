/**
 * A source of counts: how many operations were done and bytes moved between two readings. Who
 * measures takes one as a parameter.
 *
 * `perf_event` asks the processor's counters, `recorded` answers from a file, as tests do, and
 * `none` counts nothing and says why. What a source cannot count it gives a reason for, which is a
 * sentence for people: nobody falls back to another number in silence.
 */
#ifndef MICROBENCH_COUNTERS_SOURCE_H
#define MICROBENCH_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tcplan/status.h"

/** What is counted. */
enum counter_quantity {
    COUNTER_FLOPS,   /**< operations on floating-point numbers, of the threads that are watched: a
                        fused one is two, a division is one */
    COUNTER_MISSES,  /**< bytes of lines that the last cache missed, of these threads: without what
                        is written back, and prefetches are counted  differently from processor to
                        processor */
    COUNTER_READ,    /**< bytes that the memory controllers read, of the whole machine */
    COUNTER_WRITTEN, /**< bytes that they wrote */
    COUNTER_CYCLES,  /**< of the cores' own clocks, of the threads that are watched */
    COUNTER_INSTRUCTIONS, /**< of these threads */
    COUNTER_QUANTITIES
};

/** Quantities as bits. */
enum {
    COUNTER_OF_THREADS = 1 << COUNTER_FLOPS | 1 << COUNTER_MISSES,
    COUNTER_OF_MACHINE = 1 << COUNTER_READ | 1 << COUNTER_WRITTEN,
    COUNTER_ALL = COUNTER_OF_THREADS | COUNTER_OF_MACHINE, /* operations and bytes */
    COUNTER_OF_CORES = 1 << COUNTER_CYCLES | 1 << COUNTER_INSTRUCTIONS
};

enum { COUNTER_MAX_EVENTS = 128, COUNTER_NAME = 64, COUNTER_REASON = 280, COUNTER_WIDTHS = 5 };

/** One counter. */
struct counter_event {
    char name[COUNTER_NAME]; /**< as the manufacturer or the kernel calls it */
    enum counter_quantity quantity;
    double weight;   /**< operations or bytes of one count; of cycles and instructions 1 */
    int vector_bits; /**< of operations: 64 (scalar), 128, 256, 512 of the instructions; 0: they are
                        not told apart */
};

/** What a counter has counted since it was started. */
struct counter_reading {
    uint64_t value;
    uint64_t enabled_ns; /**< time that it was wanted */
    uint64_t running_ns; /**< time that it was on the processor's counters, which are fewer than
                            events */
};

struct counter_source;

/** What a kind of source does; functions return a status of the library. */
struct counter_source_class {
    const char *name; /**< `perf_event`, `recorded` or `none` */
    enum tcplan_status (*start)(struct counter_source *source, struct tcplan_error *error);
    enum tcplan_status (*read)(struct counter_source *source, struct counter_reading *out,
                               struct tcplan_error *error);
    enum tcplan_status (*stop)(struct counter_source *source, struct tcplan_error *error);
    void (*close)(struct counter_source *source);
};

/** An open source; its events and reasons may be read. */
struct counter_source {
    const struct counter_source_class *class;
    int count;
    struct counter_event event[COUNTER_MAX_EVENTS];
    char why_not[COUNTER_QUANTITIES][COUNTER_REASON]; /**< of what has no event; empty where it has,
                                                         or was not asked for */
    void *state;                                      /**< of the class */
};

/** Whose counts. */
struct counter_target {
    pid_t process;       /**< 0: the calling thread */
    bool descendants;    /**< threads and processes that it starts from now on, too */
    bool from_exec;      /**< counting starts when the process calls exec() */
    unsigned quantities; /**< bits; those of the machine are of the machine whatever the process */
};

/**
 * Opens a source by its name.
 *
 * @param out   receives the source, to be closed with counter_close()
 * @param name  `perf`: perf_event; `none`; anything else: the file of recorded counts
 * @return TCPLAN_OK, also where nothing can be counted; TCPLAN_INVALID, with a line and column, or
 *         TCPLAN_ENVIRONMENT where the file is no good; TCPLAN_NO_MEMORY
 */
enum tcplan_status counter_open(struct counter_source **out, const char *name,
                                const struct counter_target *target, struct tcplan_error *error);

/** A source that counts nothing, for this reason. NULL when memory is out. */
struct counter_source *counter_none(const char *reason);

/** Starts all counters, which count on from where they were stopped. With `from_exec` they start by
 * themselves. */
enum tcplan_status counter_start(struct counter_source *source, struct tcplan_error *error);

/** Reads all counters, running or stopped: `source->count` readings. */
enum tcplan_status counter_read(struct counter_source *source, struct counter_reading *out,
                                struct tcplan_error *error);

enum tcplan_status counter_stop(struct counter_source *source, struct tcplan_error *error);

/** NULL is fine. */
void counter_close(struct counter_source *source);

/** Whether a source has an event of a quantity. */
bool counter_can(const struct counter_source *source, enum counter_quantity quantity);

/** `flops`, `misses`, `read`, `written`, `cycles` or `instructions`. */
const char *counter_quantity_name(enum counter_quantity quantity);

/** What came between two readings. */
struct counter_totals {
    bool known[COUNTER_QUANTITIES]; /**< false also where an event of the quantity never was on a
                                       counter */
    double amount[COUNTER_QUANTITIES];
    double share[COUNTER_QUANTITIES];   /**< of the time that the rarest of its events was counted;
                                           below 1 the amount is scaled up */
    double width_flops[COUNTER_WIDTHS]; /**< of the flops those by instructions of 64, 128, 256 and
                                           512 bits; last: not told apart */
};

/** Bits of a place in `width_flops`; 0 for the last. */
int counter_width_bits(int place);

/** Sums up by quantity what came from one reading to another; what was counted for a part of the
 * time is scaled to all of it. */
struct counter_totals counter_between(const struct counter_source *source,
                                      const struct counter_reading *from,
                                      const struct counter_reading *to);

/** Adds other totals, as of another thread: known is what both know. */
void counter_add(struct counter_totals *sum, const struct counter_totals *other);

#endif
