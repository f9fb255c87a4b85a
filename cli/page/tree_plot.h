/**
 * The tree of an expression of several tensors as a picture: a box for each step with its product,
 * algorithm, predicted seconds and the bytes of its result. A stronger colour is a larger share of
 * the time.
 */
#ifndef CLI_PAGE_TREE_PLOT_H
#define CLI_PAGE_TREE_PLOT_H

#include <stdio.h>

#include "tcplan/network_tree.h"

/** Writes an SVG document; false: out of memory. */
bool tree_plot_write(FILE *file, const struct tcplan_tree *tree);

#endif
