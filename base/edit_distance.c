#include "base/edit_distance.h"

#include <stdint.h>
#include <string.h>

static size_t min3(size_t a, size_t b, size_t c) {
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

size_t edit_distance(const char *a, const char *b) {
    size_t row[EDIT_DISTANCE_LONGEST + 1];
    const size_t columns = strlen(b);
    if (columns > EDIT_DISTANCE_LONGEST || strlen(a) > EDIT_DISTANCE_LONGEST) return SIZE_MAX;
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}
