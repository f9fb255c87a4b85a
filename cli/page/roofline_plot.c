#include "cli/page/roofline_plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The canvas in pixels, y upwards, and what surrounds the axes. */
enum { WIDTH = 1060, HEIGHT = 700, LEFT = 84, RIGHT = 24, BOTTOM = 66, TOP = 52 };

/* Of text in the font that the script sets. */
static const double letter_width = 7.2, line_height = 15;

enum { COMPUTES = 3, MAX_LABELS = 12, MAX_BOXES = 2048, MAX_LEVELS = TCPLAN_MAX_CACHE_LEVELS + 1, TEXT = 96 };

struct range {
    double low, high;
};

/** A rectangle that labels keep off. */
struct box {
    double left, right, bottom, top;
};

/** What is drawn, in numbers. */
struct layout {
    struct range x, y;
    const struct tcplan_ceiling *level[MAX_LEVELS]; /* bandwidths, nearest to the core first */
    int levels;
    const struct tcplan_ceiling *compute[COMPUTES];
    int computes;
    struct box box[MAX_BOXES];
    int boxes;
};

static double pixel_x(const struct layout *layout, double intensity) {
    return LEFT + (WIDTH - LEFT - RIGHT) * log(intensity / layout->x.low) / log(layout->x.high / layout->x.low);
}

static double pixel_y(const struct layout *layout, double gflops) {
    return BOTTOM + (HEIGHT - BOTTOM - TOP) * log(gflops / layout->y.low) / log(layout->y.high / layout->y.low);
}

/** A pixel as gnuplot takes it: a share of the axes. */
static double graph_x(double x) {
    return (x - LEFT) / (WIDTH - LEFT - RIGHT);
}

static double graph_y(double y) {
    return (y - BOTTOM) / (HEIGHT - BOTTOM - TOP);
}

/* Roofs. */

static void collect_roofs(struct layout *layout, const struct roofline_plot *plot) {
    const struct tcplan_roofline *roofline = plot->roofline;
    static const char *const gemms[TCPLAN_DTYPES] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    for (int cache = 0; cache <= roofline->machine.cache_count; cache++) {
        const struct tcplan_ceiling *ceiling = tcplan_roofline_bandwidth(roofline, plot->bandwidth, cache, plot->threads);
        if (ceiling) layout->level[layout->levels++] = ceiling;
    }
    const struct tcplan_ceiling *const compute[COMPUTES] = {
        tcplan_point_compute_ceiling(roofline, plot->dtype, plot->threads, true),
        tcplan_point_compute_ceiling(roofline, plot->dtype, plot->threads, false),
        tcplan_roofline_compute(roofline, gemms[plot->dtype], plot->dtype, 0, plot->threads),
    };
    for (int c = 0; c < COMPUTES; c++) {
        if (compute[c] && (c == 0 || compute[c] != compute[0])) layout->compute[layout->computes++] = compute[c];
    }
}

static double highest_compute(const struct layout *layout) {
    double highest = 0;
    for (int c = 0; c < layout->computes; c++) highest = fmax(highest, layout->compute[c]->rate);
    return highest;
}

/** Roofs from left of where the fastest level's meets the highest ceiling to right of where the slowest one's does, and all points. */
static void set_ranges(struct layout *layout, const struct roofline_plot *plot) {
    const double top = highest_compute(layout) > 0 ? highest_compute(layout) : 1;
    const double slowest = layout->levels > 0 ? tcplan_point_line_rate(layout->level[layout->levels - 1]) : 1;
    double fastest = slowest;
    for (int l = 0; l < layout->levels; l++) fastest = fmax(fastest, tcplan_point_line_rate(layout->level[l]));
    layout->x = (struct range){0.3 * top / fastest, 12 * top / slowest};
    for (size_t p = 0; p < plot->count; p++) {
        layout->x.low = fmin(layout->x.low, plot->point[p].at.intensity_low / 3);
        layout->x.high = fmax(layout->x.high, plot->point[p].at.intensity_high * 2);
    }
    layout->y = (struct range){slowest * layout->x.low, 2 * top};
    for (size_t p = 0; p < plot->count; p++) {
        layout->y.low = fmin(layout->y.low, plot->point[p].at.gflops / 2);
        layout->y.high = fmax(layout->y.high, plot->point[p].at.gflops * 2);
    }
}

/* Boxes. */

