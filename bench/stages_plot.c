#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/stages.h"
#include "cli/page/gnuplot.h"

enum { MAX_CURVES = 40, SERIES = 2 };

static const char *const series_names[SERIES] = {"predicted", "measured"};

/** The index whose extent makes the x axis. */
static int swept_index(const struct stages_point *point, size_t points) {
    const int indices = point->problem.contraction->index_count;
    for (int i = 0; i < indices; i++) {
        if (points > 1 && point[0].problem.extent[i] != point[1].problem.extent[i]) return i;
    }
    return 0;
}

/** "a = b = c": every index that is swept. */
static void print_axis(FILE *gnuplot, const struct stages_point *point, size_t points) {
    const struct tcplan_contraction *contraction = point->problem.contraction;
    const int64_t first = point[0].problem.extent[swept_index(point, points)];
    const int64_t last = point[points - 1].problem.extent[swept_index(point, points)];
    const char *separator = "";
    fputs("set xlabel '", gnuplot);
    for (int i = 0; i < contraction->index_count; i++) {
        if (point[0].problem.extent[i] != first || point[points - 1].problem.extent[i] != last) continue;
        fprintf(gnuplot, "%s%s", separator, contraction->index[i].name);
        separator = " = ";
    }
    fputs("' noenhanced\n", gnuplot);
}

/** The contraction and the extents that are the same everywhere. */
static void print_title(FILE *gnuplot, const struct stages_point *point, size_t points) {
    const struct tcplan_contraction *contraction = point->problem.contraction;
    char *text = tcplan_contraction_text(contraction);
    fprintf(gnuplot, "set multiplot layout 1,2 title \"%s", text ? text : "");
    for (int i = 0; i < contraction->index_count; i++) {
        if (point[0].problem.extent[i] != point[points - 1].problem.extent[i]) continue;
        fprintf(gnuplot, ", %s = %lld", contraction->index[i].name, (long long)point[0].problem.extent[i]);
    }
    fputs("\" noenhanced\n", gnuplot);
    free(text);
}

static bool has_curve(const struct stages_point *point, size_t row) {
    return point->row[row].measured > 0;
}

static void print_data(FILE *gnuplot, const struct stages_point *point, size_t points, int series, int stage) {
    const int index = swept_index(point, points);
    fprintf(gnuplot, "$%s << EOD\n", series_names[series]);
    for (size_t p = 0; p < points; p++) {
        fprintf(gnuplot, "%lld", (long long)point[p].problem.extent[index]);
        for (size_t r = 0; r < point[p].count; r++) {
            if (!has_curve(point, r)) continue;
            const double seconds = series == 0 ? point[p].row[r].predicted[stage] : point[p].row[r].measured;
            fprintf(gnuplot, " %.6g", seconds > 0 ? 1e-9 * point[p].problem.flops / seconds : 0);
        }
        fputs("\n", gnuplot);
    }
    fputs("EOD\n", gnuplot);
}

/** Colours tell kernels apart, dashes the algorithms of a kernel. */
static void print_style(FILE *gnuplot, const struct stages_row *row, int of_kernel) {
    static const char *const colours[] = {[TCPLAN_DOT] = "#7f7f7f",
                                          [TCPLAN_AXPY] = "#bcbd22",
                                          [TCPLAN_GEMV] = "#1f77b4",
                                          [TCPLAN_GER] = "#2ca02c",
                                          [TCPLAN_GEMM] = "#d62728"};
    fprintf(gnuplot, " lc rgb '%s' dt %d pt %d ps 0.5 lw 1.5", colours[row->algorithm.kernel], of_kernel % 5 + 1, of_kernel % 12 + 1);
}

static void print_curves(FILE *gnuplot, const struct stages_point *point, int series) {
    int of_kernel[TCPLAN_KERNELS] = {0};
    int curves = 0;
    fputs("plot ", gnuplot);
    for (size_t r = 0; r < point->count && curves < MAX_CURVES; r++) {
        const struct stages_row *row = &point->row[r];
        if (!has_curve(point, r)) continue;
        char *name = tcplan_algorithm_name(&row->algorithm, point->problem.contraction, point->problem.dtype);
        fprintf(gnuplot, "%s$%s using 1:%d with linespoints", curves > 0 ? ", " : "", series_names[series], curves + 2);
        print_style(gnuplot, row, of_kernel[row->algorithm.kernel]++);
        if (series == 1) {
            fputs(" notitle", gnuplot);
        } else {
            fprintf(gnuplot, " title \"%s\"", name ? name : "");
        }
        free(name);
        curves++;
    }
    fputs("\n", gnuplot);
}

/** The highest performance in both panels, so that they share an axis. */
static double highest(const struct stages_point *point, size_t points, int stage) {
    double highest = 0;
    for (size_t p = 0; p < points; p++) {
        for (size_t r = 0; r < point[p].count; r++) {
            const struct stages_row *row = &point[p].row[r];
            if (row->measured <= 0) continue;
            const double predicted = row->predicted[stage] > 0 ? point[p].problem.flops / row->predicted[stage] : 0;
            const double measured = point[p].problem.flops / row->measured;
            if (predicted > highest) highest = predicted;
            if (measured > highest) highest = measured;
        }
    }
    return 1e-9 * highest;
}

static void print_figure(FILE *gnuplot, const char *path, const struct stages_point *point, size_t points, int stage,
                         const char *stage_name) {
    fprintf(gnuplot, "set terminal svg size 1200,540 font 'sans,13' background 'white'\nset output '%s'\n", path);
    for (int series = 0; series < SERIES; series++) print_data(gnuplot, point, points, series, stage);
    print_title(gnuplot, point, points);
    print_axis(gnuplot, point, points);
    fprintf(gnuplot, "set ylabel 'GFLOP/s'\nset yrange [0:%g]\nset grid\nset tmargin 3\nset bmargin 8\n",
            1.05 * highest(point, points, stage));
    fputs("set key at screen 0.5,0.01 center bottom horizontal maxrows 3 noenhanced font ',11'\n", gnuplot);
    fprintf(gnuplot, "set title 'predicted (%s)'\n", stage_name);
    print_curves(gnuplot, point, 0);
    fputs("set title 'measured'\n", gnuplot);
    print_curves(gnuplot, point, 1);
    fputs("unset multiplot\n", gnuplot);
}

bool stages_plot(const char *path, const struct stages_point *point, size_t points, int stage, const char *stage_name) {
    FILE *script = tmpfile();
    if (!script) return false;
    print_figure(script, path, point, points, stage, stage_name);
    const bool drawn = gnuplot_draw(script, STDOUT_FILENO) == GNUPLOT_DONE;
    fclose(script);
    return drawn;
}
