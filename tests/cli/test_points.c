/*
 * Algorithms under roofs that are made up, in every format. The times are this machine's, and not looked at.
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

#include "cli/page/gnuplot.h"
#include "cli/points.h"
#include "cli/render/ceilings.h"

static struct tcplan_ceiling compute[] = {
    {.name = "fma", .precision = TCPLAN_DOUBLE, .vector_bits = 512, .threads = 1, .cache = -1, .rate = 110, .q1 = 109, .q3 = 111},
    {.name = "mul_add", .precision = TCPLAN_DOUBLE, .vector_bits = 512, .threads = 1, .cache = -1, .rate = 54, .q1 = 53, .q3 = 55},
    {.name = "dgemm", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 80, .q1 = 79, .q3 = 81, .m = 128, .n = 120, .k = 32},
};

static struct tcplan_ceiling bandwidth[] = {
    {.name = "store", .level = "L1", .threads = 1, .cache = 0, .rate = 227, .line_bytes_per_count_byte = 2},
    {.name = "store", .level = "L2", .threads = 1, .cache = 1, .rate = 56, .line_bytes_per_count_byte = 2},
    {.name = "store", .level = "DRAM", .threads = 1, .cache = 2, .rate = 9, .line_bytes_per_count_byte = 2},
    {.name = "load", .level = "L1", .threads = 1, .cache = 0, .rate = 418, .line_bytes_per_count_byte = 1},
    {.name = "load", .level = "L2", .threads = 1, .cache = 1, .rate = 170, .line_bytes_per_count_byte = 1},
    {.name = "load", .level = "DRAM", .threads = 1, .cache = 2, .rate = 15, .line_bytes_per_count_byte = 1},
};

static const struct tcplan_roofline roofline = {
    .machine = {.cpu = "a \"test\" \\ machine",
                .line_bytes = 64,
                .cache_count = 2,
                .cache = {{.level = 1, .size_bytes = 4096, .line_bytes = 64}, {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}},
    .compute_count = sizeof compute / sizeof *compute,
    .compute = compute,
    .bandwidth_count = sizeof bandwidth / sizeof *bandwidth,
    .bandwidth = bandwidth};

/** The 36 algorithms of a small contraction, placed. */
struct scene {
    struct options options;
    struct request request;
    struct point_list points;
};

static void scene_open(struct scene *scene, bool measured) {
    static char contraction[] = "C_abc=A_ai*B_ibc", sizes[] = "--sizes=a=b=c=16,i=4", all[] = "--all", quiet[] = "--quiet";
    static char measure[] = "--measure";
    char *const arguments[] = {contraction, sizes, all, quiet, measure};
    assert_int_equal(options_parse(&scene->options, COMMAND_ROOFLINE, "roofline", measured ? 5 : 4, arguments), EXIT_DONE);
    assert_int_equal(request_read(&scene->request, &scene->options, "roofline", REQUEST_SIZES | REQUEST_MACHINE), EXIT_DONE);
    assert_int_equal(points_make(&scene->points, &scene->request, &roofline), EXIT_DONE);
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

static void json_is_as_the_contract_has_it(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, true);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    const struct roofline_report report = {.roofline = &roofline, .points = &scene.points};
    format_json.begin(&writer);
    format_json.roofline(&writer, &report);
    format_json.end(&writer);
    rewind(file);
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, NULL);
    fclose(file);
    assert_non_null(root);
    const json_t *points = json_object_get(root, "points");
    assert_int_equal(json_array_size(points), 2 * 36); /* predicted and measured */
    for (size_t p = 0; p < json_array_size(points); p++) {
        const json_t *point = json_array_get(points, p);
        assert_true(json_is_string(json_object_get(point, "name")));
        assert_true(json_number_value(json_object_get(point, "intensity_low")) > 0);
        assert_true(json_number_value(json_object_get(point, "intensity_high")) > 0);
        assert_true(json_number_value(json_object_get(point, "gflops")) > 0);
        assert_true(json_number_value(json_object_get(point, "efficiency")) > 0);
        assert_string_equal(json_string_value(json_object_get(point, "origin")), p % 2 ? "measured" : "predicted");
    }
    json_decref(root);
    scene_close(&scene);
}

static void csv_has_a_line_for_each_point(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, false);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    points_csv(&writer, &scene.points);
    assert_false(writer.no_memory);
    rewind(file);
    char line[512];
    int lines = 0;
    for (; fgets(line, sizeof line, file); lines++) {
        int commas = 0;
        for (const char *c = line; *c; c++) commas += *c == ',';
        assert_int_equal(commas, 12);
    }
    assert_int_equal(lines, 37);
    fclose(file);
    scene_close(&scene);
}

static void text_lists_every_algorithm(void **state) {
    (void)state;
    struct scene scene;
    scene_open(&scene, true);
    FILE *file = tmpfile();
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    points_text(&writer, &scene.points);
    assert_false(writer.no_memory);
    rewind(file);
    char line[512];
    int algorithms = 0;
    while (fgets(line, sizeof line, file)) algorithms += strstr(line, " %") != NULL;
    assert_int_equal(algorithms, 36);
    fclose(file);
    scene_close(&scene);
}

/* The picture. */

