/**
 * Kernels of known work under the roofs, in every format.
 */
#ifndef CLI_RENDER_ROOFS_KERNELS_H
#define CLI_RENDER_ROOFS_KERNELS_H

#include "cli/render/document.h"
#include "cli/roofs/kernels.h"

/** Prints what they are held against, and a table. */
void kernels_text(struct writer *writer, const struct kernel_list *list);

/** Writes the object `protocol` and the list `kernels`. */
void kernels_document(struct document *document, const struct kernel_list *list);

/** Prints a line for each, behind a heading. */
void kernels_csv(struct writer *writer, const struct kernel_list *list);

#endif
