/** Makes failing products smaller, and prints them. */
#ifndef STUDY_CONFORMANCE_REDUCE_H
#define STUDY_CONFORMANCE_REDUCE_H

#include "base/strbuf.h"
#include "study/conformance/product.h"

/**
 * Makes a product smaller. `step`, from 0, selects the way.
 *
 * @return 1: `out` is smaller; 0: this way does not apply; -1: there are no more ways
 */
int product_reduce(struct product *out, const struct product *product, int step);

/** Appends a product as a line of einsum, followed by types, strides and other properties. */
void product_add_einsum(struct strbuf *out, const struct product *product);

/** Appends a program in C that computes a product and prints the result. `why` is its comment. */
void product_add_code(struct strbuf *out, const struct product *product, const char *why);

#endif
