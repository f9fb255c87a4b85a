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

/** Prints the type of a vector of `elems` elements: `kernel_d4`. */
void emitted_add_type(struct strbuf *out, const struct emitted_numbers *numbers, int elems);

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

#endif
