/**
 * Any bytes as an expression of several tensors: a refusal marks text that is there; what is read prints to text that reads back and prints the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tcplan/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds) abort();
}

static void check_error(const struct tcplan_error *error, const char *text) {
    require(error->status == TCPLAN_INVALID && error->message[0] != '\0');
    require(error->column >= 1 && error->column - 1 + error->length <= strlen(text));
}

static void check_round_trip(const struct tcplan_network *network) {
    char *printed = tcplan_network_text(network);
    struct tcplan_network *again = NULL;
    require(tcplan_network_parse(&again, printed, network->order, NULL) == TCPLAN_OK);
    char *reprinted = tcplan_network_text(again);
    require(strcmp(printed, reprinted) == 0);
    require(again->index_count == network->index_count && again->operand_count == network->operand_count);
    require(again->term_count == network->term_count && again->tensor_count == network->tensor_count);
    free(reprinted);
    tcplan_network_free(again);
    free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    struct tcplan_network *network = NULL;
    struct tcplan_error error = {0};
    tcplan_network_is_several(text);
    if (tcplan_network_parse(&network, text, TCPLAN_ROW_MAJOR, &error) == TCPLAN_OK) {
        check_round_trip(network);
    } else {
        check_error(&error, text);
    }
    tcplan_network_free(network);
    free(text);
    return 0;
}
