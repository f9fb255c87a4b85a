/**
 * Reads any bytes as the selection of an experiment's calls for a figure; some names of calls
 * contain operators. Errors must have a message and mark existing text; accepted input must have
 * finite factors.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "routines/sampler/experiments/selector.h"

static struct tcplan_experiment *make_experiment(void) {
    static const char text[] =
        "<experiment format=\"1\" name=\"fuzz\" repetitions=\"1\"><range variable=\"n\" values=\"10\"/>"
        "<call routine=\"ddot\" name=\"a\">n=n x=x y=y</call><call routine=\"ddot\" name=\"a+b\">n=n x=x y=y</call>"
        "<call routine=\"ddot\">n=n x=x y=y</call></experiment>";
    struct input input = {.data = text, .size = strlen(text)};
    struct tcplan_experiment *experiment = NULL;
    require(tcplan_experiment_from(&experiment, read_input, &input, NULL) == TCPLAN_OK);
    return experiment;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tcplan_experiment *experiment = make_experiment();
    struct arena arena = {0};
    struct selector selector;
    struct tcplan_error error = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (selector_parse(&selector, &arena, experiment, text, &error) == TCPLAN_OK) {
        require(selector.label && strlen(selector.label) <= strlen(text));
        for (int c = 0; c < experiment->call_count; c++) require(isfinite(selector.factor[c]));
    } else {
        require(error.status == TCPLAN_INVALID && error.message[0] != '\0');
        require(error.column >= 1 && error.column - 1 + error.length <= strlen(text) + 1);
    }
    free(text);
    arena_free(&arena);
    tcplan_experiment_free(experiment);
    return 0;
}
