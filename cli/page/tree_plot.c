#include "cli/page/tree_plot.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/page/drawing.h"

enum { MARGIN = 16, ROW = 36, BOX_HEIGHT = 58, BOX_PADDING = 10, APART = 36, LEAST_WIDTH = 600 };

/** Where something stands: columns from the right, rows from the top. */
struct spot {
    int column;
    double row;
    bool is_there;
};

/** A tree being drawn. */
struct drawing {
    FILE *file;
    const struct tcplan_tree *tree;
    struct spot *spot; /* of each operand and of what each step makes */
    char *(*label)[3]; /* of each step: three lines */
    double rows;       /* that are taken */
    int columns;
    double box_width, leaf_width;
    double width;
};

/* What is written. */

static char *time_label(const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    const double times = tcplan_tree_step_times(tree, s), all = tcplan_tree_totals(tree).seconds;
    struct strbuf out = {0};
    if (times > 1) strbuf_add(&out, "%.10g x ", times);
    strbuf_add(&out, "%s", quantity_seconds(step->seconds).text);
    if (all > 0) strbuf_add(&out, ", %.0f %%", 100 * times * step->seconds / all);
    strbuf_add(&out, "; %s", quantity_bytes(step->bytes).text);
    return strbuf_finish(&out);
}

static char *tensor_label(const struct tcplan_network *network, const char *name, bool conjugated,
                          int rank, const uint16_t *dims) {
    struct strbuf out = {0};
    strbuf_add(&out, conjugated ? "conj(%s)" : "%s", name);
    for (int d = 0; d < rank; d++) {
        const char *before = !network->long_names ? (d == 0 ? "_" : "") : d == 0 ? "[" : ",";
        strbuf_add(&out, "%s%s", before, network->index[dims[d]]);
    }
    if (network->long_names && rank > 0) strbuf_add(&out, "]");
    return strbuf_finish(&out);
}

/** A factor, or an intermediate that is made elsewhere in the picture. */
static char *leaf_label(const struct tcplan_tree *tree, int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor < network->operand_count) {
        const struct tcplan_network_operand *operand = &network->operand[tensor];
        return tensor_label(network, operand->name, operand->conjugated, operand->rank,
                            operand->dims);
    }
    const struct tcplan_tree_step *step = &tree->step[tensor - network->operand_count];
    struct strbuf name = {0};
    strbuf_add(&name, "%s%d", tree->prefix, step->same + 1);
    char *label =
        name.failed ? NULL : tensor_label(network, name.text, false, step->rank, step->dims);
    strbuf_free(&name);
    return label;
}

/** Whether a tensor is one that others are made of in the picture. */
static bool is_leaf(const struct tcplan_tree *tree, int tensor) {
    return tensor < tree->network->operand_count ||
           tree->step[tensor - tree->network->operand_count].same >= 0;
}

static double text_width(const char *text) {
    return picture_letter * (double)strlen(text);
}

static bool make_labels(struct drawing *drawing) {
    const struct tcplan_tree *tree = drawing->tree;
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].idle) continue;
        char **label = drawing->label[s];
        label[0] = tcplan_tree_step_text(tree, s);
        label[1] = base_strdup(tree->step[s].algorithm ? tree->step[s].algorithm : "");
        label[2] = time_label(tree, s);
        for (int l = 0; l < 3; l++) {
            if (!label[l]) return false;
            const double width = text_width(label[l]) + 2 * BOX_PADDING;
            if (width > drawing->box_width) drawing->box_width = width;
        }
    }
    for (int n = 0; n < tree->network->operand_count + tree->step_count; n++) {
        char *text = is_leaf(tree, n) ? leaf_label(tree, n) : base_strdup("");
        if (!text) return false;
        if (text_width(text) > drawing->leaf_width) drawing->leaf_width = text_width(text);
        free(text);
    }
    return true;
}

/* Places. */

/** Puts a tensor, and what it is made of, into rows that are free. */
static void place(struct drawing *drawing, int tensor, int column) {
    const int operands = drawing->tree->network->operand_count;
    struct spot *spot = &drawing->spot[tensor];
    spot->column = column;
    spot->is_there = true;
    if (column + 1 > drawing->columns) drawing->columns = column + 1;
    if (is_leaf(drawing->tree, tensor)) {
        spot->row = drawing->rows++;
        return;
    }
    const struct tcplan_tree_step *step = &drawing->tree->step[tensor - operands];
    place(drawing, step->left, column + 1);
    spot->row = drawing->spot[step->left].row;
    if (step->right == TCPLAN_TREE_ONE) {
        drawing->rows += 1; /* its box is higher than a row */
        return;
    }
    place(drawing, step->right, column + 1);
    spot->row = (spot->row + drawing->spot[step->right].row) / 2;
}

