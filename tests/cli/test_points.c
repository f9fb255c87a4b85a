/*
 * Tests the points of algorithms under the roofs of a given roofline, in every output format.
 * Measured times are not checked.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "cli/options/help.h"
#include "cli/page/labels.h"
#include "cli/page/pictures.h"
#include "cli/render/roofs/roofline.h"
#include "cli/roofs/points.h"
#include "cli/roofs/points_plot.h"
#include "support/rng.h"

static struct tcplan_ceiling compute[] = {
    {.name = "fma",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 512,
     .threads = 1,
     .cache = -1,
     .rate = 110,
     .q1 = 109,
     .q3 = 111},
    {.name = "mul_add",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 512,
     .threads = 1,
     .cache = -1,
     .rate = 54,
     .q1 = 53,
     .q3 = 55},
    {.name = "dgemm",
     .precision = TCPLAN_DOUBLE,
     .threads = 1,
     .cache = -1,
     .rate = 80,
     .q1 = 79,
     .q3 = 81,
     .m = 128,
     .n = 120,
     .k = 32},
};

#define BANDWIDTH(access, of_level, number, gbytes, line_bytes)                                    \
    {                                                                                              \
        .name = access, .level = of_level, .threads = 1, .cache = number, .rate = gbytes,          \
        .line_bytes_per_count_byte = line_bytes                                                    \
    }

static struct tcplan_ceiling bandwidth[] = {
    BANDWIDTH("store", "L1", 0, 227, 2), BANDWIDTH("store", "L2", 1, 56, 2),
    BANDWIDTH("store", "DRAM", 2, 9, 2), BANDWIDTH("load", "L1", 0, 418, 1),
    BANDWIDTH("load", "L2", 1, 170, 1),  BANDWIDTH("load", "DRAM", 2, 15, 1),
};

static const struct tcplan_roofline roofline = {
    .machine = {.cpu = "a \"test\" \\ machine",
                .line_bytes = 64,
                .page_bytes = 4096,
                .cache_count = 2,
                .cache = {{.level = 1, .size_bytes = 4096, .line_bytes = 64},
                          {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}},
    .compute_count = sizeof compute / sizeof *compute,
    .compute = compute,
    .bandwidth_count = sizeof bandwidth / sizeof *bandwidth,
    .bandwidth = bandwidth};

/** The JSON output for the 36 algorithms of a small contraction. */
struct scene {
    struct options options;
    struct request request;
    struct point_list points;
};

static void scene_open(struct scene *scene, bool measured) {
    static char contraction[] = "C_abc=A_ai*B_ibc", sizes[] = "--sizes=a=b=c=16,i=4",
                all[] = "--all", quiet[] = "--quiet";
    static char measure[] = "--measure";
    char *const arguments[] = {contraction, sizes, all, quiet, measure};
    assert_int_equal(
        options_parse(&scene->options, help_find("roofline"), measured ? 5 : 4, arguments),
        EXIT_DONE);
    assert_int_equal(
        request_read(&scene->request, &scene->options, REQUEST_SIZES | REQUEST_MACHINE), EXIT_DONE);
    assert_int_equal(points_make(&scene->points, &scene->request, 0, &roofline), EXIT_DONE);
}

static void scene_close(struct scene *scene) {
    points_free(&scene->points);
    request_free(&scene->request);
    options_free(&scene->options);
}

static void all_algorithms_are_placed(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, false);
    assert_int_equal(scene.points.count, 36);
    for (size_t p = 0; p < scene.points.count; p++) {
        const struct listed_point *point = &scene.points.point[p];
        assert_true(point->traffic.cache == 1);
        assert_string_equal(point->predicted.bandwidth->name, "store");
        assert_true(point->predicted.intensity_low <= point->predicted.intensity_high);
        assert_true(point->predicted.efficiency > 0);
        assert_true(point->predicted.efficiency <= point->predicted.model_efficiency);
        assert_false(point->measured_too);
    }
    scene_close(&scene);
}

