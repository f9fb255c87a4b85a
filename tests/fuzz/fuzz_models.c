/**
 * Reads any bytes as a document of models. Errors must have a message; accepted models must have a
 * text that reads back to the same text, and can be evaluated.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fuzz.h"
#include "tcplan/models_file.h"

/** Input of a read function: the bytes, and the position of the next one. */
struct source {
    const char *at;
    size_t left;
};

static ptrdiff_t take(void *context, char *buffer, size_t size) {
    struct source *source = context;
    const size_t count = source->left < size ? source->left : size;
    memcpy(buffer, source->at, count);
    source->at += count;
    source->left -= count;
    return (ptrdiff_t)count;
}

static bool append(void *context, const char *text, size_t length) {
    strbuf_append(context, text, length);
    return true;
}

static char *write_models(const struct tcplan_models *models,
                          const struct tcplan_fingerprint *fingerprint) {
    struct strbuf text = {0};
    require(tcplan_models_write(models, fingerprint, append, &text, NULL) == TCPLAN_OK);
    char *out = strbuf_finish(&text);
    require(out != NULL);
    return out;
}

static void evaluate(const struct tcplan_models *models) {
    for (size_t m = 0; m < tcplan_models_count(models); m++) {
        const struct tcplan_model *model = tcplan_models_at(models, m);
        for (int64_t size = 0; size <= TCPLAN_MODEL_LARGEST; size = 3 * size + 1) {
            const int64_t sizes[TCPLAN_MODEL_SIZES] = {size, 1 + size / 2, 1 + size / 3,
                                                       1 + size / 4};
            struct tcplan_model_estimate estimate;
            tcplan_model_evaluate(&estimate, model, sizes);
            require(!(estimate.ns[TCPLAN_MODEL_MINIMUM] > estimate.ns[TCPLAN_MODEL_MEDIAN]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {.at = (const char *)data, .left = size};
    struct tcplan_models *first, *second;
    struct tcplan_fingerprint fingerprint;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        tcplan_models_read(&first, &fingerprint, take, &source, &error);
    require(status == TCPLAN_OK || (status == TCPLAN_INVALID && *error.message && !first));
    if (status != TCPLAN_OK) return 0;
    evaluate(first);
    char *text = write_models(first, &fingerprint);
    source = (struct source){.at = text, .left = strlen(text)};
    require(tcplan_models_read(&second, &fingerprint, take, &source, NULL) == TCPLAN_OK);
    char *repeated = write_models(second, &fingerprint);
    require(strcmp(text, repeated) == 0);
    free(text);
    free(repeated);
    tcplan_models_free(first);
    tcplan_models_free(second);
    return 0;
}
