/*
 * The predicted time of the fastest distributed algorithm over the number of processes, its local
 * and communication parts, and the time of ScaLAPACK, on logarithmic axes.
 */
#include "base/quantity.h"
#include "cli/page/pictures.h"

static void add_line(struct plot *plot, const char *name, int number,
                     const struct ranks_point point[], int count,
                     double (*value)(const struct ranks_point *point)) {
    const struct plot_series series = {
        .name = name, .style = plot_style_of((size_t)number), .line = true};
    const int added = plot_add_series(plot, series);
    bool apart = false;
    for (int p = 0; p < count; p++) {
        const double seconds = value(&point[p]);
        const char *tip = plot_text(plot, "%s on %d processes, %.80s: %s", name, point[p].processes,
                                    number == 3 ? point[p].scalapack.name : point[p].best.name,
                                    quantity_seconds(seconds).text);
        if (seconds > 0)
            plot_add_mark(plot, (struct plot_mark){.series = added,
                                                   .x = point[p].processes,
                                                   .y = seconds,
                                                   .apart = apart,
                                                   .tip = tip});
        apart = !(seconds > 0);
    }
}

static double whole(const struct ranks_point *point) {
    return point->best.seconds;
}

static double local(const struct ranks_point *point) {
    return point->best.local_seconds;
}

static double communication(const struct ranks_point *point) {
    return point->best.communication_seconds;
}

static double scalapack(const struct ranks_point *point) {
    return point->scalapack.seconds;
}

bool ranks_plot_write(FILE *file, const char *title, const char *subtitle,
                      const struct ranks_point point[], int count) {
    struct plot plot = {.title = title,
                        .subtitle = subtitle,
                        .x = {.title = "processes", .label = plot_label_count},
                        .y = {.title = "predicted time", .label = plot_label_seconds}};
    add_line(&plot, "fastest algorithm", 0, point, count, whole);
    add_line(&plot, "its local products", 1, point, count, local);
    add_line(&plot, "its communication", 2, point, count, communication);
    bool has_scalapack = false;
    for (int p = 0; p < count; p++) has_scalapack = has_scalapack || point[p].scalapack.seconds > 0;
    if (has_scalapack) add_line(&plot, "ScaLAPACK", 3, point, count, scalapack);
    return plot_print(file, &plot, 1);
}
