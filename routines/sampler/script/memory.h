/**
 * The memory of a script: named buffers, which are reserved and filled immediately, and memory
 * without a name (`[1000]` in a script), which shares one block.
 *
 * After each block there is room that is never written, because OpenBLAS 0.3.21 reads one stride
 * beyond the end of complex vectors.
 */
#ifndef SAMPLER_MEMORY_H
#define SAMPLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "routines/sampler/signatures/signature.h"

enum { MEMORY_NAME = 32 };

/** The element type of a buffer. */
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
    char *pages;  /**< first page; NULL: no memory is reserved */
    size_t bytes; /**< reserved bytes, including the room after the written part */
    size_t used;  /**< bytes of the written part */
};

/** A named buffer. */
struct memory_buffer {
    char name[MEMORY_NAME];
    enum memory_type type;
    char *first;   /**< first byte of the buffer; NULL if nothing is executed */
    int64_t bytes; /**< bytes from the first byte to the end of the block */
    int parent;    /**< number of the buffer of which this is a part; -1: it has its own block */
    bool used;     /**< whether a queued call has the buffer as an argument */
    struct memory_block block;
};

struct memory {
    int64_t alignment_bytes;
    int64_t offset_bytes;
    int64_t limit_bytes; /**< memory limit; 0: the available memory */
    bool dry;            /**< whether no memory is reserved, because the script is only checked */
    uint64_t seed;
    int64_t total_bytes; /**< bytes of all blocks */
    struct memory_buffer *buffer;
    int count;
    int capacity;
    struct memory_block numbers;  /**< memory without a name, with contents that are valid as floats
                                     and as doubles */
    struct memory_block integers; /**< integers without a name */
    int64_t good_numbers, good_integers; /**< sizes of `numbers` and `integers`, in bytes, that are
                                            known to fit in memory */
};

/** Sets the options of a zero-initialised memory. */
void memory_init(struct memory *memory, int64_t alignment_bytes, int64_t offset_bytes,
                 int64_t limit_bytes, bool dry);

void memory_free(struct memory *memory);

/** Returns the buffer with a name, valid until the next change; NULL: none. */
struct memory_buffer *memory_find(const struct memory *memory, const char *name, size_t length);

/** Returns the size in bytes of one element of a type. */
int64_t memory_element_bytes(enum memory_type type);

/** Returns the name of a type, such as `double` or `float complex`. */
const char *memory_type_name(enum memory_type type);

/**
 * Reserves `count` elements and fills them: characters from 0 to 255, integers from 0 to INT_MAX,
 * reals and both parts of complex numbers in [0, 1).
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the memory limit is exceeded; TCPLAN_NO_MEMORY
 */
enum tcplan_status memory_add(struct memory *memory, enum memory_type type, const char *name,
                              size_t length, int64_t count, struct tcplan_error *error);

/** Adds a name for the elements of a buffer from `offset` on. The offset must be within the buffer.
 */
enum tcplan_status memory_offset(struct memory *memory, enum memory_type type,
                                 const struct memory_buffer *of, int64_t offset, const char *name,
                                 size_t length, struct tcplan_error *error);

/** Returns whether a buffer, or one derived from it, is used by a queued call. */
bool memory_is_used(const struct memory *memory, const struct memory_buffer *buffer);

/** Frees a buffer with its own block and all names derived from it, or a derived name and those
 * derived from it. */
void memory_remove(struct memory *memory, const struct memory_buffer *buffer);

/** Marks all buffers as unused by calls. */
void memory_unuse(struct memory *memory);

/** Checks that anonymous memory of these sizes is available in addition to the present memory;
 * smaller sizes than the last successful ones are not checked again. */
enum tcplan_status memory_check_anonymous(struct memory *memory, int64_t number_bytes,
                                          int64_t integer_bytes, struct tcplan_error *error);

/** Returns the address of a byte in a reserved block of memory without names; offsets count from an
 * aligned address. */
char *memory_at(const struct memory *memory, const struct memory_block *block,
                int64_t offset_bytes);

/** Writes the integers 1, 2, ... They are pivots that swap nothing. */
void memory_fill_integers(int *first, int64_t count);

/** Enlarges the blocks of memory without names to at least these sizes, and refills them; integers
 * are set to 0. */
enum tcplan_status memory_reserve_anonymous(struct memory *memory, int64_t number_bytes,
                                            int64_t integer_bytes, struct tcplan_error *error);

#endif