static void json_is_as_documented(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, true);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    const struct roofline_report report = {.roofline = &roofline, .points = &scene.points};
    format_json.begin(&writer);
    format_json.view(&writer, &roofline_points_view, &report);
    format_json.end(&writer);
    rewind(file);
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, NULL);
    fclose(file);
    assert_non_null(root);
    const json_t *points = json_object_get(root, "points");
    assert_int_equal(json_array_size(points),
                     2 * 36); /* a predicted and a measured point for each algorithm */
    int intervals = 0;
    for (size_t p = 0; p < json_array_size(points); p++) {
        const json_t *point = json_array_get(points, p);
        assert_true(json_is_string(json_object_get(point, "name")));
        assert_true(json_number_value(json_object_get(point, "intensity_low")) > 0);
        assert_true(json_number_value(json_object_get(point, "intensity_high")) > 0);
        assert_true(json_number_value(json_object_get(point, "gflops")) > 0);
        const double share = json_number_value(json_object_get(point, "efficiency"));
        assert_true(share > 0);
        if (json_object_get(point, "efficiency_low")) { /* the interval of the efficiency is
                                                           proportional to that of the speed */
            const double gflops = json_number_value(json_object_get(point, "gflops"));
            assert_float_equal(json_number_value(json_object_get(point, "efficiency_low")) / share,
                               json_number_value(json_object_get(point, "gflops_low")) / gflops,
                               1e-6);
            assert_float_equal(json_number_value(json_object_get(point, "efficiency_high")) / share,
                               json_number_value(json_object_get(point, "gflops_high")) / gflops,
                               1e-6);
            intervals++;
        }
        assert_string_equal(json_string_value(json_object_get(point, "origin")),
                            p % 2 ? "measured" : "predicted");
    }
    assert_true(intervals >= 36);
    json_decref(root);
    scene_close(&scene);
}

static void text_lists_every_algorithm(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, true);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    const struct roofline_report report = {.roofline = &roofline, .points = &scene.points};
    roofline_points_view.text(&writer, &report);
    assert_false(writer.no_memory);
    rewind(file);
    char line[512];
    int algorithms = 0, intervals = 0;
    while (fgets(line, sizeof line, file)) {
        const char *share = strstr(line, " %");
        if (strncmp(line, "rank ", 5) == 0)
            algorithms = intervals = 0; /* a blank line ends the table of ceilings */
        algorithms += share != NULL;
        intervals += share && strstr(line, " % (");
    }
    assert_int_equal(algorithms, 36);
    assert_true(intervals > 0); /* algorithms with several samples have an interval */
    fclose(file);
    scene_close(&scene);
}

/* The picture. */

/** Returns a plot of synthetic points whose names, intensities and speeds are as close to each
 * other as those of real algorithms. */
static struct roofline_plot plot_of(struct plot_point *point, size_t count) {
    static const char *const names[] = {"c-dgemm",  "b-dgemm",   "cb-dgemv",
                                        "bc-dgemv", "i'c-dgemm", "cbi-daxpy"};
    for (size_t p = 0; p < count; p++) {
        point[p] = (struct plot_point){
            .name = names[p % 6],
            .kernel = (enum tcplan_kernel)(p % TCPLAN_KERNELS),
            .at = {.origin = p % 2 ? TCPLAN_ORIGIN_PREDICTED : TCPLAN_ORIGIN_MEASURED,
                   .intensity_low = 1 + 0.01 * (double)(p % 4),
                   .intensity_high = 1.9,
                   .gflops = 30 / (1 + 0.3 * (double)p),
                   .model_bandwidth = &bandwidth[1]}};
    }
    static const struct plot_roofs roofs = {
        .roofline = &roofline, .bandwidth = "store", .dtype = TCPLAN_DOUBLE, .threads = 1};
    return (struct roofline_plot){.title = "C_abc=A_ai*B_ibc on \"a\\b\" & <others>",
                                  .subtitle = "1 thread",
                                  .roofs = &roofs,
                                  .roofs_count = 1,
                                  .count = count,
                                  .point = point};
}

