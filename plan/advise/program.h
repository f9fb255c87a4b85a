/**
 * A program as the adviser has it: contractions, and which of the tensors, by name, each of their
 * operands is.
 */
#ifndef ADVISE_PROGRAM_H
#define ADVISE_PROGRAM_H

#include "base/arena.h"
#include "plan/advise/search.h"
#include "tcplan/advise.h"

enum { LAYOUT_NO_TENSOR = -1 };

/** Which tensor an operand of an item is. */
struct layout_operands {
    int tensor[TCPLAN_TENSORS];             /**< LAYOUT_NO_TENSOR: there is no addend */
    struct tcplan_contraction *contraction; /**< of the item: owned */
};

/** Properties that all occurrences of a tensor share. */
struct layout_kind {
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int item; /**< the first contraction that names it */
};

struct tcplan_layout_program {
    struct arena texts;
    int item_count;
    struct tcplan_layout_item *item;  /**< extents are among the texts */
    struct layout_operands *operands; /**< of each item */
    int tensor_count;
    struct tcplan_layout_tensor *tensor;
    struct layout_kind *kind; /**< of each tensor */
    bool chosen;              /**< the free tensors were chosen */
};

/** The tensors of an item, each once. */
struct layout_term program_term(const struct tcplan_layout_program *program, int item);

/** How many copies of a tensor one run of the program makes, where each use pays for its own. */
double program_copies(const struct tcplan_layout_program *program, int tensor);

/**
 * The contraction of an item with its tensors in other layouts.
 *
 * @param contraction  receives it, to be freed with tcplan_contraction_free()
 * @param out          receives the problem; it borrows the contraction
 * @param layout       one for each tensor of the program
 */
enum tcplan_status program_relay(struct tcplan_problem *out,
                                 struct tcplan_contraction **contraction,
                                 const struct tcplan_layout_program *program, int item,
                                 const struct layout layout[], struct tcplan_error *error);

/** The notation of that; NULL if memory runs out. */
char *program_formula(const struct tcplan_layout_program *program, int item,
                      const struct layout layout[]);

/**
 * A text that two items in layouts have in common where one takes as long as the other, whatever
 * the algorithm: as tcplan_problem_canonical(), and indices that go side by side through all
 * tensors are one. NULL if memory runs out.
 */
char *program_key(const struct tcplan_layout_program *program, int item,
                  const struct layout layout[]);

/** A tensor in a layout, as "A_jia"; NULL if memory runs out. */
char *program_tensor_text(const struct tcplan_layout_program *program, int tensor,
                          const struct layout *layout);

#endif
