/**
 * The memory of a script: named buffers, which are reserved and filled at once, and anonymous ones,
 * which share one block.
 *
 * Behind each block there is room that is never written: OpenBLAS (0.3.21) reads a stride beyond
 * the end of complex vectors.
 */
#ifndef SAMPLER_MEMORY_H
#define SAMPLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "routines/sampler/signatures/signature.h"

enum { MEMORY_NAME = 32 };

/** The use of a buffer. */
enum memory_type {
    MEMORY_CHAR,
    MEMORY_INT,
    MEMORY_FLOAT,
    MEMORY_DOUBLE,
    MEMORY_FLOAT_COMPLEX,
    MEMORY_DOUBLE_COMPLEX,
    MEMORY_TYPES
};

/** A reserved block. */
struct memory_block {
    char *pages;  /**< NULL: none is reserved */
    size_t bytes; /**< reserved, with the room behind */
    size_t used;  /**< the written part */
};

/** A name. */
struct memory_buffer {
    char name[MEMORY_NAME];
    enum memory_type type;
    char *first;   /**< where it begins; NULL if nothing is run */
    int64_t bytes; /**< from there to the end of its block */
    int parent;    /**< the buffer it is an offset of; -1: it has a block of its own */
    bool used;     /**< a queued call has it as an argument */
    struct memory_block block;
};

struct memory {
    int64_t alignment_bytes;
    int64_t offset_bytes;
    int64_t limit_bytes; /**< 0: what is available */
    bool dry;            /**< nothing is reserved */
    uint64_t seed;
    int64_t total_bytes; /**< of all blocks */
    struct memory_buffer *buffer;
    int count;
    int capacity;
    struct memory_block numbers; /**< anonymous memory: numbers that are good as float and as double
                                  */
    struct memory_block integers;        /**< anonymous integers */
    int64_t good_numbers, good_integers; /**< bytes of both that were found to fit */
};

/** Sets up; everything else zero-initialised before. */
void memory_init(struct memory *memory, int64_t alignment_bytes, int64_t offset_bytes,
                 int64_t limit_bytes, bool dry);

void memory_free(struct memory *memory);

/** The buffer of a name; NULL: none. It lives until the next change. */
struct memory_buffer *memory_find(const struct memory *memory, const char *name, size_t length);

/** Bytes of an element. */
int64_t memory_element_bytes(enum memory_type type);

/** `double`, `float complex`, ... */
const char *memory_type_name(enum memory_type type);

/**
 * Reserves `count` elements and fills them: characters 0 to 255, integers 0 to INT_MAX, reals and
 * both parts of complex numbers in [0, 1).
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if that is more than there is; TCPLAN_NO_MEMORY
 */
enum tcplan_status memory_add(struct memory *memory, enum memory_type type, const char *name,
                              size_t length, int64_t count, struct tcplan_error *error);

/** Makes a name for the elements of another from `offset` on, which is within it. */
enum tcplan_status memory_offset(struct memory *memory, enum memory_type type,
                                 const struct memory_buffer *of, int64_t offset, const char *name,
                                 size_t length, struct tcplan_error *error);

/** Whether a buffer, or one derived from it, is used by a queued call. */
bool memory_is_used(const struct memory *memory, const struct memory_buffer *buffer);

/** Frees a buffer with a block of its own, and all names derived from it; of a derived name, that
 * and those derived from it. */
void memory_remove(struct memory *memory, const struct memory_buffer *buffer);

/** No buffer is used any more. */
void memory_unuse(struct memory *memory);

/** Checks whether anonymous memory of these sizes is available in addition to the present memory;
 * smaller sizes than those found to fit are not checked again. */
enum tcplan_status memory_check_anonymous(struct memory *memory, int64_t number_bytes,
                                          int64_t integer_bytes, struct tcplan_error *error);

/** Where in one of the anonymous blocks, which is reserved, a byte is; from an aligned one on. */
char *memory_at(const struct memory *memory, const struct memory_block *block,
                int64_t offset_bytes);

/** Writes 1, 2, ...: pivots that swap nothing. */
void memory_fill_integers(int *first, int64_t count);

/** Makes the anonymous blocks at least that large, and fills new numbers; integers are 0. */
enum tcplan_status memory_reserve_anonymous(struct memory *memory, int64_t number_bytes,
                                            int64_t integer_bytes, struct tcplan_error *error);

#endif