/** Draws a roofline plot as SVG, and parses it as XML. */
static xmlDocPtr draw(const struct roofline_plot *plot) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_true(roofline_plot_print(file, plot));
    fclose(file);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    xmlDocPtr picture = xmlReadMemory(text, (int)length, "picture.svg", NULL, XML_PARSE_NONET);
    if (!picture) fail_msg("not well-formed: %s", text);
    free(text);
    return picture;
}

static xmlDocPtr picture_of(size_t count) {
    static struct plot_point point[64];
    const struct roofline_plot plot = plot_of(point, count);
    return draw(&plot);
}

/** Returns the inner `svg` element, which is the plot area. */
static xmlNode *area_of(xmlDocPtr picture) {
    for (xmlNode *node = xmlDocGetRootElement(picture)->children; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "svg") == 0)
            return node;
    }
    fail_msg("the picture has no area");
    return NULL;
}

/** Returns whether the value of an attribute begins with `begin`. */
static bool has(const xmlNode *node, const char *name, const char *begin) {
    xmlChar *value =
        node->type == XML_ELEMENT_NODE ? xmlGetProp(node, (const xmlChar *)name) : NULL;
    const bool is = value && strncmp((const char *)value, begin, strlen(begin)) == 0;
    xmlFree(value);
    return is;
}

static int count_with(const xmlNode *parent, const char *element, const char *attribute,
                      const char *begin) {
    int count = 0;
    for (const xmlNode *node = parent->children; node; node = node->next) {
        count += node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, element) == 0 &&
                 has(node, attribute, begin);
    }
    return count;
}

static void the_picture_has_every_roof_and_point(void **state) {
    (void)state;
    xmlDocPtr picture = picture_of(36);
    const xmlNode *area = area_of(picture);
    assert_int_equal(count_with(area, "line", "class", "roof"), 5);
    assert_int_equal(count_with(area, "line", "class", "home"), 1);
    assert_int_equal(count_with(area, "use", "href", "#m"), 36);
    xmlFreeDoc(picture);
}

/** Reads the rectangles of the labels, assuming an average width of letters. Returns their number.
 */
static int read_labels(const xmlNode *area, struct strip *placed) {
    int count = 0;
    for (const xmlNode *node = area->children; node; node = node->next) {
        double x, y, degrees = 0;
        if (!has(node, "transform", "translate")) continue;
        xmlChar *transform = xmlGetProp(node, (const xmlChar *)"transform"),
                *text = xmlNodeGetContent(node);
        assert_true(sscanf((const char *)transform, "translate(%lf %lf) rotate(%lf)", &x, &y,
                           &degrees) >= 2);
        const struct label_place place = {.x = x,
                                          .y = y,
                                          .ends = has(node, "text-anchor", "end"),
                                          .angle = -degrees / 57.29577951308232};
        assert_in_range(count, 0, 255);
        placed[count++] = label_strip(&place, 6.9 * (double)strlen((const char *)text), 13);
        xmlFree(transform);
        xmlFree(text);
    }
    return count;
}

static void assert_apart(const struct strip *placed, int labels, double width) {
    for (int a = 0; a < labels; a++) {
        assert_true(placed[a].x1 >= 0 && placed[a].x1 <= width && placed[a].x2 >= 0 &&
                    placed[a].x2 <= width);
        assert_true(placed[a].y1 >= 0 && placed[a].y1 <= 520 && placed[a].y2 >= 0 &&
                    placed[a].y2 <= 520);
        for (int b = 0; b < a; b++) assert_false(labels_overlap(&placed[a], &placed[b]));
    }
}

/** Returns an attribute in pixels; a percentage refers to `whole`. */
static double number_of(const xmlNode *node, const char *name, double whole) {
    xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
    assert_non_null(value);
    const double number =
        atof((const char *)value) * (strchr((const char *)value, '%') ? whole / 100 : 1);
    xmlFree(value);
    return number;
}

/** Asserts that lines to labels, and lines of intervals, cross no label. */
static void assert_lines_apart(const xmlNode *area, const struct strip *placed, int labels) {
    const double width = number_of(area, "width", 0);
    for (const xmlNode *node = area->children; node; node = node->next) {
        if (!has(node, "class", "reach")) continue;
        const struct strip line = {number_of(node, "x1", width), number_of(node, "y1", 0),
                                   number_of(node, "x2", width), number_of(node, "y2", 0), 0};
        for (int l = 0; l < labels; l++) assert_false(labels_overlap(&line, &placed[l]));
    }
}

