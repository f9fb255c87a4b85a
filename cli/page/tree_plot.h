/**
 * The tree of an expression of several tensors as a picture: a box for each step with its product,
 * its algorithm, predicted seconds and the bytes of what it makes. What takes more of the time is
 * fuller in colour.
 */
#ifndef CLI_PAGE_TREE_PLOT_H
#define CLI_PAGE_TREE_PLOT_H

#include <stdio.h>

#include "tcplan/network_tree.h"

/** Writes an SVG document; false where memory was out. */
bool tree_plot_write(FILE *file, const struct tcplan_tree *tree);

#endif
