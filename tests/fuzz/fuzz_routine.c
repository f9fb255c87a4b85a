/**
 * Reads any bytes as the value of `roofline --kernel`: a routine with a provider, arguments and
 * sizes. Errors must have a message; an accepted text must make an experiment whose document reads
 * back, with a timed call of the name that is returned.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/experiment.h"

static void check_document(const struct tcplan_routine_experiment *routine) {
    char *text = tcplan_experiment_text(routine->experiment);
    struct tcplan_experiment *again = NULL;
    require(text != NULL);
    struct input input = {.data = text, .size = strlen(text)};
    require(tcplan_experiment_from(&again, read_input, &input, NULL) == TCPLAN_OK);
    char *second = tcplan_experiment_text(again);
    require(second != NULL && strcmp(text, second) == 0);
    require(routine->call[0] != '\0' && strstr(text, routine->call) != NULL);
    require(memchr(routine->label, '\0', sizeof routine->label) != NULL);
    free(second);
    free(text);
    tcplan_experiment_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tcplan_routine_experiment routine;
    struct tcplan_error error = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (tcplan_experiment_of_routine(&routine, text, 1, 3, &error) == TCPLAN_OK) {
        check_document(&routine);
        tcplan_experiment_free(routine.experiment);
    } else {
        require(error.message[0] != '\0');
    }
    free(text);
    return 0;
}