/** Asserts that labels and lines do not cross in a plot area. Returns the number of labels. */
static int assert_area_readable(const xmlNode *area, double width) {
    struct strip placed[256];
    const int labels = read_labels(area, placed);
    assert_lines_apart(area, placed, labels);
    assert_apart(placed, labels, width);
    return labels;
}

static void labels_do_not_overlap(void **state) {
    (void)state;
    for (size_t count = 0; count <= 60; count += 12) {
        xmlDocPtr picture = picture_of(count);
        const int labels = assert_area_readable(area_of(picture), 870);
        xmlFreeDoc(picture);
        assert_true(labels >= 5 + (count > 0 ? 5 : 0)); /* most roofs and some of the fastest
                                                           algorithms must have labels */
    }
}

/** Plots up to eight machines with random speeds and cache levels, with points on and near the
 * lines, in two widths. */
static void labels_of_random_pictures_do_not_overlap(void **state) {
    (void)state;
    uint64_t rng = 7;
    int written = 0;
    for (int round = 0; round < 60; round++) {
        struct tcplan_ceiling computes[8][5], bandwidths[8][4];
        struct tcplan_roofline machine[8];
        struct plot_roofs roofs[PLOT_ROOFS];
        struct plot_point point[64];
        const int count = 1 + round % 8;
        for (int m = 0; m < count; m++) {
            double rate = 20 * (1 + rng_below(&rng, 400) / 100.0);
            machine[m] = roofline;
            machine[m].machine.cache_count = 3;
            for (int c = 0; c < 5; c++) {
                computes[m][c] = compute[c < 2 ? c : 0];
                computes[m][c].rate = rate * (c == 0   ? 1
                                              : c == 1 ? 0.9
                                                       : 0.5 * (1 + (double)rng_below(&rng, 8)));
                computes[m][c].mix = c < 2 ? TCPLAN_MIX_NONE : (enum tcplan_mix)(c - 1);
            }
            for (int l = 0; l < 4; l++, rate /= 1 + rng_below(&rng, 300) / 100.0) {
                bandwidths[m][l] = (struct tcplan_ceiling){.name = "load",
                                                           .threads = 1,
                                                           .cache = l,
                                                           .rate = 4 * rate,
                                                           .line_bytes_per_count_byte = 1,
                                                           .precision = TCPLAN_DOUBLE};
                snprintf(bandwidths[m][l].level, sizeof bandwidths[m][l].level, "L%d", l + 1);
            }
            machine[m].compute = computes[m];
            machine[m].compute_count = round % 4 < 2 ? 2 : 5;
            machine[m].bandwidth = bandwidths[m];
            machine[m].bandwidth_count = 4;
            roofs[m] = (struct plot_roofs){.roofline = &machine[m],
                                           .name = "a machine",
                                           .bandwidth = "load",
                                           .dtype = TCPLAN_DOUBLE,
                                           .threads = 1,
                                           .series = m};
        }
        struct roofline_plot plot = plot_of(point, (size_t)rng_below(&rng, 64));
        for (size_t p = 0; p < plot.count; p++) {
            point[p].line = round % 3 == 0 ? (int)(p / 8) + 1 : 0;
            point[p].size = "64";
            point[p].at.intensity_low = 0.01 * (1 + rng_below(&rng, 1000));
            point[p].at.intensity_high = point[p].at.intensity_low * 2;
            point[p].at.gflops = 0.1 * (1 + rng_below(&rng, 1000));
            point[p].gflops_low = 0.9 * point[p].at.gflops;
            point[p].gflops_high = 1.1 * point[p].at.gflops;
        }
        plot.roofs = roofs;
        plot.roofs_count = count;
        for (int m = 0; m < count && round % 4 >= 2;
             m++) { /* half of the rounds have mixed precisions */
            roofs[plot.roofs_count] = roofs[m];
            roofs[plot.roofs_count].bandwidth = NULL;
            roofs[plot.roofs_count++].mixed = true;
        }
        plot.width = round % 2 ? 560 : 0;
        xmlDocPtr picture = draw(&plot);
        written += assert_area_readable(area_of(picture), plot.width > 0 ? 470 : 870);
        xmlFreeDoc(picture);
    }
    assert_true(written > 60 * 5);
}

