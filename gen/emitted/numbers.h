/** The C text of instruction sets, numbers and vectors in generated kernels. */
#ifndef GEN_EMITTED_NUMBERS_H
#define GEN_EMITTED_NUMBERS_H

#include "gen/emitted/emitted.h"

/** The text for each instruction set. */
struct emitted_set_text {
    const char *name;      /**< part of its functions' names */
    const char *macro;     /**< attributes before them */
    const char *condition; /**< condition that the machine has it */
};

extern const struct emitted_set_text emitted_set_text[EMITTED_SETS];

/** The real numbers that elements of a type consist of. */
struct emitted_numbers {
    enum tcplan_dtype real;
    char letter;      /**< letter of its vector types */
    const char *type; /**< `float` or `double` */
    int parts;        /**< numbers in an element */
};

struct emitted_numbers emitted_numbers_of(enum tcplan_dtype dtype);

/** Adds the type of a vector of so many elements, `kernel_d4`. */
void emitted_add_type(struct strbuf *out, const struct emitted_numbers *numbers, int elems);

/** Adds a number as a constant. */
void emitted_add_number(struct strbuf *out, const struct emitted_numbers *numbers, double value);

/** Adds `(kernel_d4){-1.0, 1.0, -1.0, 1.0}`, for complex types. */
void emitted_add_alternating(struct strbuf *out, const struct emitted_numbers *numbers, int elems,
                             double even, double odd);

/** Adds `+ 64 * p`, a multiple of a step in elements converted to numbers; nothing if the step
 * is 0. */
void emitted_add_term(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times);

/** Adds ` + 64 * p`: the same after a space. */
void emitted_add_step(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                      const char *times);

/** Adds ` + 128`: so many elements and numbers. */
void emitted_add_offset(struct strbuf *out, const struct emitted_numbers *numbers, int64_t elems,
                        int more);

#endif
