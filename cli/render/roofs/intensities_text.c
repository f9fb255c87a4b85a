#include "cli/render/roofs/intensities_text.h"

#include <math.h>

#include "cli/render/text/table.h"

/** min(F, B I) of a point: the ceiling of FMA, and of what is loaded and stored in the same place.
 * 0: not known. */
static double roof_of(const struct tcplan_roofline *roofline, const struct tcplan_ceiling *point) {
    const struct tcplan_ceiling *fma =
        tcplan_roofline_compute(roofline, "fma", TCPLAN_DOUBLE, 0, point->threads);
    const struct tcplan_ceiling *update =
        tcplan_roofline_bandwidth(roofline, "update", point->cache, point->threads);
    return fma && update ? fmin(fma->rate, update->rate * point->intensity) : 0;
}

/** Where F and B I are equal; 0: not known. */
static double ridge_of(const struct tcplan_roofline *roofline, const struct tcplan_ceiling *point) {
    const struct tcplan_ceiling *fma =
        tcplan_roofline_compute(roofline, "fma", TCPLAN_DOUBLE, 0, point->threads);
    const struct tcplan_ceiling *update =
        tcplan_roofline_bandwidth(roofline, "update", point->cache, point->threads);
    return fma && update ? fma->rate / update->rate : 0;
}

static bool same_line(const struct tcplan_ceiling *a, const struct tcplan_ceiling *b) {
    return a->cache == b->cache && a->threads == b->threads;
}

static void add_share(struct table *table, double part, double whole) {
    table_add(table, whole > 0 ? "%.1f %%" : "-", whole > 0 ? 100 * part / whole : 0.0);
}

static bool print_points(FILE *file, const struct tcplan_roofline *roofline) {
    struct table table = {.columns = "lrrrrr", .optional = "000001"};
    const char *const headings[] = {"level",       "threads",
                                    "flop/byte",   tcplan_roofline_compute_unit(roofline),
                                    "of the roof", "dropped"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(&table, "%s", headings[h]);
    for (size_t i = 0; i < roofline->intensity_count; i++) {
        const struct tcplan_ceiling *point = &roofline->intensity[i];
        table_add(&table, "%s", point->level);
        table_add(&table, "%d", point->threads);
        table_add(&table, "%.4g", point->intensity);
        table_add(&table, "%.4g", point->rate);
        add_share(&table, point->rate, roof_of(roofline, point));
        table_add(&table, "%d", point->dropped);
    }
    return table_print(&table, file);
}

static bool print_ridges(FILE *file, const struct tcplan_roofline *roofline) {
    struct table table = {.columns = "lrrr"};
    const char *const headings[] = {"ridge", "threads", "found flop/byte", "of the roof flop/byte"};
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
        table_add(&table, "%s", headings[h]);
    for (size_t i = 0; i < roofline->intensity_count; i++) {
        const struct tcplan_ceiling *point = &roofline->intensity[i];
        if (i > 0 && same_line(point, &roofline->intensity[i - 1])) continue;
        const double ridge = ridge_of(roofline, point);
        table_add(&table, "%s", point->level);
        table_add(&table, "%d", point->threads);
        table_add(&table, "%.3g", tcplan_roofline_ridge(roofline, point->cache, point->threads));
        table_add(&table, ridge > 0 ? "%.3g" : "-", ridge);
    }
    return table_print(&table, file);
}

bool intensities_print_text(FILE *file, const struct tcplan_roofline *roofline) {
    if (roofline->intensity_count == 0) return true;
    fputc('\n', file);
    if (!print_points(file, roofline)) return false;
    fputc('\n', file);
    return print_ridges(file, roofline);
}
