#include "support/made_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/model.h"
#include "tcplan/unstable.h"

static void set_box(struct tcplan_model_domain *box, const struct made_model *made) {
    *box = made->domain;
    if (box->count > 0) return;
    box->count = made->sizes;
    for (int s = 0; s < made->sizes; s++) {
        box->low[s] = made->smallest > 0 ? made->smallest : 1;
        box->high[s] = made->largest;
    }
}

void made_model_add(struct tcplan_models *models, struct made_model made) {
    static const char *const names[] = {"m", "n", "k", "l"};
    struct tcplan_model *model;
    double(*coefficient)[TCPLAN_MODEL_STATISTICS];
    struct tcplan_error error = {0};
    if (model_new(&model, 1, 2, &coefficient, &error)) fail_msg("%s", error.message);
    snprintf(model->case_text, sizeof model->case_text, "%s", made.case_text);
    snprintf(model->setup.provider, sizeof model->setup.provider, "%s",
             made.provider ? made.provider : "openblas");
    snprintf(model->setup.version, sizeof model->setup.version, "%s",
             made.version ? made.version : "");
    model->setup.threads = made.threads > 0 ? made.threads : 1;
    model->setup.placement = made.placement;
    set_box(&model->domain, &made);
    for (int s = 0; s < made.sizes; s++) {
        snprintf(model->size_name[s], sizeof model->size_name[s], "%s", names[s]);
        model->degree[s] = 1;
    }
    model->config = tcplan_model_config_default(made.sizes, model->setup.threads);
    model->config.multiple = 1;
    model->points = 1;
    model->good_reference_seconds = made.good_reference_seconds;
    model->complete = true;
    if (made.checked_p90 > 0)
        model->check = (struct tcplan_model_check){.points = 1, .p90 = made.checked_p90};
    model->piece[0].domain = model->domain;
    model->piece[0].points = 1;
    model->piece[0].error = made.error;
    model->piece[0].coefficient = coefficient;
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++) coefficient[0][s] = made.ns;
    coefficient[0][TCPLAN_MODEL_MAXIMUM] = made.maximum_ns > 0 ? made.maximum_ns : made.ns;
    coefficient[0][TCPLAN_MODEL_DEVIATION] = 0;
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS && made.of[TCPLAN_MODEL_MEDIAN] > 0; s++)
        coefficient[0][s] = made.of[s];
    model->piece[0].degree[0] = made.rises;
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS && made.rises; s++) {
        coefficient[1][s] = 0.5 * coefficient[0][s];
        coefficient[0][s] *= 1.5;
    }
    if (model_finish(model, &error)) fail_msg("%s", error.message);
    if (tcplan_models_add(models, model, &error)) fail_msg("%s", error.message);
}

void made_models_keep(const char *folder, const struct made_model made[], size_t count) {
    enum { MOST = 8 };
    const struct tcplan_model *stored[MOST];
    struct tcplan_models *models = tcplan_models_new();
    struct tcplan_machine machine;
    struct tcplan_error error = {0};
    assert_non_null(models);
    assert_in_range(count, 1, MOST);
    if (tcplan_machine_load(&machine, "live", &error)) fail_msg("%s", error.message);
    const struct tcplan_store store = {.folder = folder,
                                       .fingerprint = tcplan_fingerprint_make(&machine)};
    for (size_t m = 0; m < count; m++) {
        struct made_model model = made[m];
        model.version = store.fingerprint.part[TCPLAN_FINGERPRINT_LIBRARIES + TCPLAN_PROVIDER_BLAS];
        made_model_add(models, model);
        stored[m] = tcplan_models_at(models, m);
    }
    if (tcplan_store_keep_models(&store, stored, count, &error)) fail_msg("%s", error.message);
    tcplan_models_free(models);
}