static void place_all(struct drawing *drawing) {
    const struct tcplan_tree *tree = drawing->tree;
    for (int s = 0; s < tree->step_count; s++) {
        if (!tree->step[s].last) continue;
        if (drawing->rows > 0) drawing->rows += 0.5;
        place(drawing, tree->network->operand_count + s, 0);
    }
}

static double right_of(const struct drawing *drawing, struct spot spot) {
    return drawing->width - MARGIN - (drawing->box_width + APART) * spot.column;
}

static double middle_of(struct spot spot) {
    return PICTURE_TOP + ROW * (spot.row + 0.5);
}

/* Drawing. */

/** From what a step reads to its box. */
static void draw_line(const struct drawing *drawing, int tensor, struct spot to) {
    if (tensor == TCPLAN_TREE_ONE) return;
    const struct spot from = drawing->spot[tensor];
    fprintf(drawing->file, "<line class=\"frame\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n",
            right_of(drawing, from), middle_of(from), right_of(drawing, to) - drawing->box_width,
            middle_of(to));
}

static void draw_step(const struct drawing *drawing, int s) {
    const struct tcplan_tree *tree = drawing->tree;
    const struct spot spot = drawing->spot[tree->network->operand_count + s];
    const double all = tcplan_tree_totals(tree).seconds, middle = middle_of(spot),
                 left = right_of(drawing, spot) - drawing->box_width;
    const double share =
        all > 0 ? tcplan_tree_step_times(tree, s) * tree->step[s].seconds / all : 0;
    draw_line(drawing, tree->step[s].left, spot);
    draw_line(drawing, tree->step[s].right, spot);
    fprintf(
        drawing->file,
        "<rect class=\"c0\" fill=\"currentColor\" fill-opacity=\"%.2f\" stroke=\"currentColor\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%d\" rx=\"4\"/>\n",
        0.06 + 0.34 * share, left, middle - BOX_HEIGHT / 2.0, drawing->box_width, BOX_HEIGHT);
    for (int l = 0; l < 3; l++)
        picture_text(drawing->file, drawing->label[s][l],
                     "class=\"%s\" text-anchor=\"start\" x=\"%g\" y=\"%g\"",
                     l == 0 ? "step" : "value", left + BOX_PADDING, middle - 12 + 17 * l);
}

static bool draw(struct drawing *drawing) {
    const struct tcplan_tree *tree = drawing->tree;
    const struct tcplan_tree_totals totals = tcplan_tree_totals(tree);
    struct strbuf told = {0};
    const double drawn = 2 * MARGIN + drawing->box_width * (drawing->columns - 1) +
                         APART * (drawing->columns - 1) + drawing->leaf_width;
    drawing->width = drawn > LEAST_WIDTH ? drawn : LEAST_WIDTH;
    strbuf_add(&told, "%s by estimate, ", quantity_seconds(totals.seconds).text);
    strbuf_add(&told, "%s; intermediates take ", quantity_flops(totals.flops).text);
    strbuf_add(&told, "%s at most", quantity_bytes(totals.peak_bytes).text);
    char *title = tcplan_network_text(tree->network), *subtitle = strbuf_finish(&told);
    bool drew = title && subtitle;
    if (drew)
        picture_begin(drawing->file, drawing->width, PICTURE_TOP + ROW * drawing->rows + ROW, title,
                      subtitle, false);
    for (int o = 0; drew && o < tree->network->operand_count + tree->step_count; o++) {
        if (!drawing->spot[o].is_there || !is_leaf(tree, o)) continue;
        char *text = leaf_label(tree, o);
        drew = text != NULL;
        if (drew)
            picture_text(drawing->file, text,
                         "class=\"leaf\" text-anchor=\"end\" x=\"%g\" y=\"%g\"",
                         right_of(drawing, drawing->spot[o]) - 4, middle_of(drawing->spot[o]) + 4);
        free(text);
    }
    for (int s = 0; drew && s < tree->step_count; s++) {
        if (!tree->step[s].idle) draw_step(drawing, s);
    }
    if (drew) picture_end(drawing->file);
    free(title);
    free(subtitle);
    return drew;
}

bool tree_plot_write(FILE *file, const struct tcplan_tree *tree) {
    const size_t tensors = (size_t)tree->network->operand_count + (size_t)tree->step_count;
    struct drawing drawing = {.file = file, .tree = tree};
    drawing.spot = base_alloc_zero(tensors, sizeof *drawing.spot);
    drawing.label = base_alloc_zero((size_t)tree->step_count, sizeof *drawing.label);
    bool drew = drawing.spot && drawing.label && make_labels(&drawing);
    if (drew) place_all(&drawing);
    drew = drew && draw(&drawing);
    for (int s = 0; drawing.label && s < tree->step_count; s++) {
        for (int l = 0; l < 3; l++) free(drawing.label[s][l]);
    }
    base_free(drawing.label);
    base_free(drawing.spot);
    return drew;
}