/** Made-up points: names, intensities and speeds as close to each other as real ones. */
static struct roofline_plot plot_of(struct plot_point *point, size_t count) {
    static const char *const names[] = {"c-dgemm", "b-dgemm", "cb-dgemv", "bc-dgemv", "i'c-dgemm", "cbi-daxpy"};
    for (size_t p = 0; p < count; p++) {
        point[p] = (struct plot_point){.name = names[p % 6],
                                       .kernel = (enum tcplan_kernel)(p % TCPLAN_KERNELS),
                                       .at = {.origin = p % 2 ? TCPLAN_ORIGIN_PREDICTED : TCPLAN_ORIGIN_MEASURED,
                                              .intensity_low = 1 + 0.01 * (double)(p % 4),
                                              .intensity_high = 1.9,
                                              .gflops = 30 / (1 + 0.3 * (double)p),
                                              .model_bandwidth = &bandwidth[1]}};
    }
    return (struct roofline_plot){.roofline = &roofline,
                                  .title = "C_abc=A_ai*B_ibc on \"a\\b\"",
                                  .bandwidth = "store",
                                  .dtype = TCPLAN_DOUBLE,
                                  .threads = 1,
                                  .count = count,
                                  .point = point};
}

static FILE *script_of(size_t count, enum plot_kind kind) {
    static struct plot_point point[64];
    const struct roofline_plot plot = plot_of(point, count);
    FILE *file = tmpfile();
    assert_non_null(file);
    roofline_plot_print(file, &plot, kind);
    rewind(file);
    return file;
}

static void the_script_holds_its_data(void **state) {
    (void)state;
    FILE *file = script_of(36, PLOT_SCRIPT);
    char line[512];
    int points = 0, roofs = 0, blocks = 0, ends = 0;
    while (fgets(line, sizeof line, file)) {
        assert_null(strstr(line, "nan"));
        assert_null(strstr(line, "inf"));
        points += line[strlen(line) - 2] == '"' && strchr("0123456789", line[0]) != NULL;
        roofs += strncmp(line, "$level", 6) == 0 || strncmp(line, "$compute", 8) == 0;
        blocks += strstr(line, "<< EOD") != NULL;
        ends += strcmp(line, "EOD\n") == 0;
    }
    fclose(file);
    assert_int_equal(points, 36);
    assert_int_equal(roofs, 6);
    assert_int_equal(blocks, ends);
}

/** A label lying on the canvas, in pixels. */
struct placed {
    double left, right, bottom, top;
};

static int read_labels(FILE *file, struct placed *placed) {
    char line[512], text[128], side[8];
    double x, y;
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "set label \"%127[^\"]\" at graph %lf,%lf %7s", text, &x, &y, side) != 4 || strstr(line, "rotate")) continue;
        const double width = 6.9 * (double)strlen(text);
        const double at = x * 952; /* of the axes */
        const double left = strcmp(side, "right") == 0 ? at - width : at;
        placed[count++] = (struct placed){left, left + width, y * 582 - 7, y * 582 + 7};
    }
    return count;
}

static void labels_do_not_overlap(void **state) {
    (void)state;
    for (size_t count = 0; count <= 60; count += 12) {
        struct placed placed[64];
        FILE *file = script_of(count, PLOT_SCRIPT);
        const int labels = read_labels(file, placed);
        fclose(file);
        assert_true(labels >= 3 + (count > 0 ? 5 : 0)); /* three ceilings, and some of the fastest */
        for (int a = 0; a < labels; a++) {
            assert_true(placed[a].left >= 0 && placed[a].right <= 952 && placed[a].bottom >= 0 && placed[a].top <= 582);
            for (int b = 0; b < a; b++) {
                const bool apart = placed[a].right <= placed[b].left || placed[b].right <= placed[a].left ||
                                   placed[a].top <= placed[b].bottom || placed[b].top <= placed[a].bottom;
                assert_true(apart);
            }
        }
    }
}

static void gnuplot_draws_it(void **state) {
    (void)state;
    static const struct {
        enum plot_kind kind;
        const char *begins;
    } kinds[] = {{PLOT_SCRIPT, "\x89PNG"}, {PLOT_PNG, "\x89PNG"}, {PLOT_SVG, "<?xml"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t count = 0; count <= 36; count += 36) {
            FILE *script = script_of(count, kinds[k].kind);
            FILE *out = tmpfile();
            char found[8] = "";
            assert_non_null(out);
            assert_int_equal(fseek(script, 0, SEEK_END), 0);
            const enum gnuplot_result result = gnuplot_draw(script, fileno(out));
            if (result == GNUPLOT_MISSING) skip();
            assert_int_equal(result, GNUPLOT_DONE);
            rewind(out);
            assert_true(fread(found, 1, strlen(kinds[k].begins), out) == strlen(kinds[k].begins));
            assert_string_equal(found, kinds[k].begins);
            fclose(script);
            fclose(out);
        }
    }
}

static void files_are_written_by_their_ending(void **state) {
    (void)state;
    struct scene scene;
    char path[] = "/tmp/tcplan-roofline-XXXXXX.gp";
    scene_open(&scene, false);
    const int descriptor = mkstemps(path, 3);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(points_plot(&scene.points, &roofline, &scene.options, path), EXIT_DONE);
    FILE *file = fopen(path, "r");
    char line[128] = "";
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "# A roofline with its data. Draw it with: gnuplot THIS > roofline.png\n");
    fclose(file);
    unlink(path);
    scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_algorithms_are_placed),
        cmocka_unit_test(json_is_as_the_contract_has_it),
        cmocka_unit_test(csv_has_a_line_for_each_point),
        cmocka_unit_test(text_lists_every_algorithm),
        cmocka_unit_test(the_script_holds_its_data),
        cmocka_unit_test(labels_do_not_overlap),
        cmocka_unit_test(gnuplot_draws_it),
        cmocka_unit_test(files_are_written_by_their_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
