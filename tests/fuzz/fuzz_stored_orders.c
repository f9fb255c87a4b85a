/**
 * Reads any bytes as the stored order of an expression. A text is rejected with a message, or is an
 * order that is written to a text that reads back to the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "network/execution/stored.h"

static enum tcplan_status read_text(struct tcplan_network_found *out, const char *text,
                                    const struct tcplan_order_key *key,
                                    struct tcplan_error *error) {
    char *copy = strdup(text);
    require(copy != NULL);
    const enum tcplan_status status = order_stored_read(out, copy, key, error);
    free(copy);
    return status;
}

static void check(const struct tcplan_order_key *key, const char *text) {
    struct tcplan_network_found found = {.tree = NULL}, again = {.tree = NULL};
    struct tcplan_error error = {0};
    const enum tcplan_status status = read_text(&found, text, key, &error);
    if (status != TCPLAN_OK) {
        require(status == TCPLAN_NOT_APPLICABLE || *error.message);
        return;
    }
    char *written = order_stored_write(&found, TCPLAN_EFFORT_QUICK);
    require(written && read_text(&again, written, key, NULL) == TCPLAN_OK);
    char *repeated = order_stored_write(&again, TCPLAN_EFFORT_QUICK);
    require(repeated && strcmp(written, repeated) == 0);
    free(written);
    free(repeated);
    tcplan_network_found_free(&found);
    tcplan_network_found_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const notation[] = {"E_ad=A_ab*B_bc*C_cd",
                                           "R_ad=A_ab*B_bc*C_cd+A_ab*D_bc*C_cd"};
    static const int64_t extent[] = {3, 4, 5, 6};
    struct tcplan_rank_options options = tcplan_rank_defaults();
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    options.effort = TCPLAN_EFFORT_ESTIMATE; /* accepts texts with any effort */
    for (size_t n = 0; n < sizeof notation / sizeof *notation; n++) {
        struct tcplan_network *network = NULL;
        require(tcplan_network_parse(&network, notation[n], TCPLAN_COLUMN_MAJOR, NULL) ==
                TCPLAN_OK);
        const struct tcplan_order_key key = {
            .network = network, .extent = extent, .dtype = TCPLAN_DOUBLE, .rank = &options};
        check(&key, text);
        tcplan_network_free(network);
    }
    free(text);
    return 0;
}