static bool overlaps(const struct box *a, const struct box *b) {
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static void keep_off(struct layout *layout, struct box box) {
    if (layout->boxes < MAX_BOXES) layout->box[layout->boxes++] = box;
}

static bool is_free(const struct layout *layout, const struct box *box) {
    if (box->left < LEFT + 2 || box->right > WIDTH - RIGHT - 2 || box->bottom < BOTTOM + 2 || box->top > HEIGHT - TOP - 2) return false;
    for (int b = 0; b < layout->boxes; b++) {
        if (overlaps(box, &layout->box[b])) return false;
    }
    return true;
}

/* Printing. */

static void print_string(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        if ((unsigned char)*text >= ' ') fputc(*text, file);
    }
    fputc('"', file);
}

/** A label that starts (or, `right`, ends) at a pixel. */
static void print_label(FILE *file, const char *text, double x, double y, bool right, double degrees, const char *colour) {
    fputs("set label ", file);
    print_string(file, text);
    fprintf(file, " at graph %.4f,%.4f %s noenhanced front textcolor rgb '%s'", graph_x(x), graph_y(y), right ? "right" : "left", colour);
    if (degrees > 0) fprintf(file, " rotate by %.2f", degrees);
    fputc('\n', file);
}

static void print_terminal(FILE *file, enum plot_kind kind) {
    if (kind == PLOT_SVG) {
        fprintf(file, "set terminal svg size %d,%d font 'DejaVu Sans,12' background 'white'\n", WIDTH, HEIGHT);
        return;
    }
    if (kind == PLOT_SCRIPT) {
        fputs("# A roofline with its data. Draw it with: gnuplot THIS > roofline.png\n"
              "# or with another terminal: gnuplot -e \"terminal='svg'\" THIS > roofline.svg\n"
              "if (!exists('terminal')) terminal = 'pngcairo'\n",
              file);
        fprintf(file, "eval sprintf(\"set terminal %%s size %d,%d font 'DejaVu Sans,12' background 'white'\", terminal)\n", WIDTH, HEIGHT);
        return;
    }
    fprintf(file, "set terminal pngcairo size %d,%d font 'DejaVu Sans,12' background 'white'\n", WIDTH, HEIGHT);
}

