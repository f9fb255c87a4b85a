/*
 * The attributes `cores` and `memory` of an experiment: one text for all values of the range, or
 * one for each of them, separated by `|`, as in cores="close|spread".
 */
#include <string.h>

#include "base/error.h"
#include "routines/sampler/experiments/experiment.h"

/** Returns the number of texts. */
static size_t count_texts(const char *texts) {
    size_t count = 1;
    for (; *texts; texts++) count += *texts == '|';
    return count;
}

static enum tcplan_status check_count(const char *name, const char *texts, size_t points,
                                      struct tcplan_error *error) {
    const size_t count = count_texts(texts);
    if (count == 1 || count == points) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "%s: expected one text, or one for each of the %zu values of the range, found %zu", name,
        points, count);
}

/** Copies the text of a point; if there is only one text, copies that. A text that does not fit is
 * truncated to a length that tcplan_binding_make() refuses. */
static void copy_text(char out[TCPLAN_BINDING_TEXT + 1], const char *texts, size_t point) {
    if (count_texts(texts) > 1) {
        for (; point > 0; point--) texts += strcspn(texts, "|") + 1;
    }
    size_t length = strcspn(texts, "|");
    if (length > TCPLAN_BINDING_TEXT) length = TCPLAN_BINDING_TEXT;
    memcpy(out, texts, length);
    out[length] = '\0';
}

enum tcplan_status experiment_binding(struct tcplan_binding *out,
                                      const struct tcplan_experiment *experiment, size_t point,
                                      struct tcplan_error *error) {
    char cores[TCPLAN_BINDING_TEXT + 1], memory[TCPLAN_BINDING_TEXT + 1];
    copy_text(cores, experiment->cores, point);
    copy_text(memory, experiment->memory, point);
    return tcplan_binding_make(out, cores, memory, error);
}

enum tcplan_status experiment_check_bindings(const struct tcplan_experiment *experiment,
                                             struct tcplan_error *error) {
    const size_t points = experiment->point_count;
    const size_t cores = count_texts(experiment->cores), memory = count_texts(experiment->memory);
    struct tcplan_binding binding;
    enum tcplan_status status = check_count("cores", experiment->cores, points, error);
    if (status == TCPLAN_OK) status = check_count("memory", experiment->memory, points, error);
    if (status == TCPLAN_OK && experiment->shuffle && (cores > 1 || memory > 1))
        return error_set(
            error, TCPLAN_INVALID,
            "with shuffle=\"true\" cores and memory must be the same for all values of the range");
    for (size_t p = 0; p < (cores > 1 || memory > 1 ? points : 1) && status == TCPLAN_OK; p++)
        status = experiment_binding(&binding, experiment, p, error);
    return status;
}

enum tcplan_status tcplan_experiment_bind(struct tcplan_experiment *experiment, const char *cores,
                                          const char *memory, struct tcplan_error *error) {
    if (cores) experiment->cores = arena_strndup(&experiment->arena, cores, strlen(cores));
    if (memory) experiment->memory = arena_strndup(&experiment->arena, memory, strlen(memory));
    if (!experiment->cores || !experiment->memory) return error_no_memory(error);
    enum tcplan_status status = experiment_check_bindings(experiment, error);
    return status == TCPLAN_OK ? experiment_add_checksum(experiment, error) : status;
}
