/*
 * The optimal string alignment distance by dynamic programming. A step uses at most the two
 * previous rows of the table (for a swap), so three rows are stored.
 */
#include "base/edit_distance.h"

#include <stdint.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/** The last three rows of the table: distances from prefixes of `a` to all prefixes of `b`. */
struct rows {
    size_t row[3][EDIT_DISTANCE_LONGEST + 1];
};

static size_t *row_of(struct rows *rows, size_t i) {
    return rows->row[i % 3];
}

/** Returns the distance between the first i characters of `a` and the first j of `b`. */
static size_t step(struct rows *rows, const char *a, size_t i, const char *b, size_t j) {
    const size_t replaced = row_of(rows, i - 1)[j - 1] + (a[i - 1] != b[j - 1]);
    const size_t best =
        smaller(smaller(row_of(rows, i - 1)[j], row_of(rows, i)[j - 1]) + 1, replaced);
    const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    return swapped ? smaller(best, row_of(rows, i - 2)[j - 2] + 1) : best;
}

size_t edit_distance(const char *a, const char *b) {
    struct rows rows;
    const size_t lines = strlen(a), columns = strlen(b);
    if (columns > EDIT_DISTANCE_LONGEST || lines > EDIT_DISTANCE_LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= columns; j++) row_of(&rows, 0)[j] = j;
    for (size_t i = 1; i <= lines; i++) {
        row_of(&rows, i)[0] = i;
        for (size_t j = 1; j <= columns; j++) row_of(&rows, i)[j] = step(&rows, a, i, b, j);
    }
    return row_of(&rows, lines)[columns];
}

void nearest_consider(struct nearest *nearest, const char *typed, const char *name) {
    const size_t length = strlen(typed), other = strlen(name),
                 longest = length > other ? length : other;
    const bool shortened = length > 0 && strncmp(name, typed, length) == 0;
    const size_t distance = shortened ? 0 : edit_distance(typed, name);
    if (3 * distance > longest + 1 || (nearest->name && distance >= nearest->distance)) return;
    *nearest = (struct nearest){.name = name, .distance = distance};
}
