/**
 * The history of a sequence of calls: how long ago the data of a call was touched, and the effect
 * on its time (Peise 2017, section 5.1.3).
 *
 * A call touches operands: parts of matrices, rectangles or triangles. In a fully associative
 * cache that evicts the least recently used lines, an operand is still present if the data touched
 * since then is smaller than the cache. The order in which a call touches its operands is unknown,
 * so the history has one entry per call, and a *distance* sums the entries from the newest to the
 * one with the operand, inclusive. For an operand in no entry the distance is the size of all
 * data, since the whole sequence is repeated.
 *
 * Two assumptions refine the model. *Splitting*: if the data that a call writes is much smaller
 * than the data that it only reads, it is touched last and gets its own entry. *Smoothing*: an
 * operand at the distance d in a cache of c bytes is neither present nor absent, but has the
 * weight
 *
 *   f(r) = tanh(alpha r) for r >= 0, tanh(beta r) for r < 0, r = (c - d) / c without smoothing:
 *   sgn(r)
 *
 * Of an operand's bytes, the share (1 + f) / 2 counts as in the cache, and (1 - f) / 2 as out of
 * it. With s_ic and s_oc, the sums of these bytes over the operands, the estimate is
 *
 *   t = (s_ic t_ic + s_oc t_oc) / (s_ic + s_oc)   (5.1)
 *
 * for a call that takes t_ic if all operands are in the cache, and t_oc if none is.
 *
 * Options cover choices that the source leaves open: distances sum the sizes of entries, as in the
 * source, or count each line once, as LRU stack distances do (`unions`); an operand has the
 * distance of the newest entry that touches any part of it, as in the source, or each part has its
 * own distance (`parts`). With both options, each part's distance is an upper bound on the exact
 * one, and the distance without the entry that contains it a lower bound
 * (tests/cachesim/test_call_history.c).
 *
 * Lines are counted in columns of matrices: exact if each column begins at the start of a line;
 * otherwise two columns that share a line count it twice. All functions are pure.
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
    int matrix; /**< number of the matrix, below CALL_HISTORY_MATRICES */
    enum operand_shape shape;
    bool written; /**< whether the operand is overwritten or updated; otherwise it is only read */
    int element_bytes;
    int64_t row, rows;
    int64_t column, columns;
};

/** The operands of a call. */
struct call_accesses {
    int count;
    struct call_operand operand[CALL_HISTORY_OPERANDS];
};

/** A part of an operand with a single distance. */
struct operand_part {
    int operand;
    double bytes;          /**< bytes of the part, in whole lines */
    double distance_bytes; /**< distance in bytes, in whole lines */
    bool found; /**< whether an entry of the history contains the part; otherwise its distance is
                   rules.whole_bytes */
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
    double whole_bytes; /**< bytes of all matrices */
    int calls; /**< number of the newest calls that the history contains: as many as a step has
                  (section 5.1.3); 0: all */
    double split_share; /**< largest share of the read-only data for which written data gets its own
                           entry; 0: written data never does */
    bool unions; /**< whether distances count each line once; otherwise the sizes of entries are
                    added */
    bool parts;  /**< whether each part of an operand has its own distance */
};

/** Default of `split_share`, a quarter. The source requires written data to be "significantly
 * smaller" than read-only data, without a number. */
#define CALL_HISTORY_SPLIT_SHARE 0.25

/** A list element: rectangles of lines of a matrix. */
struct history_piece {
    int matrix;
    struct rectangle lines;
};

/** An entry: data that count as touched together. */
struct history_entry {
    int64_t call;
    size_t first, count; /**< position of the entry's first piece, and number of its pieces */
};

/** Zero-initialise, then set the rules. */
struct call_history {
    struct call_history_rules rules;
    int64_t calls; /**< number of calls so far */
    size_t entry_count, entry_capacity;
    struct history_entry *entry; /**< entries, the oldest first */
    size_t piece_count, piece_capacity;
    struct history_piece *piece;
    struct rectangles seen[CALL_HISTORY_MATRICES];   /**< during a search: the data of the entries
                                                        visited so far */
    struct rectangles wanted[CALL_HISTORY_OPERANDS]; /**< during a search: the parts of each operand
                                                        that are not found yet */
    bool out_of_memory; /**< whether memory ran out, so that the contents are invalid */
};

/** Appends a call. */
void call_history_add(struct call_history *history, const struct call_accesses *call);

/** Appends the distances of the next call's operands to `out`; empty operands have no part. */
void call_history_distances(struct operand_parts *out, struct call_history *history,
                            const struct call_accesses *call);

void call_history_free(struct call_history *history);
void operand_parts_free(struct operand_parts *parts);

/** Slopes of the weights for smoothing; INFINITY: no smoothing, the weight is sgn(r). The source
 * uses 4 and 2, found by trial. */
struct cache_smoothing {
    double alpha; /**< slope for distances below the cache size */
    double beta;  /**< slope for larger distances */
};

/** Returns f(r), from -1 (not in the cache) to 1. */
double cache_weight(double distance_bytes, double cache_bytes,
                    const struct cache_smoothing *smoothing);

/** Returns the share of the operands' bytes that counts as in the cache: s_ic / (s_ic + s_oc); 1
 * without operands. */
double cache_share(const struct operand_parts *parts, double cache_bytes,
                   const struct cache_smoothing *smoothing);

/** Returns the estimated seconds of a call by equation (5.1). */
double cache_estimate(double share, double in_cache_seconds, double out_of_cache_seconds);

#endif