/** The ceilings of a synthetic machine: two precisions, 1, 4, 16, ... threads, and several cache
 * levels. The caller owns the memory. */
struct made_machine {
    struct tcplan_ceiling compute[12], bandwidth[16];
    struct tcplan_roofline roofline;
};

static void make_machine(struct made_machine *out, uint64_t *rng, int counts, int levels) {
    size_t computes = 0, bandwidths = 0;
    for (int t = 0; t < counts; t++) {
        const int threads = 1 << (2 * t);
        const double core = threads * 10 * (1 + rng_below(rng, 300) / 100.0);
        for (int precision = 0; precision < 2; precision++) {
            for (int c = 0; c < 2; c++) {
                struct tcplan_ceiling *ceiling = &out->compute[computes++];
                *ceiling = compute[c];
                ceiling->precision = precision == 0 ? TCPLAN_DOUBLE : TCPLAN_FLOAT;
                ceiling->threads = threads;
                ceiling->rate = core * (precision + 1) * (c == 0 ? 1 : 0.6);
            }
        }
        double rate = 5 * core;
        for (int l = 0; l < levels; l++, rate /= 1.2 + rng_below(rng, 300) / 100.0) {
            struct tcplan_ceiling *ceiling = &out->bandwidth[bandwidths++];
            *ceiling = (struct tcplan_ceiling){.name = "load",
                                               .threads = threads,
                                               .cache = l,
                                               .rate = rate,
                                               .line_bytes_per_count_byte = 1};
            snprintf(ceiling->level, sizeof ceiling->level, "L%d", l + 1);
        }
    }
    out->roofline = roofline;
    out->roofline.machine.cache_count = levels - 1;
    out->roofline.compute = out->compute;
    out->roofline.compute_count = computes;
    out->roofline.bandwidth = out->bandwidth;
    out->roofline.bandwidth_count = bandwidths;
}

/** Asserts that all texts of the legend and the title are inside the picture. */
static void assert_key_within(xmlDocPtr picture, double width) {
    for (const xmlNode *node = xmlDocGetRootElement(picture)->children; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, "text") != 0)
            continue;
        xmlChar *x = xmlGetProp(node, (const xmlChar *)"x"), *text = xmlNodeGetContent(node);
        const double letter = has(node, "class", "title") ? 1.3 * 6.9 : 6.9;
        if (x && atof((const char *)x) + letter * (double)xmlUTF8Strlen(text) > width)
            fail_msg("'%s' is wider than the picture", (const char *)text);
        xmlFree(x);
        xmlFree(text);
    }
}

/** Plots all combinations of numbers of machines, threads, precisions and cache levels, with and
 * without points, in three widths. */
static void labels_of_machines_threads_precisions_and_levels_do_not_overlap(void **state) {
    static const double widths[] = {560, 960, 1600};
    (void)state;
    uint64_t rng = 11;
    for (int round = 0; round < 4 * 2 * 3 * 3; round++) {
        const int machines = 1 << (round % 4), counts = machines > 4 ? 1 : 1 + round / 4 % 2,
                  levels = 2 + round / 8 % 3;
        static struct made_machine made[8];
        struct plot_roofs roofs[PLOT_ROOFS];
        struct plot_point point[64];
        int count = 0;
        for (int m = 0; m < machines; m++) {
            make_machine(&made[m], &rng, counts, levels);
            for (int r = 0; r < 2 * counts && count < PLOT_ROOFS; r++) {
                roofs[count++] = (struct plot_roofs){
                    .roofline = &made[m].roofline,
                    .name = machines > 1 ? "A Processor with a Name of Forty Letters" : NULL,
                    .bandwidth = r % 2 == 0 ? "load" : NULL,
                    .dtype = r % 2 == 0 ? TCPLAN_DOUBLE : TCPLAN_FLOAT,
                    .threads = r / 2 == 0 ? 1 : 4,
                    .series = machines > 1 ? m : r / 2};
            }
        }
        struct roofline_plot plot = plot_of(point, round % 2 ? 30 : 0);
        plot.roofs = roofs;
        plot.roofs_count = count;
        plot.width = widths[round / 24 % 3];
        xmlDocPtr picture = draw(&plot);
        const int labels = assert_area_readable(area_of(picture), plot.width - 90);
        assert_key_within(picture, plot.width);
        xmlFreeDoc(picture);
        assert_true(labels >= (machines == 1 ? 4 : 2)); /* minimum for the narrowest picture, which
                                                           has the fewest labels */
    }
}

