/**
 * The adviser's program: contractions, and the tensor, identified by name, of each operand.
 */
#ifndef ADVISE_PROGRAM_H
#define ADVISE_PROGRAM_H

#include "base/arena.h"
#include "plan/advise/search.h"
#include "tcplan/advise.h"

enum { LAYOUT_NO_TENSOR = -1 };

/** The tensor of each operand of an item. */
struct layout_operands {
    int tensor[TCPLAN_TENSORS]; /**< numbers of the tensors; LAYOUT_NO_TENSOR: no addend */
    struct tcplan_contraction *contraction; /**< the contraction; owned */
};

/** Properties that a tensor has in all contractions. */
struct layout_kind {
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int item; /**< number of the first contraction with this tensor */
};

struct tcplan_layout_program {
    struct arena texts;
    int item_count;
    struct tcplan_layout_item *item;  /**< owns the extents */
    struct layout_operands *operands; /**< operands of each contraction */
    int tensor_count;
    struct tcplan_layout_tensor *tensor;
    struct layout_kind *kind; /**< properties of each tensor */
    bool chosen;              /**< whether the caller chose which tensors may change */
};

/** Lists the tensors of an item, each once. */
struct layout_term program_term(const struct tcplan_layout_program *program, int item);

/** Returns how many copies of a tensor one run of the program needs if each use copies it to the
 * new layout. */
double program_copies(const struct tcplan_layout_program *program, int tensor);

/**
 * Creates the contraction of an item with its tensors in other layouts.
 *
 * @param contraction  receives it; free with tcplan_contraction_free()
 * @param out          receives the problem; it borrows the contraction
 * @param layout       one for each tensor of the program
 */
enum tcplan_status program_relay(struct tcplan_problem *out,
                                 struct tcplan_contraction **contraction,
                                 const struct tcplan_layout_program *program, int item,
                                 const struct layout layout[], struct tcplan_error *error);

/** Returns the notation of a contraction with tensors in other layouts; NULL if out of memory. */
char *program_formula(const struct tcplan_layout_program *program, int item,
                      const struct layout layout[]);

/**
 * Returns a key that two items in given layouts share if they take equally long, whatever the
 * algorithm: tcplan_problem_canonical() with indices fused that are adjacent in all tensors. NULL
 * if out of memory.
 */
char *program_key(const struct tcplan_layout_program *program, int item,
                  const struct layout layout[]);

/** Returns a tensor in a layout as text, such as "A_jia"; NULL if out of memory. */
char *program_tensor_text(const struct tcplan_layout_program *program, int tensor,
                          const struct layout *layout);

#endif
