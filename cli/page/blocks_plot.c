/* The blocks of a block-sparse product as a picture: A below left, B above right, the result below
 * right, as a matrix product is written. The colour of a block is the way that computes its sector.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "cli/page/drawing.h"
#include "cli/page/pictures.h"

enum { MARGIN = 24, GAP = 28, AREA = 640, KEY = 24 };

static const char *const ways[] = {"blocks", "grouped", "fused", "dense", "packed"};
enum { WAYS = sizeof ways / sizeof *ways };

/** The state of drawing: the extents of the axes, and their lengths in pixels. */
struct blocks_drawing {
    FILE *file;
    const struct tcplan_block_product *product;
    struct tcplan_block_place *place[3];
    double rows, meets, columns, scale;
    bool has_way[WAYS], has_idle; /* whether each colour occurs; `has_idle`: whether grey blocks
                                     occur, which take part in no pair */
};

static int number_of(const char *way) {
    for (int w = 0; w < WAYS && way; w++)
        if (strcmp(ways[w], way) == 0) return w;
    return -1;
}

static void draw_block(struct blocks_drawing *drawing, const struct tcplan_block_place *place,
                       double left, double top) {
    const int way = number_of(place->way);
    const double scale = drawing->scale, gap = 0.5;
    if (way >= 0) drawing->has_way[way] = true;
    if (way < 0) drawing->has_idle = true;
    fprintf(drawing->file,
            "<rect class=\"c%d\" fill=\"currentColor\" fill-opacity=\"%s\" x=\"%.2f\" y=\"%.2f\" "
            "width=\"%.2f\" height=\"%.2f\"/>\n",
            way >= 0 ? way : 6, way >= 0 ? "0.75" : "0.25", left + scale * place->column,
            top + scale * place->row, fmax(scale * place->columns - gap, 0.5),
            fmax(scale * place->rows - gap, 0.5));
}

/** Draws a tensor: its frame, its name and its blocks. */
static void draw_tensor(struct blocks_drawing *drawing, enum tcplan_operand t, double left,
                        double top, double width, double height) {
    static const char *const names[] = {"A", "B", "result"};
    fprintf(drawing->file,
            "<rect class=\"frame\" fill=\"none\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
            "height=\"%.2f\"/>\n",
            left, top, width, height);
    picture_text(drawing->file, names[t], "class=\"value\" x=\"%.2f\" y=\"%.2f\"", left, top - 5);
    for (int64_t b = 0; b < tcplan_block_product_blocks(drawing->product, t); b++)
        draw_block(drawing, &drawing->place[t][b], left, top);
}

/** Draws the legend: the colours that occur and their meaning. */
static void draw_key(const struct blocks_drawing *drawing, double top) {
    double left = MARGIN;
    for (int w = 0; w < WAYS; w++) {
        if (!drawing->has_way[w]) continue;
        fprintf(drawing->file,
                "<rect class=\"c%d\" fill=\"currentColor\" fill-opacity=\"0.75\" x=\"%.2f\" "
                "y=\"%.2f\" width=\"12\" height=\"12\"/>\n",
                w, left, top - 10);
        picture_text(drawing->file, ways[w], "class=\"value\" x=\"%.2f\" y=\"%.2f\"", left + 18,
                     top);
        left += 90;
    }
    if (drawing->has_idle)
        picture_text(drawing->file, "grey: part of no pair",
                     "class=\"value\" x=\"%.2f\" y=\"%.2f\"", left, top);
}

static void draw(struct blocks_drawing *drawing, const struct tcplan_block_plan *plan) {
    const double longest = drawing->columns + drawing->meets,
                 tallest = drawing->rows + drawing->meets;
    drawing->scale = AREA / fmax(fmax(longest, tallest), 1);
    const double meets = drawing->scale * drawing->meets, rows = drawing->scale * drawing->rows,
                 columns = drawing->scale * drawing->columns;
    const double left = MARGIN + meets + GAP, top = PICTURE_TOP + meets + GAP;
    struct plot texts = {0};
    const char *title = plot_text_owned(&texts, tcplan_block_product_text(drawing->product));
    const char *subtitle =
        plot_text(&texts, "%s: %lld pairs of blocks, %s", tcplan_block_plan_way(plan),
                  (long long)tcplan_block_product_pairs(drawing->product),
                  quantity_seconds(tcplan_block_plan_seconds(plan)).text);
    picture_begin(drawing->file, fmax(left + columns + MARGIN, 480), top + rows + KEY + MARGIN,
                  title, subtitle, false);
    draw_tensor(drawing, TCPLAN_A, MARGIN, top, meets, rows);
    draw_tensor(drawing, TCPLAN_B, left, PICTURE_TOP, columns, meets);
    draw_tensor(drawing, TCPLAN_C, left, top, columns, rows);
    draw_key(drawing, top + rows + KEY);
    picture_end(drawing->file);
    plot_free(&texts);
}

/** Extends the axes to contain a tensor's blocks. */
static void add_extents(struct blocks_drawing *drawing, enum tcplan_operand t) {
    double *rows = t == TCPLAN_B ? &drawing->meets : &drawing->rows,
           *columns = t == TCPLAN_A ? &drawing->meets : &drawing->columns;
    for (int64_t b = 0; b < tcplan_block_product_blocks(drawing->product, t); b++) {
        const struct tcplan_block_place *place = &drawing->place[t][b];
        *rows = fmax(*rows, place->row + place->rows);
        *columns = fmax(*columns, place->column + place->columns);
    }
}

bool blocks_plot_write(FILE *file, const struct tcplan_block_product *product,
                       const struct tcplan_block_plan *plan) {
    struct blocks_drawing drawing = {.file = file, .product = product};
    bool ok = true;
    for (int t = 0; t < TCPLAN_OPERANDS && ok; t++) {
        const int64_t count = tcplan_block_product_blocks(product, (enum tcplan_operand)t);
        drawing.place[t] = base_alloc_zero((size_t)count + 1, sizeof *drawing.place[t]);
        ok = drawing.place[t] != NULL;
    }
    ok = ok && tcplan_block_plan_places(drawing.place, plan, NULL) == TCPLAN_OK;
    for (int t = 0; t < TCPLAN_OPERANDS && ok; t++) add_extents(&drawing, (enum tcplan_operand)t);
    if (ok) draw(&drawing, plan);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(drawing.place[t]);
    return ok;
}