static void print_axes(FILE *file, const struct layout *layout, const char *title) {
    fputs("set title ", file);
    print_string(file, title);
    fputs(
        " noenhanced font ',13'\nset xlabel 'operational intensity (flop per byte of cache lines moved)'\nset ylabel 'performance (GFLOP/s)'\n",
        file);
    fputs("set logscale xy\nset grid xtics ytics lc rgb '#dddddd' lw 0.5\nset tics nomirror\n", file);
    fprintf(file, "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset bmargin at screen %.4f\nset tmargin at screen %.4f\n",
            (double)LEFT / WIDTH, 1 - (double)RIGHT / WIDTH, (double)BOTTOM / HEIGHT, 1 - (double)TOP / HEIGHT);
    fprintf(file, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", layout->x.low, layout->x.high, layout->y.low, layout->y.high);
    fputs("set format xy '%g'\nset key bottom right opaque box lc rgb '#bbbbbb' samplen 1 spacing 1.1 width 2\n", file);
}

/** Steps along a slanted label, each a box that other labels keep off. */
static void keep_off_slope(struct layout *layout, double x, double y, double length, double angle) {
    for (int step = 0; step * line_height < length; step++) {
        const double along = step * line_height;
        const double at_x = x + along * cos(angle);
        const double at_y = y + along * sin(angle);
        keep_off(layout, (struct box){at_x - line_height / 2, at_x + line_height / 2, at_y - line_height / 2, at_y + line_height / 2});
    }
}

/** The slope of roofs on the canvas, as both axes are logarithmic. */
static double roof_angle(const struct layout *layout) {
    const double per_x = (WIDTH - LEFT - RIGHT) / log(layout->x.high / layout->x.low);
    const double per_y = (HEIGHT - BOTTOM - TOP) / log(layout->y.high / layout->y.low);
    return atan2(per_y, per_x);
}

/** A name along each bandwidth roof, above it, near the left. */
static void label_levels(FILE *file, struct layout *layout) {
    const double angle = roof_angle(layout);
    for (int l = 0; l < layout->levels; l++) {
        const struct tcplan_ceiling *level = layout->level[l];
        char text[TEXT];
        const double rate = tcplan_point_line_rate(level);
        snprintf(text, sizeof text, "%s %s: %.3g GB/s", level->level, level->name, rate);
        const double start = fmax(layout->x.low, layout->y.low / rate);
        const double x = pixel_x(layout, start) + 14 - 0.8 * line_height * sin(angle);
        const double y = pixel_y(layout, start * rate) + 14 * tan(angle) + 0.8 * line_height * cos(angle);
        print_label(file, text, x, y, false, angle * 57.29577951308232, "#444444");
        keep_off_slope(layout, x, y, letter_width * (double)strlen(text), angle);
    }
}

/** A name above the right end of each compute roof, or below it where the next one is too near. */
static void label_computes(FILE *file, struct layout *layout) {
    for (int c = 0; c < layout->computes; c++) {
        const struct tcplan_ceiling *compute = layout->compute[c];
        char text[TEXT];
        if (compute->m > 0) {
            snprintf(text, sizeof text, "%s %lld x %lld x %lld: %.4g GFLOP/s", compute->name, (long long)compute->m, (long long)compute->n,
                     (long long)compute->k, compute->rate);
        } else {
            snprintf(text, sizeof text, "%s, %d bits: %.4g GFLOP/s", compute->name, compute->vector_bits, compute->rate);
        }
        const double right = WIDTH - RIGHT - 8;
        const double line = pixel_y(layout, compute->rate);
        const double width = letter_width * (double)strlen(text);
        struct box box = {right - width, right, line + 2, line + 2 + line_height};
        if (!is_free(layout, &box)) {
            box.top = line - 2;
            box.bottom = box.top - line_height;
        }
        print_label(file, text, right, (box.top + box.bottom) / 2, true, 0, "#444444");
        keep_off(layout, box);
        keep_off(layout, (struct box){LEFT, WIDTH - RIGHT, line - 1, line + 1});
    }
}

/** A roof of each level up to the highest ceiling, and each ceiling from where the fastest level reaches it. */
static void print_roofs(FILE *file, const struct layout *layout) {
    const double top = highest_compute(layout);
    double fastest = 0;
    for (int l = 0; l < layout->levels; l++) {
        const double rate = tcplan_point_line_rate(layout->level[l]);
        fastest = fmax(fastest, rate);
        fprintf(file, "$level%d << EOD\n%.6g %.6g\n%.6g %.6g\nEOD\n", l, layout->x.low, rate * layout->x.low, top / rate, top);
    }
    for (int c = 0; c < layout->computes; c++) {
        const double rate = layout->compute[c]->rate;
        const double left = fastest > 0 ? rate / fastest : layout->x.low;
        fprintf(file, "$compute%d << EOD\n%.6g %.6g\n%.6g %.6g\nEOD\n", c, left, rate, layout->x.high, rate);
    }
}

/* Points: x is the model's intensity, a thin line leads to that of the compulsory traffic. */

/** Of the classes of kernels in their order, in turn. */
static const char *const colours[] = {"#7f7f7f", "#bc8f00", "#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#17becf"};
enum { COLOURS = sizeof colours / sizeof *colours };

static bool is_of(const struct plot_point *point, int kernel, enum tcplan_origin origin) {
    return (int)point->kernel == kernel && point->at.origin == origin;
}

static bool has_any(const struct roofline_plot *plot, int kernel, enum tcplan_origin origin) {
    for (size_t p = 0; p < plot->count; p++) {
        if (is_of(&plot->point[p], kernel, origin)) return true;
    }
    return false;
}

static void print_points(FILE *file, const struct roofline_plot *plot) {
    static const enum tcplan_origin origins[] = {TCPLAN_ORIGIN_PREDICTED, TCPLAN_ORIGIN_MEASURED};
    for (size_t o = 0; o < sizeof origins / sizeof *origins; o++) {
        for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
            if (!has_any(plot, kernel, origins[o])) continue;
            fprintf(file, "# intensity by the model and by compulsory traffic, GFLOP/s, algorithm\n$%s_%d << EOD\n",
                    tcplan_origin_name(origins[o]), kernel);
            for (size_t p = 0; p < plot->count; p++) {
                const struct plot_point *point = &plot->point[p];
                if (!is_of(point, kernel, origins[o])) continue;
                fprintf(file, "%.6g %.6g %.6g \"%s\"\n", point->at.intensity_low, point->at.intensity_high, point->at.gflops, point->name);
            }
            fputs("EOD\n", file);
        }
    }
}

/** A line from a point, at the left and bottom of `ends`, to its label. */
static void print_leader(FILE *file, struct box ends, const char *colour) {
    fprintf(file, "set arrow from graph %.4f,%.4f to graph %.4f,%.4f nohead lw 0.6 lc rgb '%s'\n", graph_x(ends.left), graph_y(ends.bottom),
            graph_x(ends.right), graph_y(ends.top), colour);
}

/** Labels keep off the roofs. */
static void keep_off_roofs(struct layout *layout) {
    const double angle = roof_angle(layout);
    const double step = line_height / 2;
    for (int l = 0; l < layout->levels; l++) {
        const double rate = tcplan_point_line_rate(layout->level[l]);
        const double top = pixel_y(layout, highest_compute(layout));
        const double left = pixel_y(layout, layout->x.low * rate);
        for (int n = 0; left + n * step * sin(angle) < top; n++) {
            const double x = LEFT + n * step * cos(angle);
            const double y = left + n * step * sin(angle);
            if (y > BOTTOM) keep_off(layout, (struct box){x - 1, x + 1, y - 1, y + 1});
        }
    }
}

