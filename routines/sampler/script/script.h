/**
 * Reads lines of the Sampler's language: words, commands, calls and their arguments.
 * docs/sampler.md describes the whole language.
 *
 *   line      = [ command | call | "{omp" | "{seq" | "}" ] [ "#" anything ]
 *   command   = "go" | "set_counters" { name } | type "malloc" name count | type "offset" name
 *             count name | "free" name | "info" kernel | "print" text
 *   type      = "" | "i" | "s" | "d" | "c" | "z"
 *   call      = kernel [ "@" provider ] { argument }
 *   argument  = letter | number { "," number } | "[" count "]" | name
 *
 * A `#` begins a comment at the beginning of a word. A call is checked completely when its line is
 * read, and queued only if it is valid.
 */
#ifndef SAMPLER_SCRIPT_H
#define SAMPLER_SCRIPT_H

#include "base/arena.h"
#include "microbench/counters/source.h"
#include "microbench/timing/session.h"
#include "routines/sampler/script/memory.h"
#include "routines/sampler/timing/queue.h"
#include "tcplan/sampler.h"

enum { SCRIPT_MAX_WORDS = SIGNATURE_MAX_ARGUMENTS + 2, SCRIPT_ROUTINES = 16 };

/** A word of a line. */
struct script_word {
    const char *text;
    size_t length;
};

/** A queued call. */
struct script_call {
    const char *name; /**< name of the routine as written */
    size_t line;
    struct routine routine;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    struct call_scalar scalar[SIGNATURE_MAX_ARGUMENTS];
    void *data[SIGNATURE_MAX_ARGUMENTS];     /**< addresses of named buffers and lists */
    int64_t bytes[SIGNATURE_MAX_ARGUMENTS];  /**< for each argument, the bytes of memory from that
                                                address on; 0: none */
    bool anonymous[SIGNATURE_MAX_ARGUMENTS]; /**< for each argument, whether it is memory without a
                                                name; `data` is then set when the queue is run */
    int64_t offset_bytes[SIGNATURE_MAX_ARGUMENTS]; /**< for each argument without a name, its offset
                                                      in the memory without names */
    struct call call;                              /**< the call, prepared when the queue is run */
};

enum script_entry_kind {
    SCRIPT_CALL,
    SCRIPT_REGION,
    SCRIPT_SEQUENCE,
    SCRIPT_END_SEQUENCE,
    SCRIPT_END_REGION
};

/** An entry of the queue: a call, or the begin or end of a region or sequence. `next` leads to the
 * entry of the next line of the script. */
struct script_entry {
    enum script_entry_kind kind;
    size_t line;
    struct script_call *call;
    struct script_entry *next;
};

struct tcplan_sampler {
    struct tcplan_sampler_options options;
    struct session session;
    struct frequency frequency; /**< clock frequency of the core, for a single thread */
    struct memory memory;
    struct queue *queue;
    size_t line;
    size_t refused_line; /**< number of the first line refused since the queue was cleared; 0: none
                          */

    struct script_routine {
        char name[2 * SIGNATURE_NAME]; /**< name of the routine as written in the script */
        struct routine routine;
    } routine[SCRIPT_ROUTINES]; /**< cache of the routines found last */
    int routines;               /**< number of routines found so far */

    struct arena arena; /**< memory of the entries */
    struct script_entry *first, *last;
    int entries;
    bool in_region, in_sequence;
    int64_t numbers, integers; /**< offsets of the next free bytes in the memory without names,
                                  within the region */
    int64_t most_numbers, most_integers; /**< bytes of memory without names that the queue needs */

    struct counter_source *source;
    int counters;
    enum counter_quantity counter[TCPLAN_SAMPLE_COUNTERS];
    char counter_name[TCPLAN_SAMPLE_COUNTERS][COUNTER_NAME]; /**< names of the counters */
    struct arena deliveries;                                 /**< memory of the delivered samples */
};

/** Reads and executes a line, whose number is sampler->line. */
enum tcplan_status script_line(struct tcplan_sampler *sampler, const char *text,
                               struct tcplan_error *error);

/** Reads a call; the words are its arguments. Queues nothing after an error. */
enum tcplan_status script_read_call(struct tcplan_sampler *sampler, const char *line,
                                    const struct script_word words[], int count,
                                    struct tcplan_error *error);

/** Appends an entry to the queue; NULL if memory runs out. */
struct script_entry *script_append(struct tcplan_sampler *sampler, enum script_entry_kind kind);

/** Reads an integer: [ "+" | "-" ] digits. */
bool script_integer(int64_t *out, struct script_word word);

/** Reports an error about a word of a line. */
enum tcplan_status script_refuse(const char *line, struct script_word word,
                                 struct tcplan_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
