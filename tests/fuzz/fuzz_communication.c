/** Reads any bytes as a model of MPI's calls. Predictions of an accepted model must be finite and
 * not negative. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/communication.h"

static void check_predictions(const struct tcplan_communication *model) {
    static const double bytes[] = {0, 1, 1000, 1e9};
    for (int call = 0; call < TCPLAN_COMMUNICATION_CALLS; call++) {
        for (int ranks = 1; ranks <= 4096; ranks *= 8) {
            for (int b = 0; b < 8; b++)
                require(tcplan_communication_seconds(model, (enum tcplan_collective)call, b > 3,
                                                     ranks, bytes[b % 4]) >= 0);
        }
        tcplan_communication_check(model, (enum tcplan_collective)call);
    }
    tcplan_communication_eager_bytes(model, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tcplan_communication *model = NULL;
    struct tcplan_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (tcplan_communication_parse(&model, text, &error) == TCPLAN_OK) {
        require(strcmp(tcplan_communication_text(model), text) == 0);
        check_predictions(model);
        tcplan_communication_free(model);
    } else {
        require(error.message[0] != '\0');
    }
    free(text);
    return 0;
}
