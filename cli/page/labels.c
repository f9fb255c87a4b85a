#include "cli/page/labels.h"

#include <math.h>
#include <stddef.h>

enum { CORNERS = 4, MARGIN = 2 };

struct place {
    double x, y;
};

/** Returns the direction of a strip as a unit vector; the vector to the right if the strip's length
 * is 0. */
static struct place direction_of(const struct strip *strip) {
    const double dx = strip->x2 - strip->x1, dy = strip->y2 - strip->y1, length = hypot(dx, dy);
    return length > 0 ? (struct place){dx / length, dy / length} : (struct place){1, 0};
}

static void corners_of(const struct strip *strip, struct place out[CORNERS]) {
    const struct place along = direction_of(strip);
    const double x = -along.y * strip->half, y = along.x * strip->half;
    out[0] = (struct place){strip->x1 + x, strip->y1 + y};
    out[1] = (struct place){strip->x1 - x, strip->y1 - y};
    out[2] = (struct place){strip->x2 + x, strip->y2 + y};
    out[3] = (struct place){strip->x2 - x, strip->y2 - y};
}

/** Returns whether two rectangles are separated by a line perpendicular to a direction. */
static bool is_parted(struct place corner[2][CORNERS], double x, double y) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int of = 0; of < 2; of++) {
        for (int c = 0; c < CORNERS; c++) {
            const double at = corner[of][c].x * x + corner[of][c].y * y;
            low[of] = fmin(low[of], at);
            high[of] = fmax(high[of], at);
        }
    }
    return high[0] <= low[1] || high[1] <= low[0];
}

/** Implements the test of Gottschalk, Lin and Manocha, OBBTree, SIGGRAPH 1996: tries the directions
 * of both rectangles' sides. */
bool labels_overlap(const struct strip *a, const struct strip *b) {
    const struct place along[2] = {direction_of(a), direction_of(b)};
    struct place corner[2][CORNERS];
    corners_of(a, corner[0]);
    corners_of(b, corner[1]);
    for (int of = 0; of < 2; of++) {
        if (is_parted(corner, along[of].x, along[of].y) ||
            is_parted(corner, -along[of].y, along[of].x))
            return false;
    }
    return true;
}

void labels_keep_off(struct labels *labels, struct strip strip) {
    if (labels->strips < LABELS_STRIPS) labels->strip[labels->strips++] = strip;
}

static bool is_within(const struct labels *labels, const struct strip *strip) {
    struct place corner[CORNERS];
    corners_of(strip, corner);
    for (int c = 0; c < CORNERS; c++) {
        if (corner[c].x < MARGIN || corner[c].x > labels->width - MARGIN || corner[c].y < MARGIN ||
            corner[c].y > labels->height - MARGIN)
            return false;
    }
    return true;
}

bool labels_is_free(const struct labels *labels, const struct strip *strip) {
    if (labels->strips == LABELS_STRIPS || !is_within(labels, strip)) return false;
    for (int s = 0; s < labels->strips; s++) {
        if (labels_overlap(strip, &labels->strip[s])) return false;
    }
    return true;
}

bool labels_take(struct labels *labels, const struct strip *strip) {
    if (!labels_is_free(labels, strip)) return false;
    labels_keep_off(labels, *strip);
    labels->is_text[labels->strips - 1] = true;
    return true;
}

struct strip label_strip(const struct label_place *place, double width, double height) {
    const double length = place->ends ? -width : width;
    return (struct strip){place->x, place->y, place->x + length * cos(place->angle),
                          place->y - length * sin(place->angle), height / 2};
}

/** Returns whether a line crosses a text. */
static bool crosses_text(const struct labels *labels, const struct strip *line) {
    for (int s = 0; s < labels->strips; s++) {
        if (labels->is_text[s] && labels_overlap(line, &labels->strip[s])) return true;
    }
    return false;
}

bool labels_find(struct labels *labels, struct label_place *out, double x, double y, double width,
                 double height) {
    static const double offsets[][2] = {{-9, 0},    {-9, -12},  {-9, 12},  {9, 0},    {9, -12},
                                        {9, 12},    {-16, -24}, {-16, 24}, {16, -24}, {16, 24},
                                        {-24, -38}, {-24, 38},  {24, -38}, {24, 38},  {-32, -52},
                                        {-32, 52},  {32, -52},  {32, 52}};
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        *out = (struct label_place){.x = x + offsets[o][0],
                                    .y = y + offsets[o][1],
                                    .ends = offsets[o][0]<0, .is_remote = fabs(offsets[o][1])> 12};
        const struct strip strip = label_strip(out, width, height),
                           line = {x, y, out->x, out->y, 0};
        if (out->is_remote && crosses_text(labels, &line)) continue;
        if (!labels_take(labels, &strip)) continue;
        if (out->is_remote) labels_keep_off(labels, line);
        return true;
    }
    return false;
}
