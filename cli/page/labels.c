#include "cli/page/labels.h"

#include <math.h>
#include <stddef.h>

static bool overlaps(const struct box *a, const struct box *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

void labels_keep_off(struct labels *labels, struct box box) {
    if (labels->boxes < LABELS_BOXES) labels->box[labels->boxes++] = box;
}

void labels_keep_off_line(struct labels *labels, double x1, double y1, double x2, double y2, double half) {
    const double length = hypot(x2 - x1, y2 - y1), step = fmax(2 * half, 6);
    for (int n = 0; n * step <= length; n++) {
        const double share = length > 0 ? n * step / length : 0;
        const double x = x1 + share * (x2 - x1), y = y1 + share * (y2 - y1);
        labels_keep_off(labels, (struct box){x - half, x + half, y - half, y + half});
    }
}

bool labels_is_free(const struct labels *labels, const struct box *box) {
    if (box->left < 2 || box->right > labels->width - 2 || box->top < 2 || box->bottom > labels->height - 2) return false;
    for (int b = 0; b < labels->boxes; b++) {
        if (overlaps(box, &labels->box[b])) return false;
    }
    return true;
}

bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width, double height) {
    static const double offsets[][2] = {{-9, 0},  {-9, -12},  {-9, 12},  {9, 0},    {9, -12}, {9, 12},    {-16, -24}, {-16, 24}, {16, -24},
                                        {16, 24}, {-24, -38}, {-24, 38}, {24, -38}, {24, 38}, {-32, -52}, {-32, 52},  {32, -52}, {32, 52}};
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        const bool ends = offsets[o][0] < 0;
        const double edge = x + offsets[o][0], middle = y + offsets[o][1];
        const struct box box = {ends ? edge - width : edge, ends ? edge : edge + width, middle - height / 2, middle + height / 2};
        if (!labels_is_free(labels, &box)) continue;
        *out = (struct label_place){.x = edge, .y = middle, .ends = ends, .is_remote = fabs(offsets[o][1]) > 12};
        labels_keep_off(labels, box);
        return true;
    }
    return false;
}
