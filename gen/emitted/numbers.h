/** The C text of instruction sets, numbers and vectors in generated kernels. */
#ifndef GEN_EMITTED_NUMBERS_H
#define GEN_EMITTED_NUMBERS_H

#include "gen/emitted/emitted.h"

/** The text for each instruction set. */
struct emitted_set_text {
    const char *name;      /**< suffix of function names */
    const char *macro;     /**< macro with the attributes of the functions */
    const char *condition; /**< C condition that the processor has the instruction set */
};

extern const struct emitted_set_text emitted_set_text[EMITTED_SETS];

/** The real numbers that represent the elements of a type. */
struct emitted_numbers {
    enum tcplan_dtype real;
    char letter;      /**< letter in the names of vector types */
    const char *type; /**< `float` or `double` */
    int parts;        /**< real numbers in an element: 1 or 2 */
};

struct emitted_numbers emitted_numbers_of(enum tcplan_dtype dtype);

/**
 * Returns how many real numbers the vector type for `elems` elements has. If no type has just these
 * elements, it is the longest one of AVX-512, and a mask selects the elements in memory.
 */
int emitted_lanes(const struct emitted_numbers *numbers, int elems);

/** Prints the type of a vector of `elems` elements: `kernel_d4`. */
void emitted_add_type(struct strbuf *out, const struct emitted_numbers *numbers, int elems);

/** Print what comes before and after the address in a load of a vector: `*(const kernel_d4 *)(` and
 * `)`, or `KERNEL_LOAD_d8(` and `, 0x1f)`. */
void emitted_begin_load(struct strbuf *out, const struct emitted_numbers *numbers, int elems);
void emitted_end_load(struct strbuf *out, const struct emitted_numbers *numbers, int elems);

/** Print what comes before and after the address in a store of a vector: `*(kernel_d4 *)(` and
 * `) = value;`, or `KERNEL_STORE_d8(` and `, 0x1f, value);`. */
void emitted_begin_store(struct strbuf *out, const struct emitted_numbers *numbers, int elems);
void emitted_end_store(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                       const char *value);

/** Adds a number as a constant. */
void emitted_add_number(struct strbuf *out, const struct emitted_numbers *numbers, double value);

/** Prints a vector of alternating signs, `(kernel_d4){-1.0, 1.0, -1.0, 1.0}`, for complex types. */
void emitted_add_alternating(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             double even, double odd);

/** Prints `+ 64 * p`: a variable times a step in elements, converted to real numbers; nothing if
 * the step is 0. */
void emitted_add_term(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times);

/** Prints ` + 64 * p` like emitted_add_term(), after a space. */
void emitted_add_step(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times);

/** Prints ` + 128`: an offset in elements, converted to real numbers. */
void emitted_add_offset(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                        int more);

/** Prints `KERNEL_MIX_d4(x, y, 0, 4, 2, 6)`: numbers of two vectors of `lanes` numbers, those of y
 * counted from the length of x on. */
void emitted_add_mix(struct strbuf *out, const struct emitted_numbers *numbers, int lanes,
                     const char *x, const char *y, const int from[]);

/**
 * Prints a vector of a stage in the transposition of a square block, which exchanges its
 * off-diagonal blocks.
 * @param row       number of the vector
 * @param distance  rows of the exchanged blocks: half of the square in the first stage, 1 in the
 *                  last one
 * @param x         the vector of the stage before whose number lacks the bit `distance`
 * @param y         the one whose number has it
 */
void emitted_add_exchanged(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                           int row, int distance, const char *x, const char *y);

/** Emits the load of a vector of a square block, without the semicolon: a factor may follow. */
void emitted_begin_transpose(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             int vector, const char *at);

/** Emits the transposition of the loaded block, in stages, and its stores. */
void emitted_add_transpose(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                           const char *to, const char *step);

#endif