static char *script_of(const struct roofline_plot *plot, int columns) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_true(roofline_script_print(file, plot, columns));
    fclose(file);
    assert_true(!strstr(text, "nan") && !strstr(text, "inf"));
    return text;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

static void the_script_has_data_for_every_entry(void **state) {
    (void)state;
    for (size_t points = 0; points <= 36; points += 4) {
        struct plot_point point[64];
        const struct roofline_plot plot = plot_of(point, points);
        char *script = script_of(&plot, 79);
        const int entries = (int)(points < 13 ? points : 13) +
                            6; /* three cache levels and three compute ceilings; all points from the
                                  thirteenth on share one series */
        assert_int_equal(count_of(script, " with "), entries);
        assert_int_equal(count_of(script, "\ne\n"), entries);
        assert_non_null(strstr(script, "set terminal dumb 79 "));
        assert_int_equal(strstr(script, "'24 more'") != NULL, points == 36);
        free(script);
    }
}

static void texts_in_the_script_are_not_executed(void **state) {
    (void)state;
    struct plot_point point[1];
    struct roofline_plot plot = plot_of(point, 1);
    point[0].name = "i'c-dgemm\x1b[31m\n`date`";
    plot.title = "it's; system('x')";
    char *script = script_of(&plot, 20);
    assert_non_null(strstr(script, "'it''s; system(''x'')'"));
    assert_non_null(strstr(script, "'i''c-dgemm\\x1b[31m\\x0a`date`: 30 GFLOP/s'"));
    assert_non_null(strstr(script, "set terminal dumb 40 "));
    free(script);
}

/** Returns a plot as printed in a terminal, to be freed with free(). */
static char *text_of(struct plot *plot) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    assert_true(plot_print(file, plot, 1));
    fclose(file);
    assert_true(!strstr(text, "nan") && !strstr(text, "inf"));
    return text;
}

static xmlDocPtr read_picture(const char *text) {
    xmlDocPtr picture =
        xmlReadMemory(text, (int)strlen(text), "picture.svg", NULL, XML_PARSE_NONET);
    assert_non_null(picture);
    return picture;
}

/** Curves that cross each other, with measured and reported cache levels. */
static void curves_have_every_place_and_labels_apart(void **state) {
    (void)state;
    struct plot plot = {.title = "rates",
                        .subtitle = "a machine",
                        .x = {.title = "working set", .label = plot_label_bytes},
                        .y = {.title = "GB/s", .label = plot_label_number},
                        .unit = "GB/s"};
    for (int c = 0; c < 3; c++) {
        const char *name = plot_text(&plot, "load & <%d>", c);
        const int series = plot_add_series(
            &plot,
            (struct plot_series){.name = name, .style = plot_style_of((size_t)c), .line = true});
        for (size_t p = 0; p < 40; p++) {
            const double y = (p < 15 ? 300 : p < 30 ? 100 : 10) / (1.0 + c);
            plot_add_place(&plot, (struct plot_mark){.series = series,
                                                     .x = 4096 * pow(1.3, (double)p),
                                                     .y = y,
                                                     .low = 0.97 * y,
                                                     .high = 1.02 * y});
        }
    }
    for (int m = 0; m < 5; m++)
        plot_add_upright(&plot, m % 2 ? "roof d2" : "roof", 32768 * pow(6, m),
                         plot_text(&plot, "L1 holds %d KiB", 32 + m), true);
    char *text = text_of(&plot);
    assert_non_null(strstr(text, "load &amp; &lt;0&gt;: 300 GB/s (291 to 306) at 4.1 kB</title>"));
    xmlDocPtr picture = read_picture(text);
    assert_int_equal(count_with(area_of(picture), "use", "href", "#m"), 120);
    assert_true(assert_area_readable(area_of(picture), 870) >= 5);
    xmlFreeDoc(picture);
    free(text);
}