/** Labels the fastest points, each where it overlaps neither a point nor another label; one that finds no room is left out. */
static void label_points(FILE *file, struct layout *layout, const struct roofline_plot *plot) {
    static const double offsets[][2] = {{-9, 0}, {-9, 12}, {-9, -12}, {-16, 24}, {-16, -24}, {-24, 38},  {-24, -38}, {9, 0},
                                        {9, 12}, {9, -12}, {16, 24},  {16, -24}, {-32, 52},  {-32, -52}, {24, 38},   {24, -38}};
    for (size_t p = 0; p < plot->count && p < MAX_BOXES / 4; p++) {
        const double x = pixel_x(layout, plot->point[p].at.intensity_low);
        const double y = pixel_y(layout, plot->point[p].at.gflops);
        keep_off(layout, (struct box){x - 5, x + 5, y - 5, y + 5});
    }
    for (size_t p = 0; p < plot->count && p < MAX_LABELS; p++) {
        const struct plot_point *point = &plot->point[p];
        const double x = pixel_x(layout, point->at.intensity_low);
        const double y = pixel_y(layout, point->at.gflops);
        const double width = letter_width * (double)strlen(point->name);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            const bool right = offsets[o][0] < 0;
            const double edge = x + offsets[o][0];
            const double middle = y + offsets[o][1];
            const struct box box = {right ? edge - width : edge, right ? edge : edge + width, middle - line_height / 2,
                                    middle + line_height / 2};
            if (!is_free(layout, &box)) continue;
            print_label(file, point->name, edge, middle, right, 0, colours[point->kernel]);
            if (fabs(offsets[o][1]) > 12) print_leader(file, (struct box){x, edge, y, middle}, colours[point->kernel]);
            keep_off(layout, box);
            break;
        }
    }
}

/** The level that feeds the points, whose roof is drawn bold; -1: no points. */
static int home_of(const struct roofline_plot *plot) {
    return plot->count > 0 && plot->point[0].at.model_bandwidth ? plot->point[0].at.model_bandwidth->cache : -1;
}

/** The names of kernels in the key. */
static void print_curves(FILE *file, const struct layout *layout, const struct roofline_plot *plot) {
    static const enum tcplan_origin origins[] = {TCPLAN_ORIGIN_PREDICTED, TCPLAN_ORIGIN_MEASURED};
    const char *separator = "plot ";
    for (int l = 0; l < layout->levels; l++, separator = ", \\\n    ") {
        const bool feeds = layout->level[l]->cache == home_of(plot);
        fprintf(file, "%s$level%d with lines lw %s lc rgb '%s' notitle", separator, l, feeds ? "2.4" : "1.2",
                feeds ? "#000000" : "#777777");
    }
    for (int c = 0; c < layout->computes; c++, separator = ", \\\n    ") {
        fprintf(file, "%s$compute%d with lines lw 1.4 dt %d lc rgb '#333333' notitle", separator, c, layout->compute[c]->m > 0 ? 2 : 1);
    }
    for (size_t o = 0; o < sizeof origins / sizeof *origins; o++) {
        for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
            if (!has_any(plot, kernel, origins[o])) continue;
            const char *origin = tcplan_origin_name(origins[o]);
            fprintf(file, ", \\\n    $%s_%d using 1:3:1:2 with xerrorbars pt -1 lw 0.6 lc rgb '%s' notitle", origin, kernel,
                    colours[kernel % COLOURS]);
            fprintf(file, ", \\\n    $%s_%d using 1:3 with points pt %d ps 1 lw 1.4 lc rgb '%s' title '%c%s %s'", origin, kernel,
                    origins[o] == TCPLAN_ORIGIN_MEASURED ? 7 : 6, colours[kernel % COLOURS], tcplan_dtype_letter(plot->dtype),
                    tcplan_kernel_name((enum tcplan_kernel)kernel, plot->dtype), origin);
        }
    }
    fputc('\n', file);
}

void roofline_plot_print(FILE *file, const struct roofline_plot *plot, enum plot_kind kind) {
    struct layout layout = {0};
    collect_roofs(&layout, plot);
    set_ranges(&layout, plot);
    print_terminal(file, kind);
    print_axes(file, &layout, plot->title);
    print_roofs(file, &layout);
    print_points(file, plot);
    label_levels(file, &layout);
    label_computes(file, &layout);
    keep_off_roofs(&layout);
    label_points(file, &layout, plot);
    print_curves(file, &layout, plot);
}
