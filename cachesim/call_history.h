/**
 * The history of a sequence of calls: how long ago the data of a call was touched, and the effect
 * on its time (Peise 2017, section 5.1.3).
 *
 * A call touches operands: parts of matrices, rectangles or triangles. In a fully associative cache
 * that evicts the least recently used lines, an operand is still there if less than the cache's
 * capacity was touched since. The order in which a call touches its operands is unknown, so the
 * history has one entry per call, and a *distance* sums the entries from the newest to the one with
 * the operand, inclusive. For an operand in no entry the distance is the size of all data, since
 * the whole sequence is repeated.
 *
 * Two assumptions refine that. *Splitting*: if the data that a call writes is much smaller than the
 * data that it only reads, it is touched last and gets its own entry. *Smoothing*: an operand at
 * the distance d in a cache of c bytes is not simply there or not, but with the weight
 *
 *   f(r) = tanh(alpha r) for r >= 0, tanh(beta r) for r < 0, r = (c - d) / c
 *         initially sgn(r)
 *
 * so that of an operand's bytes (1 + f) / 2 count as in the cache and (1 - f) / 2 as out of it.
 * With s_ic and s_oc, the sums of both over the operands,
 *
 *   t = (s_ic t_ic + s_oc t_oc) / (s_ic + s_oc)   (5.1)
 *
 * for a call that takes t_ic where all operands are in the cache and t_oc where none is.
 *
 * Options cover choices that the source leaves open: distances add up the sizes of entries, as it
 * does, or count each line once, as an LRU stack distance does; an operand is as near as the
 * nearest entry that touches any of it, as in the source, or each part of it as near as that part.
 * With the second choice of both, each part's distance is an upper bound of the exact one, and that
 * of the entries newer than the one found a lower bound (tests/cachesim/test_call_history.c).
 *
 * Lines are counted in columns of matrices: exact if columns begin with a line; otherwise two
 * columns that share a line count it twice. Pure.
 */
#ifndef CACHESIM_CALL_HISTORY_H
#define CACHESIM_CALL_HISTORY_H

#include "cachesim/rectangles.h"

enum { CALL_HISTORY_MATRICES = 16, CALL_HISTORY_OPERANDS = 8 };

enum operand_shape {
    OPERAND_RECTANGLE,
    OPERAND_LOWER, /**< the diagonal and the elements below it */
    OPERAND_UPPER
};

/** A part of a matrix that a call touches, in elements. */
struct call_operand {
    int matrix; /**< below CALL_HISTORY_MATRICES */
    enum operand_shape shape;
    bool written; /**< overwritten or updated; otherwise only read */
    int element_bytes;
    int64_t row, rows;
    int64_t column, columns;
};

/** A call. */
struct call_accesses {
    int count;
    struct call_operand operand[CALL_HISTORY_OPERANDS];
};

/** A part of an operand with a single distance. */
struct operand_part {
    int operand;
    double bytes;          /**< in whole lines */
    double distance_bytes; /**< likewise */
    bool found;            /**< in the history; otherwise the distance is rules.whole_bytes */
};

/** Zero-initialise before use. */
struct operand_parts {
    size_t count;
    size_t capacity;
    struct operand_part *at;
    bool out_of_memory;
};

struct call_history_rules {
    int64_t line_bytes;
    double whole_bytes; /**< of all matrices */
    int calls; /**< that the history holds, the newest: as many as a step has (section 5.1.3); 0:
                  all */
    double split_share; /**< written data gets its own entry if it is at most this share of the
                           read-only data; 0: never */
    bool unions; /**< lines count once in a distance; otherwise the sizes of entries are added */
    bool parts;  /**< of an operand each part has its own distance */
};

/** "Significantly smaller", which the source has no number for: an in/out operand of a quarter or
 * less of those that are only read. */
#define CALL_HISTORY_SPLIT_SHARE 0.25

/** Rectangles of lines of a matrix. */
struct history_piece {
    int matrix;
    struct rectangle lines;
};

/** Data touched together. */
struct history_entry {
    int64_t call;
    size_t first, count; /**< pieces */
};

/** Zero-initialise, then set the rules. */
struct call_history {
    struct call_history_rules rules;
    int64_t calls; /**< so far */
    size_t entry_count, entry_capacity;
    struct history_entry *entry; /**< the oldest first */
    size_t piece_count, piece_capacity;
    struct history_piece *piece;
    struct rectangles seen[CALL_HISTORY_MATRICES]; /**< during a search: the data of the entries so
                                                      far */
    struct rectangles wanted[CALL_HISTORY_OPERANDS]; /**< during a search: the parts of each operand
                                                        not found yet */
    bool out_of_memory;                              /**< the content is no longer valid */
};

/** Appends a call. */
void call_history_add(struct call_history *history, const struct call_accesses *call);

/** Appends the distances of the next call's operands to `out`; empty operands have no part. */
void call_history_distances(struct operand_parts *out, struct call_history *history,
                            const struct call_accesses *call);

void call_history_free(struct call_history *history);
void operand_parts_free(struct operand_parts *parts);

/* What distances say. */

/** The weights' slopes; INFINITY: initial ones, sgn(r). The source's are 4 and 2, found by trial.
 */
struct cache_smoothing {
    double alpha; /**< of distances below the cache size */
    double beta;  /**< of greater distances */
};

/** Returns f(r), from -1 (not in the cache) to 1. */
double cache_weight(double distance_bytes, double cache_bytes,
                    const struct cache_smoothing *smoothing);

/** Returns the share of the operands' bytes that counts as in the cache: s_ic / (s_ic + s_oc); 1
 * without operands. */
double cache_share(const struct operand_parts *parts, double cache_bytes,
                   const struct cache_smoothing *smoothing);

/** (5.1) */
double cache_estimate(double share, double in_cache_seconds, double out_of_cache_seconds);

#endif