static void a_fitted_curve_is_a_line_with_the_marks_of_its_samples(void **state) {
    (void)state;
    static const double line[][2] = {{8, 1e-3}, {32, 4e-3}, {128, 2e-2}};
    struct plot plot = {.title = "a model",
                        .subtitle = "",
                        .x = {.title = "m", .label = plot_label_number},
                        .y = {.title = "time", .label = plot_label_seconds},
                        .unit = "s"};
    for (int s = 0; s < 2; s++) {
        plot_add_series(&plot, (struct plot_series){.name = s == 0 ? "n = 8" : "n = 16",
                                                    .style = plot_style_of((size_t)s),
                                                    .line = true});
        for (size_t p = 0; p < 3; p++)
            plot_add_mark(&plot, (struct plot_mark){
                                     .series = s, .x = line[p][0], .y = line[p][1], .bare = true});
        if (s > 0) continue;
        plot_add_place(
            &plot,
            (struct plot_mark){.x = 8, .y = 1.1e-3, .low = 1.1e-3, .high = 1.2e-3, .apart = true});
        plot_add_place(&plot,
                       (struct plot_mark){.x = 100, .y = 1e-2, .hollow = true, .apart = true});
    }
    char *text = text_of(&plot);
    xmlDocPtr picture = read_picture(text);
    assert_int_equal(count_with(area_of(picture), "use", "href", "#m0"), 2);
    assert_int_equal(count_with(area_of(picture), "use", "class", "c0 o"), 1);
    assert_int_equal(count_with(area_of(picture), "line", "class", "curve c0"), 2);
    assert_int_equal(count_with(area_of(picture), "line", "class", "curve c1"), 2);
    assert_int_equal(count_with(area_of(picture), "line", "class", "reach"), 1);
    assert_non_null(strstr(text, "n = 8: 0.0011 s (0.0011 to 0.0012) at 8</title>"));
    assert_non_null(strstr(text, "n = 8: 0.01 s at 100, moved here from nearby sizes</title>"));
    xmlFreeDoc(picture);
    free(text);
}

/** Colours repeat after PLOT_SERIES series, but not together with shapes or, for lines, dashes. */
static void no_two_series_look_alike(void **state) {
    (void)state;
    enum { SERIES = PLOT_SERIES * PLOT_DASHES };
    for (size_t a = 0; a < SERIES; a++) {
        const struct plot_style style = plot_style_of(a);
        assert_in_range(style.shape, 0, PLOT_SERIES - 1);
        for (size_t b = 0; b < a; b++) {
            const struct plot_style other = plot_style_of(b);
            assert_false(style.colour == other.colour &&
                         (style.shape == other.shape || style.dash == other.dash));
        }
    }
}

static void strips_overlap_where_they_have_a_place_in_common(void **state) {
    (void)state;
    const struct strip flat = {0, 0, 100, 0, 5}, steep = {50, 40, 50, -40, 1},
                       beside = {0, 11, 100, 11, 5}, transposed = {90, 30, 130, -10, 5},
                       corner = {102, 30, 142, -10, 5};
    assert_true(labels_overlap(&flat, &steep) && labels_overlap(&steep, &flat));
    assert_false(labels_overlap(&flat, &beside));
    assert_false(labels_overlap(&flat, &transposed)); /* the bounding boxes overlap, the rotated
                                                         labels do not */
    assert_false(labels_overlap(&flat, &corner));
    static struct labels labels = {.width = 200, .height = 200};
    const struct strip place = {10, 100, 60, 100, 7};
    assert_true(labels_take(&labels, &place) && !labels_take(&labels, &place));
    for (int s = 0; s < LABELS_STRIPS; s++) labels_keep_off(&labels, place);
    const struct strip far = {100, 20, 150, 20, 7};
    assert_false(labels_is_free(&labels, &far)); /* rejected: the maximum number of labels is
                                                    reached */
}

