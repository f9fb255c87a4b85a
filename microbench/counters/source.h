/**
 * A source of counts: operations done and bytes moved between two readings. Measuring code takes a
 * source as a parameter.
 *
 * `perf_event` reads the processor's counters, `recorded` replays a file (for tests), and `none`
 * counts nothing and gives the reason. A source has a reason in words for every quantity that it
 * cannot count.
 */
#ifndef MICROBENCH_COUNTERS_SOURCE_H
#define MICROBENCH_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tcplan/status.h"

/** Counted quantities. */
enum counter_quantity {
    COUNTER_FLOPS,  /**< floating-point operations of the watched threads: a fused multiply-add
                       counts as two, a division as one */
    COUNTER_MISSES, /**< bytes of lines that missed the last cache, for the watched threads: without
                       write-backs; the treatment of prefetches depends on the processor */
    COUNTER_READ,   /**< bytes that the memory controllers read, machine-wide */
    COUNTER_WRITTEN,      /**< bytes that the memory controllers write, machine-wide */
    COUNTER_CYCLES,       /**< cycles of the cores' own clocks, for the watched threads */
    COUNTER_INSTRUCTIONS, /**< instructions of the watched threads */
    COUNTER_QUANTITIES,
    COUNTER_NAMED = COUNTER_QUANTITIES /**< the first of COUNTER_MAX_NAMED events that the caller
                                          names; the others follow */
};

/* COUNTER_SLOTS: number of quantities and named events together. */
enum { COUNTER_MAX_NAMED = 4, COUNTER_SLOTS = COUNTER_QUANTITIES + COUNTER_MAX_NAMED };

/** Quantities as bits. */
enum {
    COUNTER_OF_THREADS = 1 << COUNTER_FLOPS | 1 << COUNTER_MISSES,
    COUNTER_OF_MACHINE = 1 << COUNTER_READ | 1 << COUNTER_WRITTEN,
    COUNTER_ALL = COUNTER_OF_THREADS | COUNTER_OF_MACHINE, /* operations and bytes */
    COUNTER_OF_CORES = 1 << COUNTER_CYCLES | 1 << COUNTER_INSTRUCTIONS
};

enum { COUNTER_MAX_EVENTS = 128, COUNTER_NAME = 64, COUNTER_REASON = 280, COUNTER_WIDTHS = 5 };

/** One hardware or software event that a counter counts. */
struct counter_event {
    char name[COUNTER_NAME]; /**< name of the event in the manufacturer's manual or in the kernel */
    enum counter_quantity quantity;
    double weight;   /**< operations or bytes per count; 1 for cycles and instructions */
    int vector_bits; /**< vector width of counted operations: 64 (scalar), 128, 256 or 512; 0: any
                        width */
};

/** The count of a counter since it was started. */
struct counter_reading {
    uint64_t value;
    uint64_t enabled_ns; /**< nanoseconds during which the event was enabled */
    uint64_t running_ns; /**< nanoseconds during which it was counted: there may be more events than
                            hardware counters */
};

struct counter_source;

/** Functions of a kind of source. */
struct counter_source_class {
    const char *name; /**< `perf_event`, `recorded` or `none` */
    enum tcplan_status (*start)(struct counter_source *source, struct tcplan_error *error);
    enum tcplan_status (*read)(struct counter_source *source, struct counter_reading *out,
                               struct tcplan_error *error);
    enum tcplan_status (*stop)(struct counter_source *source, struct tcplan_error *error);
    void (*close)(struct counter_source *source);
};

/** An open source; callers may read its events and reasons. */
struct counter_source {
    const struct counter_source_class *class;
    int count;
    struct counter_event event[COUNTER_MAX_EVENTS];
    char why_not[COUNTER_SLOTS][COUNTER_REASON]; /**< reason for each quantity without an
                                                         event; empty if there is one, or none was
                                                         requested */
    void *state;                                 /**< private state of the kind of source */
};

/** What to count: a process, and quantities. */
struct counter_target {
    pid_t process;    /**< process to count; 0: the calling thread */
    bool descendants; /**< whether to count threads and processes that the process starts from now
                         on */
    bool from_exec;   /**< whether counting starts at the exec() of the process */
    unsigned quantities; /**< requested quantities and named events, as bits; machine-wide ones do
                            not depend on the process */
    const char *named[COUNTER_MAX_NAMED]; /**< the name of each requested named event: `r01c2` (a
                                             raw event in hexadecimal), a generic event of perf such
                                             as `branch-misses`, an event that the kernel lists for
                                             the cores, or `PMU/WORDS/` as `perf stat` takes it */
};

/**
 * Opens a source by name.
 * @param out   receives the source; close with counter_close()
 * @param name  `perf`: perf_event; `none`; anything else: the file of recorded counts
 * @return TCPLAN_OK, even if nothing can be counted; TCPLAN_INVALID (with line and column) or
 *   TCPLAN_ENVIRONMENT if the file is unusable; TCPLAN_NO_MEMORY
 */
enum tcplan_status counter_open(struct counter_source **out, const char *name,
                                const struct counter_target *target, struct tcplan_error *error);

/** Returns a source that counts nothing for this reason; NULL if out of memory. */
struct counter_source *counter_none(const char *reason);

/** Starts or resumes all counters. Counters with `from_exec` start at the exec() instead. */
enum tcplan_status counter_start(struct counter_source *source, struct tcplan_error *error);

/** Reads all counters, running or stopped, into `source->count` readings. */
enum tcplan_status counter_read(struct counter_source *source, struct counter_reading *out,
                                struct tcplan_error *error);

enum tcplan_status counter_stop(struct counter_source *source, struct tcplan_error *error);

/** Closes a source; NULL is fine. */
void counter_close(struct counter_source *source);

/** Returns whether a source has an event of a quantity. */
bool counter_can(const struct counter_source *source, enum counter_quantity quantity);

/** Returns `flops`, `misses`, `read`, `written`, `cycles` or `instructions`; `named` for named
 * events. */
const char *counter_quantity_name(enum counter_quantity quantity);

/** The amounts between two readings. */
struct counter_totals {
    bool known[COUNTER_SLOTS]; /**< whether an amount is known: false also if one of its events
                                       was never counted */
    double amount[COUNTER_SLOTS];
    double share[COUNTER_SLOTS];        /**< share of the time in which its least active event was
                                           counted; below 1, the amount is extrapolated */
    double width_flops[COUNTER_WIDTHS]; /**< operations by width of instructions: 64, 128, 256 and
                                           512 bits; the last for unknown widths */
};

/** Returns the width in bits for a position in `width_flops`; 0 for the last one. */
int counter_width_bits(int place);

/** Sums the counts between two readings by quantity; events counted for part of the time are
 * extrapolated. */
struct counter_totals counter_between(const struct counter_source *source,
                                      const struct counter_reading *from,
                                      const struct counter_reading *to);

/** Adds other totals, such as another thread's. A quantity is known in the sum only if it is known
 * in both. */
void counter_add(struct counter_totals *sum, const struct counter_totals *other);

#endif
