/**
 * Reads any bytes as a contraction. Errors must mark existing text; accepted input must have a
 * text that reads back to the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/contraction.h"

static void check_error(const struct tcplan_error *error, const char *text) {
    require(error->status == TCPLAN_INVALID && error->message[0] != '\0');
    require(error->column >= 1 && error->column - 1 + error->length <= strlen(text));
}

static void check_round_trip(const struct tcplan_contraction *contraction) {
    char *printed = tcplan_contraction_text(contraction);
    struct tcplan_contraction *again = NULL;
    require(tcplan_contraction_parse(&again, printed, contraction->order, NULL) == TCPLAN_OK);
    char *reprinted = tcplan_contraction_text(again);
    require(strcmp(printed, reprinted) == 0 && again->index_count == contraction->index_count);
    require(again->alpha.re == contraction->alpha.re && again->alpha.im == contraction->alpha.im);
    require(again->beta.re == contraction->beta.re && again->beta.im == contraction->beta.im);
    free(reprinted);
    tcplan_contraction_free(again);
    free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    if (tcplan_contraction_parse(&contraction, text, TCPLAN_ROW_MAJOR, &error) == TCPLAN_OK) {
        check_round_trip(contraction);
    } else {
        check_error(&error, text);
    }
    tcplan_contraction_free(contraction);
    free(text);
    return 0;
}