/** A machine with bandwidths, and with compute ceilings in double, single and mixed precisions:
 * each compute ceiling is a roof in the plot. */
static void mixed_precisions_have_roofs(void **state) {
    struct tcplan_ceiling own[5];
    struct tcplan_roofline machine = roofline;
    struct plot_roofs roofs[PLOT_ROOFS];
    (void)state;
    memcpy(own, compute, sizeof compute);
    assert_int_equal(roofs_of(roofs, &machine), 2);
    for (int c = 3; c < 5; c++) {
        own[c] = own[0];
        own[c].mix = c == 3 ? TCPLAN_MIX_FP16 : TCPLAN_MIX_S_D;
        own[c].rate = c == 3 ? 440 : 108; /* 108 is close to the ceiling of 110 */
    }
    machine.compute = own;
    machine.compute_count = 5;
    const int count = roofs_of(roofs, &machine);
    assert_true(count == 3 && roofs[2].mixed && !roofs[2].bandwidth);
    const struct roofline_plot plot = {
        .title = "t", .subtitle = "s", .roofs_count = count, .roofs = roofs};
    xmlDocPtr picture = draw(&plot);
    const xmlNode *area = area_of(picture);
    assert_int_equal(count_with(area, "line", "class", "roof"), 3 + 3 + 2);
    assert_true(assert_area_readable(area, 870) >= 6);
    xmlChar *text = xmlNodeGetContent(area);
    assert_non_null(strstr((const char *)text, "fma, 512 bits, fp16, 1 thread: 440 GFLOP/s"));
    assert_non_null(strstr((const char *)text, "fma, 512 bits, s-d, 1 thread: 108 GFLOP/s"));
    xmlFree(text);
    xmlFreeDoc(picture);
}

static void the_picture_is_written_to_its_file(void **state) {
    (void)state;
    struct scene scene;
    char path[] = "/tmp/tcplan-roofline-XXXXXX.svg";
    scene_open(&scene, false);
    const int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct roofline_report report = {.roofline = &roofline, .points = &scene.points};
    assert_int_equal(points_plot(&report, &scene.options, path), EXIT_DONE);
    xmlDocPtr picture = xmlReadFile(path, NULL, XML_PARSE_NONET);
    assert_non_null(picture);
    assert_in_range(count_with(area_of(picture), "use", "href", "#m"), 5,
                    36); /* up to 36: marks may hide others of the same series */
    xmlFreeDoc(picture);
    report.points = NULL;
    assert_int_equal(points_plot(&report, &scene.options, path), EXIT_DONE); /* only the ceilings */
    picture = xmlReadFile(path, NULL, XML_PARSE_NONET);
    assert_non_null(picture);
    assert_int_equal(count_with(area_of(picture), "use", "href", "#m"), 0);
    xmlFreeDoc(picture);
    unlink(path);
    scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_algorithms_are_placed),
        cmocka_unit_test(json_is_as_documented),
        cmocka_unit_test(text_lists_every_algorithm),
        cmocka_unit_test(the_picture_has_every_roof_and_point),
        cmocka_unit_test(labels_do_not_overlap),
        cmocka_unit_test(labels_of_random_pictures_do_not_overlap),
        cmocka_unit_test(labels_of_machines_threads_precisions_and_levels_do_not_overlap),
        cmocka_unit_test(the_script_has_data_for_every_entry),
        cmocka_unit_test(texts_in_the_script_are_not_executed),
        cmocka_unit_test(curves_have_every_place_and_labels_apart),
        cmocka_unit_test(a_fitted_curve_is_a_line_with_the_marks_of_its_samples),
        cmocka_unit_test(no_two_series_look_alike),
        cmocka_unit_test(strips_overlap_where_they_have_a_place_in_common),
        cmocka_unit_test(mixed_precisions_have_roofs),
        cmocka_unit_test(the_picture_is_written_to_its_file),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xmlCleanupParser();
    return failed;
}
