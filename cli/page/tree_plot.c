#include "cli/page/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/page/drawing.h"

enum { MARGIN = 16, ROW = 36, BOX_HEIGHT = 58, BOX_PADDING = 10, APART = 36, LEAST_WIDTH = 600 };

/** Position of a tensor's box: column from the right, row from the top. */
struct spot {
    int column;
    double row;
    const char *line[3]; /* lines of text in the box; leaves have one line; NULL: no line */
};

/** State of drawing a tree. */
struct drawing {
    FILE *file;
    const struct tcplan_tree *tree;
    struct plot texts; /* owns the memory of labels */
    struct spot *spot; /* position of each operand, and of the result of each step */
    double rows;       /* number of rows used so far */
    int columns;
    double box_width, leaf_width;
    double width;
};

/* Texts. */

/** Returns the time of a step divided by the total time. */
static double share_of(const struct tcplan_tree *tree, int s) {
    const double all = tcplan_tree_totals(tree).seconds;
    return all > 0 ? tcplan_tree_step_times(tree, s) * tree->step[s].seconds / all : 0;
}

static const char *time_label(struct plot *texts, const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    const double times = tcplan_tree_step_times(tree, s), share = share_of(tree, s);
    return plot_text(
        texts, "%s%s%s; %s", times > 1 ? plot_text(texts, "%.10g x ", times) : "",
        quantity_seconds(step->seconds).text,
        tcplan_tree_totals(tree).seconds > 0 ? plot_text(texts, ", %.0f %%", 100 * share) : "",
        quantity_bytes(step->bytes).text);
}

/** Returns whether a tensor is a leaf of the tree. */
static bool is_leaf(const struct tcplan_tree *tree, int tensor) {
    return tensor < tree->network->operand_count ||
           tree->step[tensor - tree->network->operand_count].same >= 0;
}

static double text_width(const char *text) {
    return picture_letter * (double)strlen(text);
}

/* Layout. */

/** Places a tensor and, recursively, its operands in free rows. `name` is the name of a leaf. */
static void place(struct drawing *drawing, int tensor, int column, const char *name) {
    const struct tcplan_tree *tree = drawing->tree;
    const int s = tensor - tree->network->operand_count;
    struct plot *texts = &drawing->texts;
    struct spot *spot = &drawing->spot[tensor];
    spot->column = column;
    if (column + 1 > drawing->columns) drawing->columns = column + 1;
    if (is_leaf(tree, tensor)) {
        spot->row = drawing->rows++;
        spot->line[0] = name;
        drawing->leaf_width = fmax(drawing->leaf_width, text_width(spot->line[0]));
        return;
    }
    const struct tcplan_tree_step *step = &tree->step[s];
    spot->line[0] = plot_text_owned(texts, tcplan_tree_step_text(tree, s));
    spot->line[1] = step->algorithm ? step->algorithm : "";
    spot->line[2] = time_label(texts, tree, s);
    for (int l = 0; l < 3; l++)
        drawing->box_width = fmax(drawing->box_width, text_width(spot->line[l]) + 2 * BOX_PADDING);
    const char *factors = strchr(spot->line[0], '=');
    factors = factors ? factors + 1 : "";
    const size_t length = strcspn(factors, "*");
    place(drawing, step->left, column + 1, plot_text(texts, "%.*s", (int)length, factors));
    spot->row = drawing->spot[step->left].row;
    if (step->right == TCPLAN_TREE_ONE) {
        drawing->rows += 1; /* A step's box is higher than a row. */
        return;
    }
    place(drawing, step->right, column + 1, factors + length + (factors[length] == '*'));
    spot->row = (spot->row + drawing->spot[step->right].row) / 2;
}

static double right_of(const struct drawing *drawing, struct spot spot) {
    return drawing->width - MARGIN - (drawing->box_width + APART) * spot.column;
}

static double middle_of(struct spot spot) {
    return PICTURE_TOP + ROW * (spot.row + 0.5);
}

/* Drawing. */

/** Draws the line from an operand's box to `to`, the box of the step that uses the operand. */
static void draw_line(const struct drawing *drawing, int tensor, struct spot to) {
    if (tensor == TCPLAN_TREE_ONE) return;
    const struct spot from = drawing->spot[tensor];
    fprintf(drawing->file, "<line class=\"frame\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n",
            right_of(drawing, from), middle_of(from), right_of(drawing, to) - drawing->box_width,
            middle_of(to));
}

static void draw_step(const struct drawing *drawing, int s, struct spot spot) {
    const struct tcplan_tree_step *step = &drawing->tree->step[s];
    const double middle = middle_of(spot), left = right_of(drawing, spot) - drawing->box_width;
    draw_line(drawing, step->left, spot);
    draw_line(drawing, step->right, spot);
    fprintf(
        drawing->file,
        "<rect class=\"c0\" fill=\"currentColor\" fill-opacity=\"%.2f\" stroke=\"currentColor\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%d\" rx=\"4\"/>\n",
        0.06 + 0.34 * share_of(drawing->tree, s), left, middle - BOX_HEIGHT / 2.0,
        drawing->box_width, BOX_HEIGHT);
    for (int l = 0; l < 3; l++)
        picture_text(drawing->file, spot.line[l],
                     "class=\"%s\" text-anchor=\"start\" x=\"%g\" y=\"%g\"",
                     l == 0 ? "step" : "value", left + BOX_PADDING, middle - 12 + 17 * l);
}

static void draw_leaf(const struct drawing *drawing, struct spot spot) {
    picture_text(drawing->file, spot.line[0],
                 "class=\"leaf\" text-anchor=\"end\" x=\"%g\" y=\"%g\"",
                 right_of(drawing, spot) - 4, middle_of(spot) + 4);
}

static void draw(struct drawing *drawing) {
    const struct tcplan_tree *tree = drawing->tree;
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    const int operands = tree->network->operand_count;
    struct plot *texts = &drawing->texts;
    for (int s = 0; s < tree->step_count; s++) {
        if (!tree->step[s].last) continue;
        if (drawing->rows > 0) drawing->rows += 0.5;
        place(drawing, operands + s, 0, "");
    }
    drawing->width =
        fmax(LEAST_WIDTH, 2 * MARGIN + (drawing->box_width + APART) * (drawing->columns - 1) +
                              drawing->leaf_width);
    const char *title = plot_text_owned(texts, tcplan_network_text(tree->network)),
               *subtitle = plot_text(texts, "%s by estimate, %s; intermediates take up to %s",
                                     quantity_seconds(totals.seconds).text,
                                     quantity_flops(totals.flops).text,
                                     quantity_bytes(totals.peak_bytes).text);
    picture_begin(drawing->file, drawing->width, PICTURE_TOP + ROW * drawing->rows + ROW, title,
                  subtitle, false);
    for (int t = 0; t < operands + tree->step_count; t++) {
        const struct spot spot = drawing->spot[t];
        if (!spot.line[0]) continue;
        if (is_leaf(tree, t)) draw_leaf(drawing, spot);
        if (!is_leaf(tree, t)) draw_step(drawing, t - operands, spot);
    }
    picture_end(drawing->file);
}

bool tree_plot_write(FILE *file, const struct tcplan_tree *tree) {
    const size_t tensors = (size_t)tree->network->operand_count + (size_t)tree->step_count;
    struct drawing drawing = {.file = file, .tree = tree};
    drawing.spot = base_alloc_zero(tensors, sizeof *drawing.spot);
    if (!drawing.spot) return false;
    draw(&drawing);
    const bool drawn = !drawing.texts.failed;
    base_free(drawing.spot);
    plot_free(&drawing.texts);
    return drawn;
}
