#include "support/a_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "models/grid.h"
#include "models/model.h"

enum { MOST_BOXES = 512 };

/** Halves a box at random, then one of the two, and so on, until there are `pieces` boxes. Returns
 * their number. */
static size_t halve(struct tcplan_model_domain box[], struct tcplan_model_domain whole,
                    size_t count, struct random *random) {
    int size;
    int64_t at;
    if (count == 1 || !grid_halve(&size, &at, &whole, 8)) {
        box[0] = whole;
        return 1;
    }
    struct tcplan_model_domain lower = whole, upper = whole;
    lower.high[size] = upper.low[size] = at;
    const size_t first = 1 + (size_t)random_below(random, (int64_t)count - 1);
    const size_t made = halve(box, lower, first, random);
    return made + halve(box + made, upper, count - first, random);
}

static struct tcplan_model *of_boxes(const struct tcplan_model_domain box[], size_t count,
                                     int sizes, struct random *random) {
    double(*room)[TCPLAN_MODEL_STATISTICS];
    struct tcplan_model *model;
    int degree[TCPLAN_MODEL_SIZES];
    for (int i = 0; i < sizes; i++) degree[i] = 1 + (i == 0);
    const size_t each = (size_t)tcplan_model_coefficients(degree, sizes);
    if (model_new(&model, count, count * each, &room, NULL) != TCPLAN_OK) abort();
    for (size_t p = 0; p < count; p++, room += each) {
        struct tcplan_model_piece *piece = &model->piece[p];
        *piece = (struct tcplan_model_piece){
            .domain = box[p], .points = 72, .error = random_unit(random), .coefficient = room};
        for (int i = 0; i < sizes; i++) piece->degree[i] = degree[i];
        for (size_t j = 0; j < each; j++) {
            for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
                room[j][s] = 1000 * (random_unit(random) - 0.3);
        }
    }
    for (int i = 0; i < sizes; i++) {
        model->degree[i] = degree[i];
        snprintf(model->size_name[i], TCPLAN_MODEL_SIZE_NAME, "%c", "mnkl"[i]);
    }
    return model;
}

struct tcplan_model *a_model(const char *case_text, int sizes, size_t pieces, uint64_t seed) {
    static struct tcplan_model_domain box[MOST_BOXES];
    struct tcplan_model_domain domain = {.count = sizes};
    struct random random = {seed};
    for (int i = 0; i < sizes; i++) {
        domain.low[i] = 8;
        domain.high[i] = 520;
    }
    const size_t count = halve(box, domain, pieces, &random);
    struct tcplan_model *model = of_boxes(box, count, sizes, &random);
    model->domain = domain;
    model->config = tcplan_model_config_default(sizes, 1);
    model->setup = (struct tcplan_model_setup){
        .provider = "openblas", .version = "OpenBLAS 0.3 (Core)", .threads = 1};
    model->points = 72;
    model->made = 1700000000;
    model->seconds = 12.5;
    model->complete = true;
    model->check = (struct tcplan_model_check){.points = 20,
                                               .mean = 0.01,
                                               .median = 0.007,
                                               .p90 = 0.02,
                                               .maximum = 0.1,
                                               .made = 1700000001};
    snprintf(model->case_text, sizeof model->case_text, "%s", case_text);
    if (model_finish(model, NULL) != TCPLAN_OK) abort();
    return model;
}
