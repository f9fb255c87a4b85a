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
    int tensor[TCPLAN_TENSORS];             /**< LAYOUT_NO_TENSOR: no addend */
    struct tcplan_contraction *contraction; /**< of the item; owned */
};

/** Properties that all occurrences of a tensor share. */
struct layout_kind {
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int item; /**< the first contraction with this tensor */
};

struct tcplan_layout_program {
    struct arena texts;
    int item_count;
    struct tcplan_layout_item *item;  /**< owns the extents */
    struct layout_operands *operands; /**< for each item */
    int tensor_count;
    struct tcplan_layout_tensor *tensor;
    struct layout_kind *kind; /**< for each tensor */
    bool chosen;              /**< the caller chose the free tensors */
};

/** Lists the tensors of an item, each once. */
struct layout_term program_term(const struct tcplan_layout_program *program, int item);

/** Returns how many conversions of a tensor one run of the program makes if each use converts it
 * anew. */
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

/** Returns the notation of the same contraction; NULL without memory. */
char *program_formula(const struct tcplan_layout_program *program, int item,
                      const struct layout layout[]);

/**
 * Returns a key that two items in given layouts share if they take equally long, whatever the
 * algorithm: tcplan_problem_canonical() with indices fused that are adjacent in all tensors. NULL
 * without memory.
 */
char *program_key(const struct tcplan_layout_program *program, int item,
                  const struct layout layout[]);

/** Returns a tensor in a layout as text, such as "A_jia"; NULL without memory. */
char *program_tensor_text(const struct tcplan_layout_program *program, int tensor,
                          const struct layout *layout);

#endif
